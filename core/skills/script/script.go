// Package script runs JavaScript and TypeScript files of skills that were written for Node
// (SPEC §21): it makes the folder of which golem's engine links a tool, and answers what the
// script prints and reads. The script has no rights but those of the tool.
package script

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

//go:embed node/*.js
var node embed.FS

const (
	// Entry is the file of a Folder that is linked.
	Entry = "golem-entry.js"
	// Tool is the tool that the linked module has. Its argument is {"name": text}.
	Tool = "run_script"
	// Config is the key of the module's configuration that has Options.
	Config = "script"

	own       = "golem-node" // the directory of the files that every script gets
	maxOutput = 1 << 20      // bytes that a script may print
)

// IsJavaScript reports whether golem's engine runs a file.
func IsJavaScript(name string) bool {
	return slices.Contains([]string{".js", ".mjs", ".ts", ".mts"}, path.Ext(name))
}

// Options returns the value of Config: the script's own path as it sees it, and its arguments.
func Options(file string, args []string) string {
	data, _ := json.Marshal(map[string]any{"file": path.Join("/skill", file), "args": append([]string{}, args...)}) // texts
	return string(data)
}

// Files are the files of one skill. Names are relative to its directory.
type Files interface {
	File(name string) ([]byte, error)
	// Names returns the names of all files.
	Names() []string
}

// Folder is what one script is linked of: the files of its skill, and those that stand for
// Node's packages.
type Folder struct {
	Skill string // its path, so that scripts of equal names are kept apart
	File  string // the script
	Files Files
}

// Open opens a file of the folder.
func (f Folder) Open(name string) (fs.File, error) {
	data, err := f.text(name)
	if err != nil {
		return nil, err
	}
	files := sandbox.Memory()
	if err := files.WriteFile("source", data); err != nil {
		return nil, err
	}
	return files.Open("source")
}

func (f Folder) text(name string) ([]byte, error) {
	switch {
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	case name == Entry:
		run, err := node.ReadFile("node/entry.js")
		head := fmt.Sprintf("// %s\nimport './%s/start.js'\nimport * as script from %s\n", strconv.Quote(f.Skill), own, quoted("./"+f.File))
		return append([]byte(head), run...), err
	case strings.HasPrefix(name, own+"/"):
		return node.ReadFile("node/" + strings.TrimPrefix(name, own+"/"))
	}
	data, err := f.Files.File(name)
	if errors.Is(err, fault.NotFound) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil || !IsJavaScript(name) {
		return data, err
	}
	return place(name, withPackages(name, data), name == f.File), nil
}

func quoted(text string) string {
	data, _ := json.Marshal(text) // a text
	return string(data)
}

// imports matches the imports of a source.
var imports = regexp.MustCompile(`((?:\bfrom|\bimport)\s*)("[^"\n]+"|'[^'\n]+')`)

// withPackages turns imports of the packages of Node and Deno that golem has into imports of
// files, in the same lines.
func withPackages(name string, text []byte) []byte {
	up := "./" + strings.Repeat("../", strings.Count(name, "/")) + own + "/"
	return imports.ReplaceAllFunc(text, func(found []byte) []byte {
		m := imports.FindSubmatch(found)
		file := packageFile(string(m[2][1 : len(m[2])-1]))
		if file == "" {
			return found
		}
		return []byte(string(m[1]) + quoted(up+file))
	})
}

// standard are the packages of Deno's standard library that golem has, by the part of an import
// that follows the version.
var standard = regexp.MustCompile(`^(?:jsr:@std/|https://deno\.land/std(?:@[\w.]+)?/)(path|fs|flags|cli)(?:@[\w.^~]+)?(/[\w/.-]+)?$`)

// packageFile returns the file that stands for a package; "" if golem has none.
func packageFile(spec string) string {
	switch name := strings.TrimPrefix(spec, "node:"); name {
	case "fs", "os", "path", "url", "process":
		return name + ".js"
	case "fs/promises":
		return "promises.js"
	}
	m := standard.FindStringSubmatch(spec)
	switch {
	case m == nil:
		return ""
	case m[1] == "path":
		return "path.js"
	case m[1] == "fs":
		return "stdfs.js"
	case m[1] == "flags" || strings.HasPrefix(m[2], "/parse-args") || strings.HasPrefix(m[2], "/parse_args"):
		return "flags.js"
	}
	return ""
}

// place gives a source what import.meta has in Node and Deno.
func place(name string, text []byte, first bool) []byte {
	text = bytes.ReplaceAll(text, []byte("import.meta.main"), []byte("("+strconv.FormatBool(first)+")"))
	text = bytes.ReplaceAll(text, []byte("import.meta.url"), []byte(quoted("file:///skill/"+name)))
	text = bytes.ReplaceAll(text, []byte("import.meta.filename"), []byte(quoted("/skill/"+name)))
	return bytes.ReplaceAll(text, []byte("import.meta.dirname"), []byte(quoted(path.Dir("/skill/"+name))))
}

// Host answers the calls of one running script. Its other calls are refused: a script of a skill
// has no tools.
type Host struct {
	files Files

	mu     sync.Mutex
	out    strings.Builder
	cut    bool
	exited bool
	code   int
}

var _ tool.Host = (*Host)(nil)

// NewHost returns the Host of a script of a skill with these files.
func NewHost(files Files) *Host { return &Host{files: files} }

// Taint does nothing: a script receives nothing from outside.
func (h *Host) Taint() {}

// Call answers output, exit and file.
func (h *Host) Call(_ context.Context, name string, args json.RawMessage) (tool.Output, error) {
	var in struct {
		Text string  `json:"text"`
		Code float64 `json:"code"`
		Name string  `json:"name"`
		Look bool    `json:"look"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Output{}, fault.New(fault.ToolInput, "a script called %s with other arguments than golem's own files do", fault.Quoted(name))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch name {
	case "output":
		h.print(in.Text)
		return tool.Output{}, nil
	case "exit":
		h.exited, h.code = true, int(in.Code)
		return tool.Output{}, nil
	case "file":
		return h.file(path.Clean(in.Name), in.Look)
	}
	return tool.Output{}, fault.New(fault.NotAllowed, "a script of a skill called %s, and such scripts have no tools", fault.Quoted(name)).
		Hinting("let the script print what is to be done, and the worker do it")
}

func (h *Host) print(text string) {
	if room := maxOutput - h.out.Len(); len(text) > room {
		text, h.cut = strings.ToValidUTF8(text[:room], ""), true
	}
	h.out.WriteString(text)
}

// file answers a look at the skill's directory: {text, info, names} of a file or directory, or
// {missing: true}.
func (h *Host) file(name string, look bool) (tool.Output, error) {
	type info struct {
		Kind string `json:"kind"`
		Size int    `json:"size"`
	}
	answer := map[string]any{}
	below := h.namesIn(name)
	switch data, err := h.files.File(name); {
	case len(below) > 0 || name == ".":
		answer["info"], answer["names"] = info{Kind: "directory"}, below
	case err != nil:
		answer["missing"] = true
	case !look && !utf8.Valid(data):
		return tool.Output{}, fault.New(fault.ToolInput, "the file %s of the skill is not text, and scripts read only text there", name)
	default:
		if answer["info"] = (info{"file", len(data)}); !look {
			answer["text"] = string(data)
		}
	}
	data, err := json.Marshal(answer)
	return tool.Output{Text: string(data)}, err
}

// namesIn returns the names directly in a directory of the skill.
func (h *Host) namesIn(dir string) []string {
	var out []string
	for _, name := range h.files.Names() {
		rest := name
		if dir != "." {
			var in bool
			if rest, in = strings.CutPrefix(name, dir+"/"); !in {
				continue
			}
		}
		first, _, _ := strings.Cut(rest, "/")
		if !slices.Contains(out, first) {
			out = append(out, first)
		}
	}
	return out
}

// Result returns what the script printed and how it ended, for a model. err is the error of the
// module's call.
func (h *Host) Result(file string, err error) (tool.Output, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.out.String()
	if h.cut {
		text += fmt.Sprintf("\n[the output has more than %d bytes, and the rest is left out]\n", maxOutput)
	}
	if err != nil && !h.exited {
		f := *fault.Of(err, fault.Tool)
		if tail := strings.TrimSpace(text[max(0, len(text)-1000):]); tail != "" {
			f.Message += "\nBefore that the script printed: " + strings.ToValidUTF8(tail, "")
		}
		return tool.Output{}, &f
	}
	if h.code != 0 {
		text += fmt.Sprintf("\n[%s ended with exit code %d]\n", file, h.code)
	}
	if text == "" {
		text = "[the script printed nothing]\n"
	}
	return tool.Output{Text: text}, nil
}
