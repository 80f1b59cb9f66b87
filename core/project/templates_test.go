package project

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
)

// SPEC §4: which instructions are a template, and where they begin.
func TestTemplatesAreKnown(t *testing.T) {
	for file, want := range map[string]string{
		"---\n---\na\n b {{ x }}":              "main.worker:3",
		"---\ntemplate: true\n---\na":          "main.worker:4",
		"instructions: |\n  a\n  {# c #}":      "main.worker:2",
		"instructions: a {% if %}":             "main.worker:1",
		"---\ntemplate: false\n---\na {{ x }}": "",
		"---\n---\na { { x } } %} }}":          "",
	} {
		w, err := entryOf(demo("-- main.worker --\n" + file + "¶\n"))
		if err != nil || w.Template != (want != "") || w.Template && fmt.Sprintf("%s:%d", w.TextFile, w.TextLine) != want {
			t.Errorf("%q: %v %+v, want %s", file, err, w, want)
		}
	}
	w, err := open(t, demo("-- workers/p.yaml --\nmode: chat\n-- prompts/p.md --\na\n{{ file(\"x\") }}\n")).Workers.Find("p")
	if err != nil || !w.Template || w.TextFile != "prompts/p.md" || w.TextLine != 1 {
		t.Errorf("%v %+v", err, w)
	}
}

// SPEC §4, scenario 11: the loader chain, and the files that no name of a template can
// reach.
func TestLoaderChain(t *testing.T) {
	p := open(t, demo(`
-- project.yaml --
vars: {a: 1, b: {c: x}}
-- workers/w/worker.worker --
---
vars: {b: {d: [1]}}
---
{{ x }}
-- workers/w/templates/own.jinja --
own templates
-- workers/w/beside.md --
beside
-- workers/w/.env --
KEY=1
-- workers/w/both.j2 --
both, beside
-- workers/v.worker --
---
---
v {{ x }}
-- prompts/both.j2 --
both, prompts
-- prompts/p.md --
p
-- templates/both.j2 --
both, templates
-- templates/sub/t.jinja --
t
-- templates/t.jinja2 --
t2
-- templates/t.j2 --
t3
-- secret.md --
no
`))
	for worker, texts := range map[string]map[string]string{
		"w": {"own": "own templates", "own.jinja": "own templates", "beside.md": "beside", "both": "both, beside", "p.md": "p", "sub/t": "t", "t": "t2", "secret.md": "", "templates/own.jinja": "own templates"},
		"v": {"both.j2": "both, prompts", "own": "", "beside.md": "", "nix": ""},
	} {
		w, err := p.Workers.Find(worker)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range texts {
			file, got, err := p.Templates.Text(w, name)
			if want == "" && !errors.Is(err, fs.ErrNotExist) || want != "" && (err != nil || strings.TrimSpace(got) != want) {
				t.Errorf("%s: %s: %q in %q, %v", worker, name, got, file, err)
			}
		}
		for _, name := range []string{"../main.worker", "/etc/passwd", "a/../../b", "", ".", "a//b", "./own", "a\\b", "C:x", "a\x00", ".env", "x/.git/config", ".ENV", "GIT~1"} {
			if _, _, err := p.Templates.Text(w, name); !errors.Is(err, fault.Template) {
				t.Errorf("%s: %q: %v", worker, name, err)
			}
		}
	}
	w, _ := p.Workers.Find("w")
	if got, want := string(w.Vars), `{"a":1,"b":{"c":"x","d":[1]}}`; got != want {
		t.Errorf("vars %s, want %s", got, want)
	}
}
