package prompt_test

import (
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

// What these templates print is what Jinja2 3.1.6 prints (testdata/jinja.py). A list without
// elements stays a list, also if a filter or a slice made it.
func TestAsJinja(t *testing.T) {
	names := map[string]any{
		"tasks": []any{map[string]any{"t": "b", "open": false, "n": 2}, map[string]any{"t": "A", "open": false, "n": 1}}, "none_yet": []any{},
		"words": []any{"b", "A", "c"},
	}
	for source, want := range map[string]string{
		"{% for t in tasks|selectattr('open') %}x{% else %}none{% endfor %}":              "none",
		"{{ tasks|selectattr('open')|map(attribute='t')|join(', ') }}.":                   ".",
		"{% for t in words[3:] %}x{% else %}none{% endfor %}":                             "none",
		"{{ none_yet|map('upper')|list }}{{ none_yet|unique|list }}{{ words[:0] }}":       "[][][]",
		"{{ none_yet|batch(2)|list }}{{ none_yet|sort }}{{ none_yet|select|list }}":       "[][][]",
		"{{ words|join(d='-') }} {{ tasks|join(', ', attribute='t') }}":                   "b-A-c b, A",
		"{{ 'aaa'|replace('a', 'b', count=2) }} {{ 'aaa'|replace(old='a', new='b') }}":    "bba bbb",
		"{{ 'xax'|trim(chars='x') }} {{ 'xax'|trim('x') }}":                               "a a",
		"{{ [1, 2, 3]|slice(slices=2)|map('list')|list }}":                                "[[1, 2], [3]]",
		"{{ (tasks|max(attribute='n')).t }}{{ (tasks|min(attribute='n')).t }}":            "bA",
		"{{ words|max }}{{ words|min }}{{ words|max(case_sensitive=true) }}":              "cAc",
		"{{ tasks|sum(attribute='n') }} {{ [1]|sum(start=4) }}":                           "3 5",
		"{{ tasks|sort(attribute='open,n')|map(attribute='t')|join }}":                    "Ab",
		"{{ 'ff'|int(base=16) }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ '2.5'|float }}":        "255 0 7 2.5",
		"{{ 2.5|round }} {{ 2.675|round(2) }} {{ 2.671|round(2, 'ceil') }} {{ 4|round }}": "2.0 2.67 2.68 4",
		"{{ ''|default('q', boolean=true) }}{{ missing|default(default_value='d') }}":     "qd",
		"{{ [1, 'a', \"it's\", none, {'k': 'v'}] }}{{ ['a'] ~ 'b' }}":                     `[1, 'a', "it's", None, {'k': 'v'}]['a']b`,
		"{{ 'z,yx o-k'|title }} {{ 'aB'|capitalize }}":                                    "Z,yx O-K Ab",
		"{{ '%(a)s'|format(a=1) }}{{ '' |indent(2, true) }}":                              "1  ",
	} {
		if got, err := render(source, nil, names); err != nil || got != want {
			t.Errorf("%s\n got %q, %v\nwant %q", source, got, err, want)
		}
	}
}

// An argument that a filter does not have ends the template.
func TestUnknownArguments(t *testing.T) {
	for source, want := range map[string]string{
		"'a'|upper(1)":                       "the filter upper takes no arguments, and 1 are given",
		"'a'|replace('a')":                   "replace requires old and new arguments",
		"'a'|replace('a', 'b', 1, 2)":        "the filter replace takes old, new, count, and 4 are given",
		"'a'|replace('a', 'b', number=1)":    "the filter replace has no argument number; it takes old, new, count",
		"[1]|join('-', sep='x')":             "the filter join has no argument sep; it takes d, attribute",
		"[1]|join('-', d='x')":               "the filter join is given d twice",
		"[1]|batch(fill_with='x')":           "the filter batch needs linecount, too",
		"[1]|select('odd', strict=true)":     "the filter select takes no arguments by name",
		"[1]|map('upper', attribute='a')":    "takes the name of a filter or attribute=",
		"[{'a': 1}]|map(attribute='a', d=1)": "the filter map has no argument d beside attribute and default",
		"['a']|map('upper', x=1)|list":       "the filter upper has no argument x",
		"'a'|indent('x')":                    "the width of the filter indent is a number of spaces",
		"[1, 'a']|max":                       "the filter max cannot compare",
		"[{}]|join(attribute='a')":           "element 1 of the list has no attribute a",
		"range(stop=3)":                      "range takes its numbers by position",
		"3|length":                           "the filter length takes a text, a list or a mapping",
		"2|round(1, 'up')":                   "the method of the filter round is common, ceil or floor",
	} {
		if out, err := render("{{ "+source+" }}", nil, nil); !errors.Is(err, fault.Template) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q %v, want %s", source, out, err, want)
		}
	}
}
