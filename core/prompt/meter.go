package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

const (
	maxValue   = 1 << 20   // size of one value: bytes of its texts, plus valueCost for each value in it
	maxWork    = 32 << 20  // sum of the sizes of all values that operations read
	maxNesting = 100       // how deep lists and maps are nested
	maxRange   = 10_000    // numbers of one range()
	maxCount   = 1000      // a number that a filter multiplies by: a width, a count
	maxPrinted = 256 << 10 // size of a value that a filter prints with indentation
	valueCost  = 16
)

// meter bounds what the engine does not count: the size of the values that its steps work on.
type meter struct {
	work int
	err  error // the first limit that was exceeded; nothing works after it
}

// look counts the reading of whole values. It fails if one of them is too large, or if
// everything that was read together is.
func (m *meter) look(values ...value.Value) error {
	for _, v := range values {
		if m.err != nil {
			break
		}
		size, err := sizeOf(v, 0, maxValue)
		if m.work += size; err == nil && m.work > maxWork {
			err = failure("the template does too much: what it reads adds up to more than %d MB", maxWork>>20)
		}
		m.err = err
	}
	return m.err
}

// sizeOf returns the size of a value as a tree: a part that is in it twice counts
// twice, as when it is printed or compared. It fails if the size is more than limit.
func sizeOf(v value.Value, depth, limit int) (int, error) {
	if depth > maxNesting {
		return 0, failure("a value of the template is nested deeper than %d", maxNesting)
	}
	size := valueCost
	var items []value.Value
	if s, ok := v.AsString(); ok {
		size += len(s)
	} else if fields, ok := v.AsMap(); ok {
		for name, item := range fields {
			size += len(name)
			items = append(items, item)
		}
	} else if isSelf(v) {
		return size, failure("self and its blocks have no text; they are called: {{ self.NAME() }}")
	} else {
		items = v.Iter()
	}
	for _, item := range items {
		if size > limit {
			break
		}
		s, err := sizeOf(item, depth+1, limit-size)
		if err != nil {
			return size, err
		}
		size += s
	}
	if size > limit {
		return size, failure("a value of the template is larger than %d MB", maxValue>>20)
	}
	return size, nil
}

// isSelf reports whether a value is self or one of its blocks, which the engine would
// print as an address in memory.
func isSelf(v value.Value) bool {
	var of any
	if c, ok := v.AsCallable(); ok {
		of = c
	} else if o, ok := v.AsObject(); ok {
		of = o
	}
	name := fmt.Sprintf("%T", of)
	return name == "*minijinja.selfObject" || name == "*minijinja.blockCallable"
}

// install adds the filters, tests and functions to the environment, each with the meter
// around it, and the filters that a rewritten tree calls.
func (m *meter) install(env *minijinja.Environment) {
	for name, f := range templateFilters {
		env.AddFilter(name, m.filter(name, f))
	}
	for name, t := range templateTests {
		env.AddTest(name, func(s minijinja.TestState, v value.Value, args []value.Value) (bool, error) {
			if err := m.look(append(args, v)...); err != nil {
				return false, err
			}
			return t(s, v, args)
		})
	}
	env.AddFilter(lookFilter, func(_ filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
		return dense(v), m.look(v)
	})
	env.AddFilter(negFilter, m.filter("-", negate))
	for _, op := range operators {
		env.AddFilter(opFilter(op), m.operator(op))
	}
	env.AddFunction("range", rangeOf)
	env.AddFunction("dict", dict)
	env.AddFunction("namespace", func(_ *minijinja.State, args []value.Value, named map[string]value.Value) (value.Value, error) {
		if len(args) > 0 {
			return value.Undefined(), failure("namespace takes named values only: namespace(count=0)")
		}
		return value.FromObject(&namespace{fields: named}), nil
	})
}

// filter returns f with the meter around its input and output.
func (m *meter) filter(name string, f filters.FilterFunc) filters.FilterFunc {
	return func(s filters.State, v value.Value, args []value.Value, named map[string]value.Value) (value.Value, error) {
		args, named, err := bind(name, args, named)
		if err != nil {
			return value.Undefined(), err
		}
		all := append([]value.Value{v}, args...)
		for _, n := range named {
			all = append(all, n)
		}
		if err := m.look(all...); err != nil {
			return value.Undefined(), err
		}
		if amplifies(name, all) {
			m.err = failure("the filter %s would make a value larger than %d MB", name, maxValue>>20)
			return value.Undefined(), m.err
		}
		out, err := f(s, v, args, named)
		if err != nil {
			return out, err
		}
		return dense(out), m.look(out)
	}
}

// amplifies reports whether a filter would make a value that is much larger than its
// input: the meter would see it only after it was made. all is the filter's value and
// its arguments.
func amplifies(name string, all []value.Value) bool {
	text := func(i int) string {
		if i < len(all) {
			s, _ := all[i].AsString()
			return s
		}
		return ""
	}
	switch name {
	case "indent", "batch", "slice", "tojson":
		for _, v := range all[1:] {
			if n, ok := v.AsInt(); ok && (n < 0 || n > maxCount) {
				return true
			}
		}
		if name == "indent" {
			return largest(all[1:])*(strings.Count(text(0), "\n")+1) > maxValue
		}
		return name == "tojson" && len(all) > 1 && larger(all[0], maxPrinted)
	case "groupby", "map", "sort", "unique": // the engine works through a name once for each element
		return slices.ContainsFunc(all[min(1, len(all)):], func(v value.Value) bool {
			s, ok := v.AsString()
			return ok && len(s) > maxCount
		})
	case "pprint":
		return larger(all[0], maxPrinted)
	case "replace":
		found := strings.Count(text(0), text(1))
		return found*len(text(2)) > maxValue
	case "format":
		most := maxCount
		for _, v := range all[1:] {
			size, _ := sizeOf(v, 0, maxValue)
			most = max(most, size)
		}
		return longNumber(text(0)) || strings.Count(text(0), "%")*most > maxValue
	}
	return false
}

// largest returns the largest of the whole numbers among the values; 0: there is none.
func largest(values []value.Value) int {
	most := 0
	for _, v := range values {
		if n, ok := v.AsInt(); ok {
			most = max(most, int(n))
		}
	}
	return most
}

func larger(v value.Value, limit int) bool {
	_, err := sizeOf(v, 0, limit)
	return err != nil
}

// longNumber reports whether a format has a width or precision of more than three digits.
func longNumber(format string) bool {
	digits := 0
	for _, c := range format {
		if c < '0' || c > '9' {
			digits = 0
		} else if digits++; digits > 3 {
			return true
		}
	}
	return false
}

// operator returns the filter that calculates left op right, with the meter around it.
// With *, a number can multiply a text or a list.
func (m *meter) operator(op string) filters.FilterFunc {
	return func(_ filters.State, v value.Value, args []value.Value, _ map[string]value.Value) (value.Value, error) {
		if len(args) != 1 {
			return value.Undefined(), failure("%s takes two values", op)
		}
		if err := m.look(v, args[0]); err != nil {
			return value.Undefined(), err
		}
		if op == "*" && repeats(v, args[0]) {
			m.err = failure("* would make a value larger than %d MB", maxValue>>20)
			return value.Undefined(), m.err
		}
		out, err := compute(op, v, args[0])
		if err != nil {
			return out, err
		}
		return out, m.look(out)
	}
}

// repeats reports whether a number times a text or a list would be too large.
func repeats(a, b value.Value) bool {
	for _, pair := range [][2]value.Value{{a, b}, {b, a}} {
		times, isNumber := pair[0].AsInt()
		if _, number := pair[1].AsFloat(); number || !isNumber || times <= 0 {
			continue
		}
		if size, _ := sizeOf(pair[1], 0, maxValue); times > int64(maxValue/max(size, 1)) {
			return true
		}
	}
	return false
}

// failure returns an error to which the engine adds its place.
func failure(format string, args ...any) error {
	return minijinja.NewError(minijinja.ErrInvalidOperation, fmt.Sprintf(format, args...))
}
