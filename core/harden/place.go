package harden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"golem/core/fault"
)

// Places are the files of a hardened worker.
type Places struct {
	Worker string // the worker file
	Source string // workers/NAME.hard/tool.js
	Module string // workers/NAME.wasm; of the directory form workers/NAME/NAME.wasm
}

// PlacesOf returns where the source and the module of a worker go. file is the worker's file in
// the project, id its ID, and root the first directory of workers, for a worker that lies in
// none. A worker that has a module already keeps its place.
func PlacesOf(file, id, root, module string) Places {
	p := Places{Worker: file}
	stem := strings.TrimSuffix(file, path.Ext(file))
	if dir := path.Dir(file); path.Base(file) == "worker.worker" && dir != "." {
		p.Source, p.Module = dir+".hard/tool.js", path.Join(dir, path.Base(dir)+".wasm")
	} else {
		if dir == "." {
			stem = path.Join(root, id)
		}
		p.Source, p.Module = stem+".hard/tool.js", stem+".wasm"
	}
	if module != "" {
		p.Module = module
	}
	return p
}

// Whole returns the source of a tool module of what a model wrote: a function answer.
func Whole(w Worker, written string) (string, error) {
	input := w.Input
	if input == nil {
		input = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`)
	}
	list, err := json.Marshal([]map[string]any{{"name": w.Tool, "description": w.Description, "inputSchema": input}})
	if err != nil {
		return "", err
	}
	name, err := json.Marshal(w.Tool)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("// The code of the worker %s, written by a model for golem harden.\n\n%s\n\nexport const tools = %s\nexport default {[%s]: answer}\n",
		strings.ReplaceAll(string(name), "*/", ""), strings.TrimSpace(written), list, name), nil
}

// Fenced returns the source in a model's answer: what is in its first fence, or all of it.
func Fenced(answer string) string {
	_, rest, found := strings.Cut("\n"+answer, "\n```")
	if !found {
		return strings.TrimSpace(answer)
	}
	_, rest, _ = strings.Cut(rest, "\n") // the language
	if text, _, closed := strings.Cut("\n"+rest, "\n```"); closed {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(rest)
}

// Rights are the settings under hardened that an edit writes.
type Rights struct {
	Module    string
	OnlyValid bool
	Files     bool
	Calls     []string
}

// line returns the key as one line of YAML.
func (r Rights) line() (string, error) {
	module, err := json.Marshal(r.Module)
	if err != nil {
		return "", err
	}
	when := "always"
	if r.OnlyValid {
		when = "schema"
	}
	calls := []string{}
	for _, name := range r.Calls {
		quoted, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		calls = append(calls, string(quoted))
	}
	text := string(module)
	if plain := strings.Trim(text, `"`); strings.IndexFunc(plain, func(c rune) bool {
		return !(c == '/' || c == '.' || c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}) < 0 {
		text = plain
	}
	return fmt.Sprintf("hardened: {module: %s, when: %s, otherwise: worker, fs: %t, calls: [%s]}", text, when, r.Files, strings.Join(calls, ", ")), nil
}

// Edit returns a worker file with the key hardened, which it does not have yet. Everything else
// stays byte for byte.
func Edit(file string, data []byte, r Rights) ([]byte, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	end := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		end = "\r\n"
	}
	text := string(data)
	start := strings.TrimPrefix(text, "\ufeff")
	if first, _, _ := strings.Cut(start, "\n"); strings.TrimSuffix(first, "\r") == "---" {
		at := len(text) - len(start) + len(first) + 1
		for rest := text[at:]; rest != ""; {
			one, more, _ := strings.Cut(rest, "\n")
			if strings.TrimSuffix(one, "\r") == "---" {
				return []byte(text[:at] + line + end + text[at:]), nil
			}
			at, rest = at+len(one)+1, more
		}
		return nil, noPlace(file, line)
	}
	if path.Ext(file) == ".worker" && !strings.Contains(text, "instructions:") || strings.HasPrefix(strings.TrimSpace(start), "{") {
		return nil, noPlace(file, line)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return []byte(text + line + end), nil
}

func noPlace(file, line string) error {
	return fault.New(fault.Config, "golem cannot add a key to %s", file).Hinting("write it yourself, then give the command again: %s", line)
}
