package prompt

import (
	"maps"
	"strings"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/tests"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// templateFilters are the filters that a template has (docs/reference/templates.md).
var templateFilters = map[string]filters.FilterFunc{
	"abs": absOf, "attr": filters.FilterAttr, "batch": filters.FilterBatch, "bool": filters.FilterBool,
	"capitalize": ofText(capitalized), "chain": filters.FilterChain, "count": lengthOf,
	"d": filters.FilterDefault, "default": filters.FilterDefault, "dictsort": filters.FilterDictSort,
	"e": escapeOf, "escape": escapeOf, "first": filters.FilterFirst, "float": floatOf,
	"format": filters.FilterFormat, "groupby": filters.FilterGroupBy, "indent": indentOf, "int": intOf,
	"items": filters.FilterItems, "join": joinOf, "last": filters.FilterLast, "length": lengthOf,
	"lines": filters.FilterLines, "list": filters.FilterList, "lower": ofText(strings.ToLower), "map": filters.FilterMap,
	"max": maxOf, "min": minOf, "pprint": filters.FilterPprint, "reject": filters.FilterReject,
	"rejectattr": filters.FilterRejectAttr, "replace": filters.FilterReplace, "reverse": reverseOf,
	"round": roundOf, "safe": filters.FilterSafe, "select": filters.FilterSelect, "selectattr": filters.FilterSelectAttr,
	"slice": filters.FilterSlice, "sort": sortOf, "split": filters.FilterSplit, "string": ofText(unchanged),
	"sum": sumOf, "title": ofText(titled), "tojson": filters.FilterTojson, "trim": filters.FilterTrim,
	"unique": filters.FilterUnique, "upper": ofText(strings.ToUpper), "urlencode": filters.FilterUrlencode, "zip": filters.FilterZip,
}

// templateTests are the tests that a template can write after `is`.
var templateTests = map[string]minijinja.TestFunc{
	"boolean": tests.TestBoolean, "containing": tests.TestContaining, "defined": tests.TestDefined, "divisibleby": tests.TestDivisibleBy,
	"endingwith": tests.TestEndingWith, "eq": tests.TestEq, "equalto": tests.TestEq, "==": tests.TestEq, "even": tests.TestEven,
	"false": tests.TestFalse, "float": tests.TestFloat, "ge": tests.TestGe, ">=": tests.TestGe, "greaterthan": tests.TestGt,
	"gt": tests.TestGt, ">": tests.TestGt, "in": tests.TestIn, "integer": tests.TestInteger, "int": tests.TestInteger,
	"iterable": tests.TestIterable, "le": tests.TestLe, "<=": tests.TestLe, "lessthan": tests.TestLt, "lt": tests.TestLt,
	"<": tests.TestLt, "lower": tests.TestLower, "mapping": tests.TestMapping, "ne": tests.TestNe, "!=": tests.TestNe,
	"none": tests.TestNone, "number": tests.TestNumber, "odd": tests.TestOdd, "sameas": tests.TestSameAs,
	"sequence": tests.TestSequence, "startingwith": tests.TestStartingWith, "string": tests.TestString, "true": tests.TestTrue,
	"undefined": tests.TestUndefined, "upper": tests.TestUpper,
}

// escaper escapes as Jinja2 does. Package html would too, but adds 20 KB of names.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// escapeOf escapes a text for HTML, once. The engine's own filter asks the formatter,
// which escapes nothing, because golem does not render HTML.
func escapeOf(_ filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if v.IsSafe() || v.IsUndefined() { // an undefined name stays one, which is an error
		return v, nil
	}
	return value.FromSafeString(escaper.Replace(textOf(v))), nil
}

// rangeOf returns range(stop), range(start, stop) or range(start, stop, step).
func rangeOf(_ *minijinja.State, args []value.Value, named map[string]value.Value) (value.Value, error) {
	if len(named) > 0 {
		return value.Undefined(), failure("range takes its numbers by position: range(START, STOP, STEP)")
	}
	given := make([]int64, len(args))
	for i, a := range args {
		n, ok := a.AsInt()
		if !ok || n > 1<<40 || n < -1<<40 {
			return value.Undefined(), failure("range takes whole numbers")
		}
		given[i] = n
	}
	start, stop, step := int64(0), int64(0), int64(1)
	switch len(given) {
	case 1:
		stop = given[0]
	case 2:
		start, stop = given[0], given[1]
	case 3:
		start, stop, step = given[0], given[1], given[2]
	default:
		return value.Undefined(), failure("range takes one to three numbers: range(START, STOP, STEP)")
	}
	if step == 0 {
		return value.Undefined(), failure("the step of range cannot be 0")
	}
	out := []value.Value{}
	for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
		if len(out) == maxRange {
			return value.Undefined(), failure("range gives more than %d numbers", maxRange)
		}
		out = append(out, value.FromInt(i))
	}
	return value.FromSlice(out), nil
}

// dict returns dict(name=value, …).
func dict(_ *minijinja.State, args []value.Value, named map[string]value.Value) (value.Value, error) {
	if len(args) > 0 {
		return value.Undefined(), failure("dict takes named values only: dict(a=1)")
	}
	return value.FromMap(maps.Clone(named)), nil
}

// namespace is the value of namespace(name=value, …), the only one whose fields a
// template can set inside a loop. It is printed without its fields, because it can
// contain itself.
type namespace struct{ fields map[string]value.Value }

var _ value.MutableObject = (*namespace)(nil)

// GetAttr returns a field; undefined if there is none.
func (n *namespace) GetAttr(name string) value.Value { return n.fields[name] }

// SetAttr sets a field.
func (n *namespace) SetAttr(name string, v value.Value) { n.fields[name] = v }

func (n *namespace) String() string { return "namespace" }
