// Package coretest has test cases for runs, which every platform can play: a project, its
// script, a person's answers and the expected outcome (docs/internal/scenarios.md). A case is a txtar
// archive in cases/:
//
//	one line that says what the case proves
//	Scenario: 18
//	wasm: tools/a.wasm = add_v1    a fixture of testdata/tools with its description
//	bare: tools/a.wasm = add_v1    the same without one
//	git: history             the .git of testdata/git/history.zip
//	lib: utils@1.0/tools/a.wasm = add_v1    the same as wasm, in libs/
//	-- case.json --          Settings: inputs, answers, flags
//	-- project/main.worker --   the project's files
//	-- libs/utils@1.0/lib.yaml --   the files of installed libraries
//	-- outside/a.pdf --      files outside the project, for --attach
//	-- replies/1 --          the provider's answer to the first model request
//	-- site/a.html --        the answer of http://127.0.0.1:1/a.html, in the form of a reply
//	-- mcp/NAME.json --      an MCP server (mcptest.Server), at https://NAME.example or as a command
//	-- want/output --        the final answer, or "! " and the fault
//	-- want/trace --         the normalised trace, one event per line
//	-- want/requests --      the messages of each worker run at its end
//	-- want/sent --          the bodies of the model requests, one per line
//	-- want/faults --        for check, or if the project cannot be opened
//	-- want/files/a --       a file of the project afterwards
//
// Cases, Run and Compare do not use the operating system, so that the tests of the page
// can play the same cases (scenario 40).
package coretest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"golem/core/state"
)

//go:embed cases/*.txtar
var archives embed.FS

// Case is one parsed archive. It never changes, and can be run any number of
// times.
type Case struct {
	Name      string // file name without suffix
	Proves    string // the first line of the archive's comment: what the case proves
	Scenarios []int
	Settings  Settings
	Project   map[string][]byte // by path from the project root
	Libs      map[string][]byte // by path below the directory of libraries
	Outside   map[string][]byte // by base name
	Home      map[string][]byte // by path below $GOLEM_HOME/tools
	Replies   []Reply           // answers of a provider, in order
	Site      map[string]Reply  // answers of a web server, by path and query
	Servers   map[string][]byte // MCP servers by name, as scripts of mcptest
	Want      map[string][]byte // by path below want/

	state  *state.Store // golem's state; nil: a new one for each run
	resume *string      // the conversation to resume; nil: a new one
}

// Cases returns every embedded case, ordered by name. If an archive cannot be
// parsed, the error names it.
func Cases() ([]Case, error) {
	entries, err := fs.ReadDir(archives, "cases")
	if err != nil {
		return nil, fmt.Errorf("the embedded cases: %w", err)
	}
	var out []Case
	for _, e := range entries {
		data, err := fs.ReadFile(archives, "cases/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		c, err := Parse(strings.TrimSuffix(e.Name(), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, c)
	}
	return out, nil
}

// Parse parses one archive. Names outside the known folders and unknown
// settings are errors.
func Parse(name string, data []byte) (Case, error) {
	a := txtar.Parse(data)
	c := Case{Name: name, Project: map[string][]byte{}, Libs: map[string][]byte{}, Outside: map[string][]byte{}, Home: map[string][]byte{}, Want: map[string][]byte{}, Site: map[string]Reply{}, Servers: map[string][]byte{}}
	if err := c.comment(string(a.Comment)); err != nil {
		return c, err
	}
	for _, f := range a.Files {
		if err := c.file(f); err != nil {
			return c, err
		}
	}
	if c.Settings.Model == "" {
		c.Settings.Model = "script:script.yaml"
	}
	if len(c.Project) == 0 {
		return c, fmt.Errorf("no project/ files")
	}
	return c, nil
}

// comment reads what the case proves and the scenarios it covers.
func (c *Case) comment(text string) error {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	c.Proves = lines[0]
	if c.Proves == "" || strings.HasPrefix(c.Proves, "Scenario") {
		return fmt.Errorf("the comment must begin with what the case proves")
	}
	for _, line := range lines[1:] {
		list, ok := strings.CutPrefix(line, "Scenario: ")
		if !ok {
			if err := c.fixture(line); err != nil {
				return err
			}
			continue
		}
		for _, n := range strings.Fields(list) {
			v, err := strconv.Atoi(n)
			if err != nil {
				return fmt.Errorf("scenario %q is not a number", n)
			}
			c.Scenarios = append(c.Scenarios, v)
		}
	}
	return nil
}

func (c *Case) file(f txtar.File) error {
	if !fs.ValidPath(f.Name) {
		return fmt.Errorf("the name %q is not valid", f.Name)
	}
	if f.Name == "case.json" {
		d := json.NewDecoder(bytes.NewReader(f.Data))
		d.DisallowUnknownFields()
		if err := d.Decode(&c.Settings); err != nil {
			return fmt.Errorf("case.json: %w", err)
		}
		return nil
	}
	top, rest, _ := strings.Cut(f.Name, "/")
	data := c.decode(rest, f.Data)
	switch {
	case top == "project" && rest != "":
		c.Project[rest] = data
	case top == "libs" && rest != "":
		c.Libs[rest] = data
	case top == "outside" && rest != "":
		c.Outside[path.Base(rest)] = data
	case top == "replies" && rest == strconv.Itoa(len(c.Replies)+1):
		reply, err := parseReply(f.Data)
		c.Replies = append(c.Replies, reply)
		return err
	case top == "site" && rest != "":
		reply, err := parseReply(f.Data)
		c.Site[rest] = reply
		return err
	case top == "mcp" && path.Ext(rest) == ".json":
		c.Servers[strings.TrimSuffix(rest, ".json")] = data
	case top == "want" && wanted(rest):
		c.Want[rest] = f.Data
	default:
		return fmt.Errorf("%s is in none of project/, libs/, outside/, replies/ (in order), site/, mcp/ and want/", f.Name)
	}
	return nil
}

func wanted(rest string) bool {
	return slices.Contains([]string{"output", "trace", "requests", "sent", "faults", "config"}, rest) || strings.HasPrefix(rest, "files/")
}

// decode returns the real content of a file that an archive cannot hold unchanged: see
// Settings.Quoted and Settings.Bare.
func (c *Case) decode(name string, data []byte) []byte {
	if slices.Contains(c.Settings.Quoted, name) {
		if s, err := strconv.Unquote(strings.TrimSpace(string(data))); err == nil {
			return []byte(s)
		}
	}
	if slices.Contains(c.Settings.Bare, name) {
		return bytes.TrimSuffix(data, []byte("\n"))
	}
	return data
}
