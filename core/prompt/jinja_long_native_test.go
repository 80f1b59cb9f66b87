//go:build long

package prompt_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"golem/bench/suites"
)

// TestLongJinja renders generated templates with golem and with Jinja2 itself. Both must print
// the same, or both must fail; apart from what differences lists.
func TestLongJinja(t *testing.T) {
	const count = 4000
	g := generator{rand.New(rand.NewPCG(1, 2))}
	var sources []string
	for range count {
		sources = append(sources, g.template())
	}
	answers := jinja(t, sources, jinjaNames)
	c, differ := &suites.Tally{Suite: "Jinja2, generated templates"}, 0
	for i, source := range sources {
		got, err := render(source, nil, jinjaNames)
		want := answers[i]
		switch {
		case err == nil && want.Error == "" && got == want.Out, err != nil && want.Error != "":
			c.Agree()
		default:
			if why := difference(source, got, err, want); why != "" {
				c.Differ(why)
				continue
			}
			if differ++; differ < 60 {
				t.Errorf("%s\ngolem %q, %v\nJinja %q, %s", source, got, err, want.Out, want.Error)
			}
		}
	}
	c.Compare(t)
}

type jinjaAnswer struct{ Out, Error string }

// jinja renders the sources with Jinja2 (python3-jinja2).
func jinja(t *testing.T, sources []string, names map[string]any) []jinjaAnswer {
	var in strings.Builder
	for _, s := range sources {
		line, err := json.Marshal(map[string]any{"t": s, "c": names})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("python3", "testdata/jinja.py")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3 with jinja2 (Debian: python3-jinja2): %v", err)
	}
	var answers []jinjaAnswer
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var a jinjaAnswer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(sources) {
		t.Fatalf("%d answers for %d templates", len(answers), len(sources))
	}
	return answers
}

var jinjaNames = map[string]any{
	"n": 3, "f": 2.5, "s": "Owls fly", "e": "", "l": []any{3, 1, 2}, "le": []any{}, "w": []any{"b", "A", "c"}, "d": map[string]any{"a": 1, "b": "x"}, "de": map[string]any{},
	"p": []any{map[string]any{"name": "Bo", "age": 3, "open": true}, map[string]any{"name": "al", "age": 1, "open": false}, map[string]any{"name": "Cy", "age": 2, "open": true}}, "t": true, "z": nil,
}

type generator struct{ *rand.Rand }

func (g generator) of(list ...string) string { return list[g.IntN(len(list))] }

func (g generator) template() string {
	switch g.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("{%% for x in %s %%}[{{ loop.index }}:{{ %s }}]{%% else %%}none{%% endfor %%}", g.list(2), g.of("x", "x|string", "x|upper", "loop.last", "loop.revindex"))
	case 2:
		return fmt.Sprintf("{%% if %s %%}yes{%% elif %s %%}maybe{%% else %%}no{%% endif %%}", g.condition(2), g.condition(1))
	case 3:
		return fmt.Sprintf("{%% set v = %s %%}{{ v }}-{{ v|%s }}", g.any(2), g.of("string|length", "default('q')", "string"))
	case 4:
		return fmt.Sprintf("{%% macro m(a, b=%s) %%}<{{ a }}|{{ b }}>{%% endmacro %%}{{ m(%s) }}", g.atom(), g.any(1))
	case 5:
		return fmt.Sprintf("a  {%%- if %s -%%}  b  {%%- endif %%}\n  c", g.condition(1))
	}
	return "{{ " + g.any(3) + " }}"
}

func (g generator) atom() string {
	return g.of("n", "f", "s", "'a b'", "''", "l", "le", "w", "d", "p", "t", "z", "1", "0", "2.0", "-4", "'3'", "[1, 'a']", "{'k': 1}", "none", "true", "e", "de")
}

func (g generator) any(depth int) string {
	if depth == 0 {
		return g.atom()
	}
	switch g.IntN(5) {
	case 0:
		return g.text(depth)
	case 1:
		return g.number(depth)
	case 2:
		return g.list(depth) + g.of("|join(', ')", "|length", "|first", "|last", "|list", "|join", "|string")
	case 3:
		return "(" + g.any(depth-1) + " if " + g.condition(depth-1) + " else " + g.any(depth-1) + ")"
	}
	return g.condition(depth)
}

func (g generator) text(depth int) string {
	base := g.of("s", "'a b'", "e", "'Xy,z'", "n|string")
	for range depth {
		base += g.of("|upper", "|lower", "|title", "|capitalize", "|trim", "|replace('l', 'L')", "|replace('l', 'L', 1)", "|replace('l', 'L', count=1)", "|trim('O')", "|trim(chars='y')", "|default('q')", "|default('q', true)",
			"|default('q', boolean=true)", "|e", "|reverse", "[1:]", "[:2]", "[5:2]", "|indent(2)", "|indent(width=2, first=true)", "|length|string", "|urlencode", " ~ 'x'", " ~ n")
	}
	return base
}

func (g generator) number(depth int) string {
	base := g.of("n", "f", "l[0]", "s|length", "'7'|int", "'x'|int", "'x'|int(5)", "'ff'|int(base=16)", "'1.5'|float", "'q'|float(2.5)", "l|sum", "l|max", "l|min", "p|sum(attribute='age')", "p|map(attribute='age')|max", "l|sum(start=2)", "le|sum", "(p|max(attribute='age')).age", "w|max", "w|min", "w|max(case_sensitive=true)", "f|round", "(f * 1.27)|round(1)", "2.675|round(2, 'floor')", "-n|abs")
	for range depth - 1 {
		base = "(" + base + g.of(" + 1", " * 2", " - 2.5", " // 2", " % 2", " / 2", " ** 2", "|abs", "|int", "|float", "|round") + ")"
	}
	return base
}

func (g generator) list(depth int) string {
	base := g.of("l", "le", "w", "p|map(attribute='name')", "range(3)", "d", "[1, 2, 3]", "p|selectattr('open')|map(attribute='name')", "p|rejectattr('open')|map(attribute='name')", "p|selectattr('age', 'gt', 7)|map(attribute='name')", "p|sort(attribute='name')|map(attribute='name')", "p|sort(attribute='open,age')|map(attribute='name')", "d|dictsort", "p|groupby('open')|map('first')", "'abc'|list", "'a,b'|list", "d|items|list")
	for range depth - 1 {
		base += g.of("|list", "|sort", "|sort(reverse=true)", "|reverse|list", "|unique|list", "|select('string')|list", "|reject('string')|list", "|select|list", "|map('string')|list", "|map('upper')|list", "|batch(2)|map('join')|list", "|batch(2, 'z')|map('join')|list", "|batch(2, fill_with='z')|map('join')|list", "|slice(2)|map('list')|map('length')|list", "|slice(slices=2)|map('length')|list", "[1:]", "[:0]", "|list + [4]")
	}
	return base
}

func (g generator) condition(depth int) string {
	simple := g.of("n > 2", "f == 2.5", "s is string", "l", "le", "'a' in w", "n in l", "z is none", "t", "s is defined", "missing is defined", "missing is undefined", "l is sequence", "d is mapping", "n is odd", "n is even", "n is divisibleby 3", "n is number", "1 < n < 4", "s == 'Owls fly'", "e", "l|length > 2", "not t", "'x' not in s", "p|selectattr('open')|list|length == 2", "s is lower", "n is integer", "f is float", "t is boolean", "l is iterable", "n is eq 3", "n is ge 4", "d.missing is defined", "t is true", "d == {'a': 1, 'b': 'x'}", "[1, 2] == [1, 2.0]", "z is sameas none")
	if depth <= 1 {
		return simple
	}
	return "(" + simple + g.of(" and ", " or ") + g.condition(depth-1) + ")"
}

// difference names the difference in docs/templates.md that explains a case, or returns "".
func difference(source, got string, err error, want jinjaAnswer) string {
	lists := strings.NewReplacer("(", "[", ")", "]")
	switch {
	case err == nil && want.Error == "" && lists.Replace(got) == lists.Replace(want.Out):
		return "pairs are lists"
	case strings.Contains(want.Out, "range(") || strings.Contains(want.Out, "<generator object") || strings.Contains(want.Error, "'generator' object") || strings.Contains(want.Error, "type 'generator'"):
		return "filters return lists"
	case strings.Contains(source, "indent") && strings.Contains(want.Error, "unsupported operand"):
		return "indent takes numbers as texts"
	}
	return ""
}
