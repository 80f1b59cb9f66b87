package prompt

import (
	"math"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// The engine calculates with whole numbers as floats: above 2^53 digits are lost, and
// above 2^63 the sign changes. Here whole numbers are exact, or the template fails.

// operators are the operators that a rewritten tree calls as filters, by their numbers
// in the engine's tree.
var operators = map[int64]string{8: "+", 9: "-", opMul: "*", 12: "//", 13: "%", 14: "**", 15: "~"}

// opFilter returns the name of an operator's filter. A template cannot write that name.
func opFilter(op string) string { return "\x00" + op }

// compute returns a op b.
func compute(op string, a, b value.Value) (value.Value, error) {
	if a.IsActualInt() && b.IsActualInt() {
		x, _ := a.AsInt()
		y, _ := b.AsInt()
		if n, fits, ok := whole(op, x, y); ok && fits {
			return value.FromInt(n), nil
		} else if ok {
			return value.Undefined(), tooLarge(op)
		}
	}
	switch op {
	case "~":
		if a.IsUndefined() || b.IsUndefined() {
			return value.Undefined(), minijinja.NewError(minijinja.ErrUndefinedVar, "undefined value")
		}
		return value.FromString(textOf(a) + textOf(b)), nil
	case "+":
		return a.Add(b)
	case "-":
		return a.Sub(b)
	case "*":
		return a.Mul(b)
	case "//":
		return a.FloorDiv(b)
	}
	// The engine converts large floats to whole numbers, which changes their sign.
	x, isX := a.AsFloat()
	y, isY := b.AsFloat()
	if numbers := isX && isY; op == "**" {
		if p := math.Pow(x, y); numbers && (a.IsActualFloat() || b.IsActualFloat() || math.Abs(p) >= 1<<63) {
			return value.FromFloat(p), nil
		}
		return a.Pow(b)
	} else if numbers && y != 0 {
		rest := math.Mod(x, y)
		if rest != 0 && rest < 0 != (y < 0) {
			rest += y
		}
		return value.FromFloat(rest), nil
	}
	return a.Rem(b)
}

// whole returns x op y; fits is false if the result needs more than 64 bits. ok is
// false if the engine must calculate: for a division by zero or a negative power.
func whole(op string, x, y int64) (n int64, fits, ok bool) {
	switch op {
	case "+":
		n = x + y
		return n, (n > x) == (y > 0), true
	case "-":
		n = x - y
		return n, (n < x) == (y > 0), true
	case "*":
		n = x * y
		return n, y == 0 || n/y == x && (y != -1 || x != math.MinInt64), true
	case "//":
		if y == 0 {
			return 0, false, false
		}
		if n = x / y; x%y != 0 && x < 0 != (y < 0) {
			n--
		}
		return n, y != -1 || x != math.MinInt64, true
	case "%":
		if y == 0 {
			return 0, false, false
		}
		if n = x % y; n != 0 && n < 0 != (y < 0) {
			n += y // it has the sign of y, so that x is y * (x // y) + x % y
		}
		return n, true, true
	case "**":
		if x >= -1 && x <= 1 && y > 3 {
			y = 2 | y&1 // the same power, since only odd and even differ
		}
		n, fits = 1, true
		for ; y > 0 && fits; y-- {
			n, fits, _ = whole("*", n, x)
		}
		return n, fits, y >= 0
	}
	return 0, false, false
}

func tooLarge(op string) error {
	return failure("%s makes a whole number outside -9223372036854775808 to 9223372036854775807; write one of the numbers with .0 for a rounded result", op)
}

// negate returns -v.
func negate(_ filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if v.IsActualInt() {
		return compute("-", value.FromInt(0), v)
	}
	return v.Neg()
}

func absOf(s filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	f, ok := v.AsFloat()
	switch {
	case !ok && !v.IsUndefined():
		return value.Undefined(), failure("the filter abs takes a number, and this is a %s", v.Kind())
	case f < 0:
		return negate(s, v, nil, nil)
	}
	return v, nil
}
