//go:build !js

package prompt

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/project"
)

// checked returns the faults of the templates of a worker with a front matter and a
// body.
func checked(t *testing.T, front, body string) string {
	t.Helper()
	p, err := project.Load(project.Setup{FS: fstest.MapFS{
		"main.worker":             {Data: []byte("---\n" + front + "\n---\n" + body)},
		"templates/head.jinja":    {Data: []byte("é {{ nobody }}\n")},
		"templates/sets.jinja":    {Data: []byte("{% set mark = 1 %}{% macro item(x, y=2) %}{{ x }}{{ y }}{{ caller() }}{% endmacro %}{% block b %}{% endblock %}")},
		"templates/partial.jinja": {Data: []byte("{{ topic }}")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range InstructionsOf(p, w).Check(context.Background()) {
		out = append(out, f.Error())
	}
	return strings.Join(out, "\n")
}

const hintOf = " (declare it in input_schema or vars, or write {{ NAME|default(\"…\") }})"

// Check warns of names that no run can define, if the input schema lists all fields.
func TestUndefinedNamesAreFound(t *testing.T) {
	closed := "input_schema: {type: object, properties: {topic: {type: string}}}\nvars: {words: 3}"
	for body, want := range map[string]string{
		"{{ topic }} {{ input.topic }} {{ vars.words }} {{ worker.id }} {{ project.name }}": "",
		"a {{ topik }}": "main.worker:5:6: E_TEMPLATE: warning: topik is not defined" + strings.ReplaceAll(hintOf, "NAME", "topik"),
		"{{ topic }}\n{% if topic %}{{ vars.wrds }}{% endif %}": "main.worker:6:18: E_TEMPLATE: warning: vars.wrds is not defined" + strings.ReplaceAll(hintOf, "NAME", "vars.wrds"),
		"{{ input.topik }}":          "main.worker:5:4: E_TEMPLATE: warning: input.topik is not defined" + strings.ReplaceAll(hintOf, "NAME", "input.topik"),
		"{% include 'head.jinja' %}": "templates/head.jinja:1:6: E_TEMPLATE: warning: nobody is not defined" + strings.ReplaceAll(hintOf, "NAME", "nobody"),
		"{{ x|default('') }}{{ x }}{% if y is defined %}{{ y }}{% endif %}":                                                                      "",
		"{% set a, b = [1, 2] %}{% for k, v in {'x': a}|items %}{{ k }}{{ v }}{{ loop.index }}{% endfor %}{{ b }}":                               "",
		"{% from 'sets.jinja' import item as one %}{% import 'sets.jinja' as s %}{{ one('x') }}{{ s.mark }}{% with q = 1 %}{{ q }}{% endwith %}": "",
		"{% extends 'sets.jinja' %}{% block b %}{{ mark }}{% endblock %}":                                                                        "",
		"{% set t = 'partial.jinja' %}{% include t %}{{ what }}":                                                                                 "",
		"{% include 'partial.jinja' %}{{ range(3)|join }}{{ dict(a=1).a }}":                                                                      "",
	} {
		if got := checked(t, closed, body); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
	for _, open := range []string{
		"input_schema: {type: object}", "input_schema: {type: object, properties: {topic: {}}, additionalProperties: true}",
		"input_schema: {type: object, properties: {topic: {}}, anyOf: [{required: [topic]}]}", "input_schema: {type: string}",
	} {
		if got := checked(t, open, "{{ topik }}"); got != "" {
			t.Errorf("%s: %s", open, got)
		}
	}
	// The parts of vars, worker and project are known whatever the input is; without
	// input_schema the input is a text.
	for body, want := range map[string]string{
		"{{ vars.words }} {{ worker.name }} {{ project.version }} {{ input }}": "",
		"{{ vars.wrds }}":                            "vars.wrds is not defined",
		"{{ worker.model }}":                         "worker.model is not defined",
		"{{ project.model }}":                        "project.model is not defined",
		"{% set vars = {} %}{{ vars.x|default(1) }}": "",
	} {
		for _, front := range []string{"mode: single", "input_schema: {type: object}"} {
			if got := checked(t, front+"\nvars: {words: 3}", body); want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s, %s: %s, want %q", front, body, got, want)
			}
		}
	}
	for body, want := range map[string]string{"{{ input }}": "", "{{ topik }}": "topik is not defined", "{{ input.topik }}": "input.topik is not defined", "{{ topik|default('') }}": ""} {
		if got := checked(t, "mode: single", body); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", body, got, want)
		}
	}
	// A text that YAML indents has other columns than the file, so the fault has none.
	if got := checked(t, closed+"\ninstructions: |\n  a\n  {{ topik }}", ""); !strings.HasPrefix(got, "main.worker:6: E_TEMPLATE: warning: topik") {
		t.Error(got)
	}
}
