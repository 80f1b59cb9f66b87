package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/prompt"
)

// library returns a loader of the files in a map.
// load is prompt.Files with nothing but a function that loads.
type load func(name string) (prompt.Text, error)

func (l load) Load(name string) (prompt.Text, error) { return l(name) }

func (load) Places(string) []string { return nil }

func (load) Beside(string) string { return "" }

func library(files map[string]string) load {
	return func(name string) (prompt.Text, error) {
		source, ok := files[name]
		if !ok {
			return prompt.Text{}, fs.ErrNotExist
		}
		return prompt.Text{File: "templates/" + name, Source: source}, nil
	}
}

func render(source string, files map[string]string, names map[string]any) (string, error) {
	t := prompt.Template{Text: prompt.Text{File: "main.worker", Line: 5, Source: source}, Files: library(files)}
	return t.Render(context.Background(), names)
}

// S1-41..44, scenario 11: templates support these features.
func TestRender(t *testing.T) {
	files := map[string]string{
		"header.jinja":     "# {{ title }}\n",
		"base.jinja":       "<{% block body %}base{% endblock %}>{% include 'header.jinja' %}",
		"macros.jinja":     "{% macro item(x, mark='-') %}{{ mark }} {{ x }}\n{% endmacro %}",
		"locales/de.jinja": "Guten Tag",
		"PROCEDURE.md":     "1. {{ not rendered }}\n",
	}
	names := map[string]any{
		"title": "{{ evil }}", "locale": "de", "n": 3, "list": []any{"a", "b"}, "nothing": nil,
		"object": map[string]any{"b": 1, "a": []any{true, 1.5}},
	}
	for source, want := range map[string]string{
		"Hello {{ title }}":             "Hello {{ evil }}",
		"{% include 'header.jinja' %}x": "# {{ evil }}x",
		"{% extends 'base.jinja' %}{% block body %}own {{ super() }}{% endblock %}":                                                               "<own base># {{ evil }}",
		"{% include 'locales/' + locale + '.jinja' %}":                                                                                            "Guten Tag",
		"{% include ['missing', 'locales/de.jinja'] %}":                                                                                           "Guten Tag",
		"{% include 'missing' ignore missing %}.":                                                                                                 ".",
		"{% from 'macros.jinja' import item %}{{ item('x') }}{{ item(n, mark='*') }}":                                                             "- x\n* 3\n",
		"{% import 'macros.jinja' as m %}{{ m.item('x') }}":                                                                                       "- x\n",
		"{{ file('PROCEDURE.md') }}":                                                                                                              "1. {{ not rendered }}\n",
		"{% raw %}{{ x }}{% endraw %}":                                                                                                            "{{ x }}",
		"{% for x in list %}{{ loop.index }}{{ x|upper }}{% if not loop.last %}, {% endif %}{% endfor %}":                                         "1A, 2B",
		"{{ missing|default('d') }}{{ title is defined }}{{ other is defined }}":                                                                  "dTrueFalse",
		"{{ object|tojson }}":                                                                                                                     `{"a":[true,1.5],"b":1}`,
		"{{ n * 2 + 1 }}{{ 'ab' * 2 }}{{ [1] * 2 }}{{ 'a' ~ n }}":                                                                                 "7abab[1, 1]a3",
		"{% set ns = namespace(c=0) %}{% for x in range(4) %}{% set ns.c = ns.c + x %}{% endfor %}{{ ns.c }}":                                     "6",
		"{% for k, v in object|items %}{{ k }}={{ v }};{% endfor %}":                                                                              "a=[True, 1.5];b=1;",
		"{{ list|join('-') }}{{ list[0] }}{{ list[1:] }}{{ object.b }}":                                                                           `a-ba['b']1`,
		"{% set x %}a{{ n }}{% endset %}{{ x }}{% filter upper %}b{% endfilter %}":                                                                "a3B",
		"{{ 1 if n == 3 else 2 }}{{ 'a' in list }}{{ n in [1, 2] }}{{ 1 < n < 5 }}":                                                               "1TrueFalseTrue",
		"{# comment #}a{%- if true %} b{% endif -%}  c":                                                                                           "a bc",
		"{{ '%s is %d'|format('x', 3) }}{{ 'a\nb'|indent(2) }}{{ [3,1]|sort }}":                                                                   "x is 3a\n  b[1, 3]",
		"{{ 9007199254740993 + 0 }},{{ 3 ** 39 }},{{ 9223372036854775807 // 2 }},{{ -7 // 2 }},{{ 9007199254740993 * 3 - 1 }}":                    "9007199254740993,4052555153018976267,4611686018427387903,-4,27021597764222978",
		"{{ [9007199254740993, 0]|sum }},{{ '9223372036854775807'|int }},{{ -3|abs }},{{ -2.5|abs }},{{ 9223372036854775807 + 1.0 }}":             "9007199254740993,9223372036854775807,3,2.5,9.223372036854776e+18",
		"{{ -9223372036854775807 - 1 }},{{ 2 ** -1 }},{{ 7 % -3 }},{{ 1 ** 9223372036854775807 }},{{ '2.9'|int }},{{ 'a' + 'b' }},{{ -(2 - 5) }}": "-9223372036854775808,0.5,-2,1,2,ab,3",
		"{{ dict(a=1).a }}{{ nothing is none }}":                                                                                                  "1True",
		"a\n\n":                                                                                                                                   "a\n",
	} {
		got, err := render(source, files, names)
		if err != nil {
			t.Errorf("%s: %v", source, err)
		} else if got != want {
			t.Errorf("%s\n got %q\nwant %q", source, got, want)
		}
	}
}

// Every fault has the code, the file and the line, and shows the line.
func TestTemplateFaults(t *testing.T) {
	files := map[string]string{
		"broken.jinja": "one\n{% if %}\n",
		"uses.jinja":   "one\ntwo\n{{ missing.field }}",
		"self.jinja":   "{% include 'self.jinja' %}",
	}
	for source, want := range map[string]string{
		"a\n{{ titel }}":                  "main.worker:6:4: E_TEMPLATE: titel is not defined (in: {{ titel }}; where it may be missing, write titel|default(\"\"))",
		"{{ a.b }}":                       "main.worker:5:4: E_TEMPLATE: a.b is not defined (in: {{ a.b }})",
		"{% for x in nix %}{% endfor %}":  "main.worker:5:4: E_TEMPLATE: a name here is not defined (in: {% for x in nix %}{% endfor %})",
		"{% include 'nix.jinja' %}":       "main.worker:5:4: E_TEMPLATE: there is no template nix.jinja (in: {% include 'nix.jinja' %})",
		"x\n{% include 'broken.jinja' %}": "templates/broken.jinja:2: E_TEMPLATE: syntax: unexpected end of block (in: {% if %})",
		"{% include 'uses.jinja' %}":      "templates/uses.jinja:3:4: E_TEMPLATE: missing.field is not defined (in: {{ missing.field }})",
		"{{ 1|nix }}":                     "main.worker:5:6: E_TEMPLATE: there is no filter nix (in: {{ 1|nix }})",
		"{{ 1 is nix }}":                  "main.worker:5:9: E_TEMPLATE: there is no test nix (in: {{ 1 is nix }})",
		"{{ nix() }}":                     "main.worker:5:4: E_TEMPLATE: nix() is not a function or macro (in: {{ nix() }})",
		"{{ file('nix.md') }}":            `main.worker:5:4: E_TEMPLATE: there is no file nix.md (in: {{ file('nix.md') }})`,
		"{% include 'self.jinja' %}":      "main.worker:5: E_TEMPLATE: templates, macros or loops are in each other more than 64 deep, or fewer that have deep expressions",
		"{% if %}":                        "main.worker:5: E_TEMPLATE: syntax: unexpected end of block (in: {% if %})",
		"a\n{# open\nb\n":                 "main.worker:6: E_TEMPLATE: syntax: unexpected end of comment (in: {# open)",
		"a\nb {{ 1 ! 2 }}\n":              "main.worker:6: E_TEMPLATE: syntax: unexpected character '!' (in: b {{ 1 ! 2 }})",
		"{{ 1 / 0 }}":                     "main.worker:5:4: E_TEMPLATE: division by zero (in: {{ 1 / 0 }})",
		"{{ self }}":                      "main.worker:5:4: E_TEMPLATE: self and its blocks have no text; they are called: {{ self.NAME() }} (in: {{ self }})",
		"{{ self.b|string }}":             "main.worker:5:11: E_TEMPLATE: self and its blocks have no text; they are called: {{ self.NAME() }} (in: {{ self.b|string }})",
		"{{ 'a'.upper() }}":               "main.worker:5:7: E_TEMPLATE: .upper() is not a function or macro: values have no methods, so write a filter, such as x|upper or x|items (in: {{ 'a'.upper() }})",
		"{{ debug() }}":                   "main.worker:5:4: E_TEMPLATE: debug() is not a function or macro (in: {{ debug() }})",
	} {
		_, err := render(source, files, nil)
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", source, err, want)
		}
	}
}

// A whole number of more than 64 bits ends the template; it never changes its sign.
func TestWholeNumbersDoNotOverflow(t *testing.T) {
	for _, source := range []string{
		"9223372036854775807 + 1", "-9223372036854775807 - 2", "-1 * (-9223372036854775807 - 1)", "(-9223372036854775807 - 1) * -1", "3037000500 * 3037000500", "-2 ** 64", "9223372036854775807 * 2", "2 ** 63", "3 ** 1000000000000",
		"(-9223372036854775807 - 1) // -1", "-(-9223372036854775807 - 1)", "(-9223372036854775807 - 1)|abs",
		"[9223372036854775807, 1]|sum", "[1]|sum(start=9223372036854775807)", "'9223372036854775808'|int", "1e300|int", "'-1e300'|int",
	} {
		if out, err := render("{{ "+source+" }}", nil, nil); !errors.Is(err, fault.Template) || !strings.Contains(err.Error(), "9223372036854775807") {
			t.Errorf("%s: %q %v", source, out, err)
		}
	}
	for source, want := range map[string]string{"-1e300|abs > 1e299": "True", "1e300 % 7 < 7": "True", "(-2) ** 63": "-9223372036854775808", "(-1) ** 9223372036854775807": "-1", "0 ** 0": "1", "(-1) ** 4": "1", "7 // -2": "-4", "-8 // 2": "-4", "0 * -5": "0",
		"9223372036854775807 % 10": "7", "(-9223372036854775807 - 1) % -1": "0", "-9223372036854775807 % 10": "3", "2.0 ** 63 > 0": "True", "9223372036854775807 % 1e300 > 0": "True", "2.0 ** 3": "8.0"} {
		if out, err := render("{{ "+source+" }}", nil, nil); out != want || err != nil {
			t.Errorf("%s: %q %v", source, out, err)
		}
	}
}

// As in Jinja2, x is y * (x // y) + x % y, whatever the signs are.
func TestRemaindersOfNegativeNumbers(t *testing.T) {
	const source = "{% for x in [7, -7, 7.5, -7.5] %}{% for y in [3, -3] %}{{ x // y }} {{ x % y }}{% if x != y * (x // y) + x % y %}!{% endif %},{% endfor %}{% endfor %}"
	const want = "2 1,-3 -2,-3 2,2 -1,2.0 1.5,-3.0 -1.5,-3.0 1.5,2.0 -1.5,"
	if out, err := render(source, nil, nil); out != want || err != nil {
		t.Errorf("%q %v, want %q", out, err, want)
	}
}

// As in Jinja2 without autoescape: only what passes e or escape is HTML, and only once.
func TestEscape(t *testing.T) {
	names := map[string]any{"x": `<a href="b">'&'</a>`, "list": []any{"<", 1}}
	const escaped = "&lt;a href=&#34;b&#34;&gt;&#39;&amp;&#39;&lt;/a&gt;"
	for source, want := range map[string]string{
		"{{ x|e }}": escaped, "{{ x|escape }}": escaped, "{{ x|e|e }}": escaped, "{{ x|safe|e }}": `<a href="b">'&'</a>`, "{{ x|e|safe }}": escaped,
		"{{ x }}{{ x|safe }}": `<a href="b">'&'</a><a href="b">'&'</a>`, "{{ list|e }}": "[&#39;&lt;&#39;, 1]", "{{ 1|e }}{{ none|e }}": "1None",
		"{{ '<' ~ ('&'|e) }}": "<&amp;", "{% filter e %}<{{ '&' }}{% endfilter %}": "&lt;&amp;", "{{ list|map('e')|join('<') }}": "&lt;<1",
	} {
		if out, err := render(source, nil, names); out != want || err != nil {
			t.Errorf("%s: %q %v, want %q", source, out, err, want)
		}
	}
	if _, err := render("{{ missing|e }}", nil, nil); !errors.Is(err, fault.Template) {
		t.Errorf("an undefined name: %v", err)
	}
}

// An error of Load ends the rendering, even if the template ignores missing files.
func TestLoadRefuses(t *testing.T) {
	refused := fault.New(fault.Template, "no")
	tmpl := prompt.Template{Text: prompt.Text{File: "m", Source: "a{% include '../x' ignore missing %}{% include ['../x', 'y'] %}b"}, Files: load(func(string) (prompt.Text, error) { return prompt.Text{}, refused })}
	if out, err := tmpl.Render(context.Background(), nil); !errors.Is(err, fault.Template) || out != "" {
		t.Errorf("%q %v", out, err)
	}
}

// SPEC §4: a hostile template soon ends with an error and takes little memory. Without
// limits, each of these would take gigabytes or minutes, or end the process.
func TestHostileTemplates(t *testing.T) {
	double := strings.Repeat("{% set x = x ~ x %}", 40)
	files := map[string]string{
		"a": "{% extends 'b' %}", "b": "{% extends 'a' %}",
		"m":   "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}",
		"big": strings.Repeat("x", 200_000),
	}
	costly := []string{"many tags", "tags before a text", "tags in many files", "texts side by side"}
	tagged, coded := "", ""
	for i := range 40 {
		name := fmt.Sprint("tags", i)
		files[name] = strings.Repeat("{{1}}", 2000)
		tagged += "{% include '" + name + "' %}"
		name = fmt.Sprint("code", i)
		files[name] = "{% set x = [" + strings.Repeat("1,", 100_000) + "1] %}"
		coded += "{% include '" + name + "' %}"
	}
	deep := strings.Repeat("[", 400) + strings.Repeat("]", 400)
	for name, source := range map[string]string{
		"doubling text":       "{% set x = 'ab' %}" + double + "{{ x|length }}",
		"doubling sum":        "{% set x = 'ab' %}" + strings.ReplaceAll(double, "~", "+") + "{{ x|length }}",
		"doubling list":       "{% set x = [1] %}" + strings.ReplaceAll(double, "~", "+") + "{{ x|length }}",
		"doubling tree":       "{% set x = [1] %}" + strings.Repeat("{% set x = [x, x] %}", 60) + "{{ x }}",
		"doubling map":        "{% set x = {} %}" + strings.Repeat("{% set x = {'a': x, 'b': x} %}", 60) + "{{ x }}",
		"comparing trees":     "{% set x = [1] %}" + strings.Repeat("{% set x = [x, x] %}", 60) + "{{ x == x }}",
		"doubling capture":    "{% set x %}ab{% endset %}" + strings.Repeat("{% set x %}{{ x }}{{ x }}{% endset %}", 40) + "{{ x|length }}",
		"doubling argument":   "{% macro d(x) %}{{ x }}{{ x }}{% endmacro %}{% set ns = namespace(x='ab') %}{% for i in range(40) %}{% set ns.x = d(ns.x) %}{% endfor %}{{ ns.x|length }}",
		"repeated text":       "{{ ('x' * 1000000000)|length }}",
		"repeated text, left": "{{ (1000000000 * 'x')|length }}",
		"repeated list":       "{{ ([0] * 1000000000)|length }}",
		"repeated list, 2^62": "{{ ([0, 1] * 4611686018427387904)|length }}",
		"repeated twice":      "{{ ('x' * 1000 * 1000 * 1000)|length }}",
		"range":               "{{ range(1000000000)|length }}",
		"range, overflow":     "{{ range(-9000000000000000000, 9000000000000000000)|length }}",
		"indent":              "{{ 'a\nb'|indent(1000000000)|length }}",
		"indent, named":       "{{ 'a\nb'|indent(width=1000000000)|length }}",
		"tojson":              "{{ [1]|tojson(indent=1000000000)|length }}",
		"batch":               "{{ [1]|batch(1000000000, 0)|length }}",
		"slice":               "{{ [1]|slice(1000000000, 0)|length }}",
		"format":              "{{ '%1000000000d'|format(1)|length }}",
		"format, many":        "{{ ('%999d' * 10000)|format(1)|length }}",
		"replace":             "{{ ('a' * 10000)|replace('a', 'b' * 10000)|length }}",
		"replace, empty":      "{{ ('a' * 10000)|replace('', 'b' * 10000)|length }}",
		"groupby":             "{% set a = 'a.' * 50000 %}{{ range(10000)|groupby(a ~ a ~ a) }}",
		"groupby, default":    "{{ range(10000)|groupby('a', default='B' * 500000) }}",
		"map":                 "{% set a = 'a.' * 50000 %}{{ range(10000)|map(attribute=a)|list }}",
		"sort":                "{% set a = 'a.' * 50000 %}{{ range(10000)|sort(attribute=a) }}",
		"sum of lists":        "{{ (range(10000)|batch(1)|list + range(10000)|batch(1)|list)|sum([])|length }}",
		"join":                "{{ range(10000)|join('b' * 10000)|length }}",
		"map join":            "{{ range(10000)|map('string')|map('replace', '', 'b' * 1000)|join|length }}",
		"endless loop":        "{% for a in range(10000) %}{% for b in range(10000) %}{% endfor %}{% endfor %}",
		"loop that compares":  "{% set x = 'a' * 1000000 %}{% for a in range(10000) %}{% if x == x ~ '' %}{% endif %}{% endfor %}",
		"loop over itself":    "{% set x = 'a' * 500000 %}{% for a in range(1000) %}{% for b in x %}{% break %}{% endfor %}{% endfor %}",
		"loop that prints":    "{% for a in range(10000) %}{% include 'big' %}{% endfor %}",
		"loop that captures":  "{% set x %}{% for a in range(10000) %}{% include 'big' %}{% endfor %}{% endset %}",
		"macro in itself":     "{% from 'm' import f %}{{ f(1) }}",
		"recursive loop":      "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
		"block in itself":     "{% block b %}{{ self.b() }}{% endblock %}",
		"extends in a circle": "{% extends 'a' %}",
		"super in itself":     "{% block b %}{{ super() }}{% endblock %}",
		"caller in itself":    "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ m() }}{% endcall %}",
		"nested brackets":     "{{ " + deep + " }}",
		"nested blocks":       strings.Repeat("{% if 1 %}", 5000) + strings.Repeat("{% endif %}", 5000),
		"nested values":       "{% set ns = namespace(x=[]) %}{% for i in range(1000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}",
		"many names":          strings.Repeat("{% set a = 1 %}", 300),
		"many tags":           strings.Repeat("{%if x%}", 32_000),
		"tags before a text":  strings.Repeat("{{1}}", 5000) + strings.Repeat("{ abcdef", 28_000),
		"tags in many files":  tagged,
		"code in many files":  coded,
		"texts side by side":  "{{ " + strings.Repeat("'ab' ", 50_000) + "}}",
		"source":              strings.Repeat(" ", 300_000) + "{{ 1 }}",
		"slice step":          "{{ 'abc'[1::9223372036854775807] }}",
		"many filters":        "{{ 1" + strings.Repeat("|abs", 500) + " }}",
		"many sums":           "{{ 1" + strings.Repeat("+1", 60_000) + " }}",
		"many signs":          "{{ " + strings.Repeat("- ", 100_000) + "1 }}",
		"many nots":           "{{ " + strings.Repeat("not ", 60_000) + "1 }}",
		"many elses":          "{{ " + strings.Repeat("1 if 1 else ", 20_000) + "1 }}",
		"many elifs":          "{% if 0 %}" + strings.Repeat("{% elif 0 %}", 3000) + "{% endif %}",
		"brackets of a loop":  "{% for " + strings.Repeat("(", 200_000) + "a in 1 %}{% endfor %}",
		"macro that is deep":  "{% macro m(n) %}{{ 1 if n < 1 else m(n-1)" + strings.Repeat("|upper", 390) + " }}{% endmacro %}{{ m(60) }}",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := render(source, files, map[string]any{"n": 1})
			var f *fault.Fault
			if !errors.As(err, &f) || f.Code != fault.Template || f.Where == nil {
				t.Errorf("%d bytes, %v", len(out), err)
			}
			if slices.Contains(costly, name) && !strings.Contains(err.Error(), "too many tags") {
				t.Errorf("it is parsed: %v", err)
			}
		})
	}
	for _, source := range []string{tagged, coded} {
		if faults := (prompt.Template{Text: prompt.Text{Source: source}, Files: library(files)}).Check(t.Context()); len(faults) == 0 {
			t.Error("golem check reads templates without end")
		}
	}
	wrong := prompt.Template{Text: prompt.Text{Source: strings.Repeat("{{ 1"+strings.Repeat("|no", 300)+" }}", 3)}}.Check(t.Context())
	if len(wrong) != 100 {
		t.Errorf("%d faults of one template", len(wrong))
	}
	stopped, stop := context.WithCancel(t.Context())
	ended := prompt.Template{Text: prompt.Text{Source: tagged}, Files: load(func(string) (prompt.Text, error) { stop(); return prompt.Text{}, nil })}.Check(stopped)
	if len(ended) != 1 || !errors.Is(ended[0], fault.Interrupted) {
		t.Errorf("a check that is stopped: %v", ended)
	}
	large := strings.Repeat(strings.Repeat("Words of a text. ", 10)+"{% if n %}{{ n }}{% endif %}\n", 500)
	if out, err := render(large, nil, map[string]any{"n": 1}); err != nil || len(out) < 80_000 {
		t.Errorf("a large template with 1500 tags: %d bytes, %v", len(out), err)
	}
	loop := "{% set ns = namespace(x=1) %}{% set ns.x = ns %}{{ ns }}{{ [ns] }}{{ ns == ns }}"
	if out, err := render(loop, nil, nil); err != nil || len(out) > 100 {
		t.Errorf("a namespace in itself: %q %v", out, err)
	}
}

// A value is never rendered as a template, and any template gives a bounded text or a
// fault with a place.
func FuzzRender(f *testing.F) {
	for _, s := range []string{"{{ a }}", "{% for x in a %}{{ x }}{% endfor %}", "{% set x = a ~ a %}{{ x*3 }}", "{{ file('f') }}{% include 'f' %}", "{{ a[1:2]|map('upper') }}"} {
		f.Add(s, "v")
	}
	f.Fuzz(func(t *testing.T, source, v string) {
		out, err := render(source, map[string]string{"f": "f"}, map[string]any{"a": v})
		var one *fault.Fault
		if err != nil && (!errors.As(err, &one) || one.Where == nil) {
			t.Errorf("%v", err)
		}
		if len(out) > 2<<20 {
			t.Error(fmt.Sprint(len(out), " bytes"))
		}
	})
}

// SPEC §4: the input is data. What looks like a template in a value stays as it is, also in a
// value that passes through other tags.
func TestValuesAreNotRendered(t *testing.T) {
	for _, value := range []string{"{{ 6*7 }}", "{% include 'secret' %}", "{{ file('secret') }}", "{# gone #}x", "{% raw %}{{ a }}{% endraw %}"} {
		for source, want := range map[string]string{
			"{{ a }}":                                         value,
			"{% set b = a ~ a %}{{ b }}":                      value + value,
			"{% for x in [a] %}{{ x }}{% endfor %}":           value,
			"{% macro f(x) %}{{ x }}{% endmacro %}{{ f(a) }}": value,
		} {
			out, err := render(source, map[string]string{"secret": "the secret"}, map[string]any{"a": value})
			if err != nil || out != want {
				t.Errorf("%s with %s: %q, %v", source, value, out, err)
			}
		}
	}
}
