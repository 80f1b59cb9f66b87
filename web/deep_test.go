//go:build !js

package web_test

import (
	"testing"
)

// TestDeepNesting tests that very deeply nested input gives an error. The stack of a web
// worker is a megabyte: otherwise the engine would end golem, and the page, which opens its
// last project at its start, would end it again and again.
func TestDeepNesting(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	const worker, template, script = `'---\nmodel: script:s.yaml\n' + deep + '\n---\nhi\n'`, `'---\nmodel: script:s.yaml\n---\n' + deep + '\n'`, `'---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nhi\n'`
	for _, c := range []struct{ name, deep, worker, want string }{
		{"yaml lists", `'x: ' + '['.repeat(9000) + ']'.repeat(9000)`, worker, "E_CONFIG"},
		{"yaml lists, open", `'x: ' + '['.repeat(30000)`, worker, "E_CONFIG"},
		{"yaml mappings", `'x: ' + '{a: '.repeat(8000) + '}'.repeat(8000)`, worker, "E_CONFIG"},
		{"yaml items", `'x: \n  ' + '- '.repeat(9000) + 'a'`, worker, "E_CONFIG"},
		{"yaml keys", `'x: \n  ' + '? '.repeat(9000) + 'a'`, worker, "E_CONFIG"},
		{"script", `'['.repeat(9000) + ']'.repeat(9000)`, script, "E_CONFIG"},
		{"filters", `'{{ 1' + '|abs'.repeat(390) + ' }}'`, template, "ok"},
		{"filters, more", `'{{ 1' + '|abs'.repeat(50000) + ' }}'`, template, "E_TEMPLATE"},
		{"sums", `'{{ 1' + '+1'.repeat(390) + ' }}'`, template, "ok"},
		{"sums, more", `'{{ 1' + '+1'.repeat(50000) + ' }}'`, template, "E_TEMPLATE"},
		{"signs", `'{{ ' + '-'.repeat(900) + '1 }}'`, template, "E_TEMPLATE"},
		{"signs, more", `'{{ ' + '- '.repeat(50000) + '1 }}'`, template, "E_TEMPLATE"},
		{"not", `'{{ ' + 'not '.repeat(900) + '1 }}'`, template, "E_TEMPLATE"},
		{"not, more", `'{{ ' + 'not '.repeat(50000) + '1 }}'`, template, "E_TEMPLATE"},
		{"else", `'{{ ' + '1 if 1 else '.repeat(900) + '1 }}'`, template, "E_TEMPLATE"},
		{"else, more", `'{{ ' + '1 if 1 else '.repeat(20000) + '1 }}'`, template, "E_TEMPLATE"},
		{"elif", `'{% if 0 %}' + '{% elif 0 %}'.repeat(900) + '{% endif %}'`, template, "E_TEMPLATE"},
		{"elif, more", `'{% if 0 %}' + '{% elif 0 %}'.repeat(5000) + '{% endif %}'`, template, "E_TEMPLATE"},
		{"targets", `'{% for ' + '('.repeat(50000) + 'a in 1 %}{% endfor %}'`, template, "E_TEMPLATE"},
		{"macro with filters", `'{% macro m(n) %}{{ 1 if n<1 else m(n-1)' + '|upper'.repeat(390) + ' }}{% endmacro %}{{ m(60) }}'`, template, "E_TEMPLATE"},
		{"macro with sums", `'{% macro m(n) %}{{ 1 if n<1 else m(n-1)' + '+1'.repeat(390) + ' }}{% endmacro %}{{ m(60) }}'`, template, "E_TEMPLATE"},
	} {
		if got := talk(p, `const deep = %s; await golem.create('a', {'main.worker': %s, 's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: read_file, args: {path: ' + (%q === 'script' ? deep : 'x') + '}}]\n    - say: done\n'});
			const found = (await golem.check('a')).filter((f) => f.severity === 'error');
			const ran = await golem.run('a', 'x').result.then((r) => r.error?.code ?? r.status, (e) => e.code); await golem.remove('a');
			return [...new Set([...found.map((f) => f.code), ran])]`, c.deep, c.worker, c.name); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
