package prompt

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// Filters that the engine does differently from Jinja2. Their arguments come from bind.

// attribute returns an attribute of v; "a.b.0" stands for attributes and indexes inside each
// other.
func attribute(v, path value.Value) value.Value {
	if _, ok := path.AsString(); !ok {
		return v.GetItem(path)
	}
	name, _ := path.AsString()
	for part := range strings.SplitSeq(name, ".") {
		if n, err := strconv.ParseUint(part, 10, 31); err == nil {
			v = v.GetItem(value.FromInt(int64(n)))
		} else {
			v = v.GetAttr(part)
		}
		if v.IsUndefined() {
			break
		}
	}
	return v
}

// mapped returns the elements of v, or their attributes if named has attribute.
func mapped(filter string, v value.Value, named map[string]value.Value) ([]value.Value, error) {
	items := v.Iter()
	if items == nil && !isEmpty(v) {
		return nil, failure("the filter %s takes a list, and this is a %s", filter, v.Kind())
	}
	path, by := named["attribute"]
	if !by || path.IsNone() {
		return items, nil
	}
	out := make([]value.Value, len(items))
	for i, item := range items {
		if out[i] = attribute(item, path); out[i].IsUndefined() {
			return nil, failure("element %d of the list has no attribute %s, which the filter %s reads", i+1, path.String(), filter)
		}
	}
	return out, nil
}

// isEmpty reports whether v is a text, list or mapping without elements.
func isEmpty(v value.Value) bool {
	n, sized := v.Len()
	return sized && n == 0
}

// dense replaces the list without elements that the engine's filters and slices return, which
// the engine itself does not take for a list.
func dense(v value.Value) value.Value {
	if items, ok := v.AsSlice(); ok && items == nil {
		return value.FromSlice([]value.Value{})
	}
	return v
}

func joinOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	items, err := mapped("join", v, named)
	if err != nil {
		return value.Undefined(), err
	}
	between := ""
	if d, ok := named["d"]; ok {
		between = textOf(d)
	}
	size := 0
	texts := make([]string, len(items))
	for i, item := range items {
		if item.IsUndefined() {
			return value.Undefined(), failure("element %d of the list is not defined", i+1)
		}
		texts[i] = textOf(item)
		if size += len(texts[i]) + len(between); size > maxValue {
			return value.Undefined(), failure("the filter join would make a value larger than %d MB", maxValue>>20)
		}
	}
	return value.FromString(strings.Join(texts, between)), nil
}

func minOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	return extreme("min", v, named, -1)
}

func maxOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	return extreme("max", v, named, 1)
}

// extreme returns the first of the smallest (sign -1) or largest (1) elements, undefined if
// there is none.
func extreme(filter string, v value.Value, named map[string]value.Value, sign int) (value.Value, error) {
	keys, err := mapped(filter, v, named)
	if err != nil || len(keys) == 0 {
		return value.Undefined(), err
	}
	exact := flag(named, "case_sensitive")
	best := 0
	for i := range keys {
		order, ok := compare(keys[i], keys[best], exact)
		if !ok {
			return value.Undefined(), failure("the filter %s cannot compare a %s with a %s", filter, keys[i].Kind(), keys[best].Kind())
		}
		if order == sign {
			best = i
		}
	}
	return v.Iter()[best], nil
}

// flag reports whether an argument is given and true.
func flag(named map[string]value.Value, name string) bool {
	v, given := named[name]
	return given && v.IsTrue()
}

// compare returns -1, 0 or 1; texts are compared without upper and lower case unless exact is
// true. ok is false for values that have no order.
func compare(a, b value.Value, exact bool) (order int, ok bool) {
	x, isX := a.AsString()
	y, isY := b.AsString()
	if isX && isY && !exact {
		return strings.Compare(strings.ToLower(x), strings.ToLower(y)), true
	}
	_, numberA := a.AsFloat()
	_, numberB := b.AsFloat()
	if a.Kind() != b.Kind() && !(numberA && numberB) {
		return 0, false
	}
	return a.Compare(b)
}

func sumOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	items, err := mapped("sum", v, named)
	if err != nil {
		return value.Undefined(), err
	}
	out := value.FromInt(0)
	if start, ok := named["start"]; ok {
		out = start
	}
	copied := 0
	for _, item := range items {
		if size, sized := out.Len(); sized { // each + copies what was joined before
			if copied += size; copied > maxValue {
				return value.Undefined(), failure("the filter sum would copy more than %d elements", maxValue)
			}
		}
		if out, err = compute("+", out, item); err != nil {
			return value.Undefined(), err
		}
	}
	return out, nil
}

// sortOf sorts a list, by one attribute or by several, as "a,b".
func sortOf(s filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	by, _ := named["attribute"].AsString()
	names := strings.Split(by, ",")
	if len(names) > 10 {
		return value.Undefined(), failure("the filter sort takes at most 10 attributes")
	}
	for _, name := range slices.Backward(names) { // the sort is stable, so that the first name comes last
		one := map[string]value.Value{"reverse": value.FromBool(flag(named, "reverse")), "case_sensitive": value.FromBool(flag(named, "case_sensitive"))}
		if name != "" {
			one["attribute"] = value.FromString(name)
		} else if at, ok := named["attribute"]; ok {
			one["attribute"] = value.FromString(at.String())
		}
		var err error
		if v, err = filters.FilterSort(s, v, nil, one); err != nil {
			return v, err
		}
	}
	return v, nil
}

// roundOf rounds as Python does: to the even neighbour of a half.
func roundOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	f, ok := v.AsFloat()
	if !ok {
		return value.Undefined(), failure("the filter round takes a number, and this is a %s", v.Kind())
	}
	precision := int64(0)
	if p, given := named["precision"]; given {
		if precision, ok = p.AsInt(); !ok || precision < -300 || precision > 300 {
			return value.Undefined(), failure("the precision of the filter round is a whole number from -300 to 300")
		}
	}
	method := "common"
	if m, given := named["method"]; given {
		method, _ = m.AsString()
	}
	if method == "common" && v.IsActualInt() && precision >= 0 {
		return v, nil
	}
	unit := math.Pow(10, float64(precision))
	switch {
	case method == "common" && precision >= 0:
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(precision), 64), 64)
	case method == "common":
		f = math.RoundToEven(f*unit) / unit
	case method == "ceil":
		f = math.Ceil(f*unit) / unit
	case method == "floor":
		f = math.Floor(f*unit) / unit
	default:
		return value.Undefined(), failure("the method of the filter round is common, ceil or floor")
	}
	if v.IsActualInt() && method == "common" {
		return value.FromInt(int64(f)), nil
	}
	return value.FromFloat(f), nil
}

// intOf makes a whole number; what is none becomes the argument default, 0 without it.
func intOf(_ filters.State, v value.Value, _ []value.Value, named map[string]value.Value) (value.Value, error) {
	def := value.FromInt(0)
	if d, given := named["default"]; given {
		def = d
	}
	base := int64(10)
	if b, given := named["base"]; given {
		var ok bool
		if base, ok = b.AsInt(); !ok || base < 2 || base > 36 {
			return value.Undefined(), failure("the base of the filter int is a whole number from 2 to 36")
		}
	}
	if v.IsActualInt() {
		return v, nil
	}
	f, isNumber := v.AsFloat()
	if text, ok := v.AsString(); ok {
		text = strings.TrimSpace(text)
		digits := text
		if prefix := map[int64]string{2: "0b", 8: "0o", 16: "0x"}[base]; prefix != "" && len(digits) > 2 && strings.EqualFold(digits[:2], prefix) {
			digits = digits[2:]
		}
		if n, err := strconv.ParseInt(digits, int(base), 64); err == nil {
			return value.FromInt(n), nil
		}
		var err error
		f, err = strconv.ParseFloat(text, 64)
		isNumber = err == nil
	} else if b, ok := v.AsBool(); ok {
		f, isNumber = 0, true
		if b {
			f = 1
		}
	}
	switch {
	case !isNumber || math.IsNaN(f):
		return def, nil
	case !(math.Abs(f) < 1<<63):
		return value.Undefined(), failure("int makes whole numbers from -9223372036854775808 to 9223372036854775807, and this number is outside")
	}
	return value.FromInt(int64(f)), nil
}

// floatOf makes a number; what is none becomes the argument default, 0.0 without it.
func floatOf(s filters.State, v value.Value, args []value.Value, _ map[string]value.Value) (value.Value, error) {
	if text, ok := v.AsString(); ok {
		v = value.FromString(strings.TrimSpace(text))
	}
	if out, err := filters.FilterFloat(s, v, nil, nil); err == nil && !v.IsNone() {
		return out, nil
	}
	if len(args) > 0 {
		return args[0], nil
	}
	return value.FromFloat(0), nil
}

// lengthOf returns the number of characters or elements.
func lengthOf(s filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if _, sized := v.Len(); !sized && v.Iter() == nil && !v.IsUndefined() {
		return value.Undefined(), failure("the filter length takes a text, a list or a mapping, and this is a %s", v.Kind())
	}
	return filters.FilterLength(s, v, nil, nil)
}

// indentOf indents the lines of a text after the first one, empty ones only with blank.
func indentOf(s filters.State, v value.Value, args []value.Value, _ map[string]value.Value) (value.Value, error) {
	if len(args) > 0 && !args[0].IsActualInt() {
		return value.Undefined(), failure("the width of the filter indent is a number of spaces")
	}
	if !v.IsUndefined() && textOf(v) == "" && len(args) > 1 && args[1].IsTrue() {
		width, _ := args[0].AsInt()
		return value.FromString(strings.Repeat(" ", int(width))), nil
	}
	return filters.FilterIndent(s, v, args, nil)
}

func reverseOf(s filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if _, isNumber := v.AsFloat(); isNumber {
		return value.Undefined(), failure("the filter reverse takes a text or a list, and this is a %s", v.Kind())
	}
	return filters.FilterReverse(s, v, nil, nil)
}
