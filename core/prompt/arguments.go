package prompt

import (
	"slices"
	"strings"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// parameters are the arguments that Jinja2 defines for a filter, in its order. The engine
// ignores what it does not know, so that a template would silently print something else; here
// that is an error.
type parameters struct {
	names []string
	named []string // those that the engine's filter takes by name; it takes the others by position
	// defaults has the values for positions before one that is given.
	defaults map[string]value.Value
	any      bool // any number of arguments by position, none by name
}

func takes(names string) parameters { return parameters{names: strings.Fields(names)} }

func takesNamed(names string) parameters {
	return parameters{names: strings.Fields(names), named: strings.Fields(names)}
}

// fallback are the parameters of default.
var fallback = parameters{names: []string{"default_value", "boolean"}, defaults: map[string]value.Value{"default_value": value.FromString("")}}

// filterParameters has the parameters of the filters that have some.
var filterParameters = map[string]parameters{
	"attr": takes("name"), "batch": takes("linecount fill_with"), "float": takes("default"), "int": takesNamed("default base"),
	"indent": {names: []string{"width", "first", "blank"}, defaults: map[string]value.Value{"width": value.FromInt(4), "first": value.FromBool(false)}},
	"chain":  {any: true}, "format": {any: true}, "map": {any: true}, "reject": {any: true}, "rejectattr": {any: true}, "select": {any: true}, "selectattr": {any: true}, "zip": {any: true},
	"dictsort": takesNamed("case_sensitive by reverse"), "groupby": takesNamed("attribute default case_sensitive"), "sort": takesNamed("reverse case_sensitive attribute"),
	"unique": takesNamed("case_sensitive attribute"), "max": takesNamed("case_sensitive attribute"), "min": takesNamed("case_sensitive attribute"),
	"join": takesNamed("d attribute"), "sum": takesNamed("attribute start"), "round": takesNamed("precision method"),
	"replace": takes("old new count"), "slice": takes("slices fill_with"), "split": takes("sep maxsplit"), "tojson": takes("indent"), "trim": takes("chars"),
	"d": fallback, "default": fallback,
}

// bind orders the arguments of a filter as the engine's implementation takes them. It fails
// for an argument that the filter does not have.
func bind(filter string, args []value.Value, named map[string]value.Value) ([]value.Value, map[string]value.Value, error) {
	p := filterParameters[filter]
	switch {
	case p.any:
		return bindAny(filter, args, named)
	case len(args) > len(p.names):
		return nil, nil, failure("the filter %s takes %s, and %d are given", filter, p.count(), len(args))
	}
	given := map[string]value.Value{}
	for i, v := range args {
		given[p.names[i]] = v
	}
	for _, name := range sortedNames(named) {
		if !slices.Contains(p.names, name) {
			return nil, nil, failure("the filter %s has no argument %s; it takes %s", filter, name, p.count())
		}
		if _, twice := given[name]; twice {
			return nil, nil, failure("the filter %s is given %s twice", filter, name)
		}
		given[name] = named[name]
	}
	return p.split(filter, given)
}

// split returns the given arguments in the form in which the engine takes each.
func (p parameters) split(filter string, given map[string]value.Value) (args []value.Value, named map[string]value.Value, err error) {
	gap := ""
	for _, name := range p.names {
		v, is := given[name]
		switch {
		case slices.Contains(p.named, name):
			if is {
				if named == nil {
					named = map[string]value.Value{}
				}
				named[name] = v
			}
		case is && gap != "":
			return nil, nil, failure("the filter %s needs %s, too", filter, gap)
		case is:
			args = append(args, v)
		default:
			def, has := p.defaults[name]
			if has && p.givenAfter(name, given) {
				args = append(args, def)
			} else if gap == "" {
				gap = name
			}
		}
	}
	return args, named, nil
}

// givenAfter reports whether one of the parameters behind a name is given.
func (p parameters) givenAfter(name string, given map[string]value.Value) bool {
	return slices.ContainsFunc(p.names[slices.Index(p.names, name)+1:], func(n string) bool {
		_, is := given[n]
		return is
	})
}

// count says in words which arguments there are.
func (p parameters) count() string {
	if len(p.names) == 0 {
		return "no arguments"
	}
	return strings.Join(p.names, ", ")
}

// bindAny does as bind for a filter with any number of arguments by position.
func bindAny(filter string, args []value.Value, named map[string]value.Value) ([]value.Value, map[string]value.Value, error) {
	_, byAttribute := named["attribute"]
	switch {
	case len(named) == 0:
		return args, nil, nil
	case filter == "format" && len(args) == 0:
		return []value.Value{value.FromMap(named)}, nil, nil
	case filter == "map" && !byAttribute: // they go to the filter that map applies
		return args, named, nil
	case filter == "map" && len(args) > 0:
		return nil, nil, failure("the filter map takes the name of a filter or attribute=…, and both are given")
	case filter == "map":
		for _, name := range sortedNames(named) {
			if name != "attribute" && name != "default" {
				return nil, nil, failure("the filter map has no argument %s beside attribute and default", name)
			}
		}
		return nil, named, nil
	}
	return nil, nil, failure("the filter %s takes no arguments by name", filter)
}

func sortedNames(named map[string]value.Value) []string {
	out := make([]string, 0, len(named))
	for name := range named {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
