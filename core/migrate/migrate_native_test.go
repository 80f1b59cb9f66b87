//go:build !js

package migrate

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"golem/core/fault"
	"golem/core/project/check"
)

func treeOf(t *testing.T, text string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		out[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return out
}

// changed returns a project after its plan. It fails the test if a second plan has
// changes.
func changed(t *testing.T, files fstest.MapFS) (fstest.MapFS, *Plan) {
	t.Helper()
	plan, err := Make(Source{Files: files, Root: "/home/ada/club"})
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	for name, f := range files {
		out[name] = f
	}
	for _, c := range plan.Changes {
		out[c.File] = &fstest.MapFile{Data: c.After}
	}
	again, err := Make(Source{Files: out, Root: "/home/ada/club"})
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Changes) > 0 {
		t.Errorf("the second time, it changes again:\n%s", again.Diff())
	}
	return out, plan
}

// Each row is one worker file, before and after.
func TestFixes(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"keys in camelCase": {"maxContextTokens: 5 # all\nattachmentPolicy: {maxAttachments: 2}\n", "max_context_tokens: 5 # all\nattachment_policy: {max_attachments: 2}\n"},
		"a key twice":       {"maxContextTokens: 5\nmax_context_tokens: 6\n", "maxContextTokens: 5\nmax_context_tokens: 6\n"},
		"umlauts before":    {"limits: {tool_output: \"1 KB\"} # größte\n\"vars\": {größe: \"ä\"}\nmax-context-tokens: \"7\"\n", "limits: {tool_output: \"1 KB\"} # größte\n\"vars\": {größe: \"ä\"}\nmax_context_tokens: 7\n"},
		"CRLF":              {"model: openai/gpt-5\r\nmode: single\r\n", "model: openai:gpt-5\r\nmode: single\r\n"},
		"models in order":   {"model: [openai/gpt-5, claude-haiku-4-5, 'google-gla:gemini-2.5-flash', llama3, 'x:y']\n", "model: [openai:gpt-5, anthropic:claude-haiku-4-5, google:gemini-2.5-flash, llama3, 'x:y']\n"},
		"no model":          {"model:\nmode: single\n", "mode: single\n"},
		"nothing wrong":     {"model: openai:gpt-5\n# a comment\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n", "model: openai:gpt-5\n# a comment\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n"},
		"tabs":              {"toolsets:\n\tfilesystem:\n\t\tapproval: {default: ask}\n", "toolsets:\n  filesystem:\n    approval: {default: ask}\n"},
		"quotes":            {"description: one: two\nallow_workers: *\n", "description: 'one: two'\nallow_workers: '*'\n"},
		"half a repair":     {"description: one: two\nvars: {x: [}\n", "description: one: two\nvars: {x: [}\n"},
		"approval, stricter": {
			"toolsets:\n  filesystem:\n    approvalConfig: {default: preApproved, tools: {read_file: preApproved, delete_file: pre_approved}}\n",
			"toolsets:\n  filesystem:\n    approval: {default: ask, tools: {read_file: preApproved, delete_file: ask}}\n",
		},
		"no more network":     {"sandbox: {networkEnabled: true, readOnly: true}\n", "sandbox: {networkEnabled: true, readOnly: true}\n"},
		"less network":        {"sandbox: {networkEnabled: false}\n", "sandbox: {network_enabled: false}\n"},
		"no more than asked":  {"tool_rules: {write_file: {approvalRequired: false}}\nmaxContextTokens: 5\n", "tool_rules: {write_file: {approvalRequired: false}}\nmax_context_tokens: 5\n"},
		"asks":                {"tool_rules: {write_file: {approvalRequired: true}}\n", "tool_rules: {write_file: {approval_required: true}}\n"},
		"no recursion":        {"delegation: {allow_recursion: yes}\n", "delegation: {allow_recursion: yes}\n"},
		"delegation approves": {"toolsets:\n  delegation:\n    approval: {default: preApproved}\n", "toolsets:\n  delegation:\n    approval: {default: preApproved}\n"},
		"sandboxes in braces": {"sandboxes: {in: {path: ./in}}\n", "sandboxes: {in: {path: ./in}}\n"},
		"absolute":            {"sandbox: {root: /home/ada/club/in}\n", "sandbox: {root: ./in}\n"},
		"elsewhere":           {"sandbox: {root: /home/bob/club/in}\n", "sandbox: {root: /home/bob/club/in}\n"},
		"reading asks, writing does not": {
			"sandbox:\n  paths:\n    data:\n      root: ./data\n      read_approval: true\n      write_approval: false\n",
			"sandbox:\n  paths:\n    data:\n      root: ./data\n      approval: {read: ask}\n",
		},
		"writing asks, reading does not": {
			"sandbox:\n  paths:\n    data:\n      write_approval: true\n      root: ./data\n      read_approval: false\n",
			"sandbox:\n  paths:\n    data:\n      approval: {write: ask}\n      root: ./data\n",
		},
		"reading and writing ask": {
			"sandbox:\n  paths:\n    data:\n      root: ./data\n      write_approval: true\n      read_approval: true\n",
			"sandbox:\n  paths:\n    data:\n      root: ./data\n      approval: {read: ask, write: ask}\n",
		},
		"no more files for a module": {"toolsets: {custom: {Modules: {x: {fs: {data: rw}}}}}\n", "toolsets: {custom: {Modules: {x: {fs: {data: rw}}}}}\n"},
		"no more for commands":       {"toolsets: {shell: {Network: true, Read: [/usr]}}\n", "toolsets: {shell: {Network: true, Read: [/usr]}}\n"},
		"quotes in quotes":           {"\"maxContextTokens\": 5\n'compatibleModels': [\"a:*\"]\n", "max_context_tokens: 5\ncompatible_models: [\"a:*\"]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files, _ := changed(t, fstest.MapFS{"main.worker": {Data: []byte("---\n" + c.before + "---\nhi\n")}})
			if got := string(files["main.worker"].Data); got != "---\n"+c.after+"---\nhi\n" {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// A person is told that writing asks from now on.
// A file of tests gets its first key, if the place for it is plain.
func TestFilesOfTestsGetTheirForm(t *testing.T) {
	const flow = "{cases: [{name: a}]}\n"
	files := treeOf(t, "-- main.worker --\n---\n---\nSay.\n-- tests/a.yaml --\n# of a\ncases: [{name: a}]\n-- tests/sub/b.yml --\nworker: x\ncases: [{name: b}]\n"+
		"-- tests/flow.yaml --\n"+flow+"-- tests/notes.yaml --\na: b\n-- tests/bad.yaml --\ncases: [\n-- tests/recordings/c.yaml --\ncases: [{name: a}]\n-- tests/good.yaml --\ntest: 1\ncases: [{name: a}]\n")
	files["tests/crlf.yaml"] = &fstest.MapFile{Data: []byte("cases:\r\n  - name: a\r\n")}
	after, plan := changed(t, files)
	for name, want := range map[string]string{
		"tests/a.yaml": "# of a\ntest: 1\ncases: [{name: a}]\n", "tests/sub/b.yml": "test: 1\nworker: x\ncases: [{name: b}]\n",
		"tests/crlf.yaml": "test: 1\r\ncases:\r\n  - name: a\r\n", "tests/flow.yaml": flow,
	} {
		if got := string(after[name].Data); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if len(plan.Changes) != 3 || len(plan.Changes[0].Notes) != 1 {
		t.Errorf("%d files change: %s", len(plan.Changes), plan.Diff())
	}
}

func TestWritingAsksNow(t *testing.T) {
	_, plan := changed(t, fstest.MapFS{"main.worker": {Data: []byte("---\nsandbox:\n  paths:\n    data:\n      root: ./data\n      write_approval: false\n---\nhi\n")}})
	if len(plan.Left) != 1 || plan.Left[0].Line != 6 || !strings.Contains(plan.Left[0].Text, "now it asks") {
		t.Errorf("%+v", plan.Left)
	}
}

func TestTemplatesOfHandlebars(t *testing.T) {
	for before, after := range map[string]string{
		"{{#if a}}x{{else}}y{{/if}}":               "{% if a %}x{% else %}y{% endif %}",
		"{{#unless a.b}}x{{/unless}}{{! note }}":   "{% if not a.b %}x{% endif %}{# note #}",
		"{{#each xs}}{{this.name}} {{/each}}":      "{% for this in xs %}{{this.name}} {% endfor %}",
		"{{#each xs}}{{name}}{{/each}}":            "{{#each xs}}{{name}}{{/each}}",
		"{{#each xs}}{{@index}}{{/each}}":          "{{#each xs}}{{@index}}{{/each}}",
		"{{{a}}} {{#if b}}{{> parts/head}}{{/if}}": "{{ a }} {% if b %}{% include 'parts/head' %}{% endif %}",
		"{{#if a}}x":                     "{{#if a}}x",
		"{{#if a}}x{{/if}}{% set b %}":   "{{#if a}}x{{/if}}{% set b %}",
		"{{ a }} {% if b %}c{% endif %}": "{{ a }} {% if b %}c{% endif %}",
	} {
		files, plan := changed(t, fstest.MapFS{"main.worker": {Data: []byte("---\nmode: single\n---\n" + before)}})
		if got := string(files["main.worker"].Data); got != "---\nmode: single\n---\n"+after {
			t.Errorf("%s: %s", before, got)
		}
		if before == after && !parses(before) && len(plan.Left) != 1 {
			t.Errorf("%s: %v", before, plan.Left)
		}
	}
	raw := "---\ntemplate: false\n---\n{{#if a}}x{{/if}}"
	if files, _ := changed(t, fstest.MapFS{"main.worker": {Data: []byte(raw)}}); string(files["main.worker"].Data) != raw {
		t.Errorf("a text that is no template: %s", files["main.worker"].Data)
	}
}

// diskful is a file system that cannot write one of its files.
type diskful struct {
	fstest.MapFS
	bad string
}

func (d diskful) WriteFile(name string, data []byte) error {
	if name == d.bad {
		return fs.ErrPermission
	}
	d.MapFS[name] = &fstest.MapFile{Data: data}
	return nil
}

func TestAllFilesOrNone(t *testing.T) {
	text := "-- main.worker --\n---\nmaxContextTokens: 5\n---\nhi\n-- workers/a.worker --\n---\nlocked: true\n---\nhi\n"
	plan, err := Make(Source{Files: treeOf(t, text)})
	if err != nil || len(plan.Changes) != 2 {
		t.Fatal(plan, err)
	}
	disk := diskful{treeOf(t, text), "workers/a.worker"}
	if err := plan.Write(disk); err == nil {
		t.Error("no error")
	}
	for name, f := range treeOf(t, text) {
		if !bytes.Equal(disk.MapFS[name].Data, f.Data) {
			t.Errorf("%s: %s", name, disk.MapFS[name].Data)
		}
	}
	disk = diskful{treeOf(t, text), ""}
	disk.MapFS["workers/a.worker"].Data = []byte("---\nlocked: false\n---\nhi\n")
	if f := fault.Of(plan.Write(disk), fault.Config); f.Code != fault.Conflict || !strings.Contains(string(disk.MapFS["main.worker"].Data), "maxContextTokens") {
		t.Errorf("%v: %s", f, disk.MapFS["main.worker"].Data)
	}
	if err := plan.Write(diskful{treeOf(t, text), ""}); err != nil {
		t.Error(err)
	}
}

// errorsOf returns the number of errors that check finds, and the number of settings
// that let a call run without asking.
func errorsOf(t *testing.T, files fs.FS) (wrong int, free int) {
	t.Helper()
	p, _ := Source{}.load(files)
	if p == nil {
		t.Fatal("no project")
	}
	for _, f := range check.Project(p, "", nil) {
		if f.Severity == fault.Error {
			wrong++
		}
	}
	rows, _ := p.Workers.List()
	for _, row := range rows {
		w, err := p.Workers.Find("./" + row.Path)
		if err != nil {
			continue
		}
		data, err := json.Marshal(w.Policy)
		if err != nil {
			t.Fatal(err)
		}
		free += strings.Count(string(data), "preApproved")
	}
	return wrong, free
}

// FuzzFix checks that after a plan there is nothing more to plan, and that a plan never
// makes a faultless project faulty, never changes a worker that golem could read, and
// never lets more run without asking than the files said in any spelling.
func FuzzFix(f *testing.F) {
	scripts, err := filepath.Glob("../../cmd/cli/testdata/script/migrate_*.txtar")
	if err != nil || len(scripts) < 5 {
		f.Fatal(scripts, err)
	}
	for _, name := range scripts {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if strings.HasPrefix(file.Name, "p/") {
				f.Add(file.Data, []byte("model: a:b\n"))
			}
		}
	}
	f.Add([]byte("---\nsandboxes:\n  a:\n    path: .\n  b: {path: x}\n---\n"), []byte("workerPaths: [workers]\nmodel: openai/x\nsandbox: {root: 'in\\a'}\n"))
	f.Add([]byte("---\n# c\ntoolsets: # d\n  sandbox:\n    paths:\n\n      a: {root: a}\n# e\n  custom:\n    x: {}\nlocked: |\n  a\n---\n"), []byte("a: b: c"))
	f.Fuzz(func(t *testing.T, worker, manifest []byte) {
		if len(worker) > 4000 || len(manifest) > 1000 {
			return
		}
		files := fstest.MapFS{
			"main.worker": {Data: worker}, "project.yaml": {Data: manifest}, "workers/other.yaml": {Data: worker},
			"workers/forecaster.worker": {Data: []byte("---\nname: forecaster\n---\nx\n")}, "tools.wasm": {}, "in/a/b": {},
		}
		after, plan := changed(t, files)
		wrong, _ := errorsOf(t, files)
		still, free := errorsOf(t, after)
		if wrong == 0 && still > 0 {
			t.Errorf("%d faults after:\n%s", still, plan.Diff())
		}
		said := 0
		for _, f := range files {
			text := strings.ToLower(string(f.Data))
			said += 40 * (strings.Count(text, "preapproved") + strings.Count(text, "pre_approved") + strings.Count(text, "required"))
		}
		if free > said {
			t.Errorf("%d settings approve without asking:\n%s", free, plan.Diff())
		}
		for _, c := range plan.Changes {
			if bytes.Equal(c.Before, c.After) || len(c.Notes) == 0 {
				t.Errorf("a change of nothing: %v", c.Notes)
			}
		}
	})
}
