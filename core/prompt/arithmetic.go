package prompt

import (
	"math"
	"math/big"
	"strconv"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2/filters"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"
)

// The engine computes with whole numbers as floats: above 2^53 digits are lost, and
// above 2^63 the sign changes. Here whole numbers are exact, or the template fails.

// operators are the operators that a rewritten tree calls as filters, by their number
// in the engine's tree.
var operators = map[int64]string{8: "+", 9: "-", opMul: "*", 12: "//", 13: "%", 14: "**"}

// opFilter is the name of the filter of an operator, which a template cannot write.
func opFilter(op string) string { return "\x00" + op }

// compute is a op b.
func compute(op string, a, b value.Value) (value.Value, error) {
	if a.IsActualInt() && b.IsActualInt() {
		x, _ := a.AsInt()
		y, _ := b.AsInt()
		if out, ok := whole(op, big.NewInt(x), big.NewInt(y)); ok {
			if out == nil || !out.IsInt64() {
				return value.Undefined(), tooLarge(op)
			}
			return value.FromInt(out.Int64()), nil
		}
	}
	switch op {
	case "+":
		return a.Add(b)
	case "-":
		return a.Sub(b)
	case "*":
		return a.Mul(b)
	case "//":
		return a.FloorDiv(b)
	case "**":
		return a.Pow(b)
	}
	x, _ := a.AsFloat()
	y, _ := b.AsFloat()
	if math.Abs(x) >= 1<<63 || math.Abs(y) >= 1<<63 {
		return value.FromFloat(math.Mod(x, y)), nil
	}
	return a.Rem(b)
}

// whole is x op y; nil if that is far too large. ok is false where the engine decides:
// a division by zero, a remainder, a negative power.
func whole(op string, x, y *big.Int) (out *big.Int, ok bool) {
	out = new(big.Int)
	switch op {
	case "+":
		return out.Add(x, y), true
	case "-":
		return out.Sub(x, y), true
	case "*":
		return out.Mul(x, y), true
	case "//":
		if y.Sign() == 0 {
			return nil, false
		}
		rest := new(big.Int)
		if out.QuoRem(x, y, rest); rest.Sign() != 0 && rest.Sign() != y.Sign() {
			out.Sub(out, big.NewInt(1))
		}
		return out, true
	case "**":
		if y.Sign() < 0 {
			return nil, false
		}
		if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > 63) {
			return nil, true
		}
		return out.Exp(x, y, nil), true
	}
	return nil, false
}

func tooLarge(op string) error {
	return failure("%s makes a whole number outside -9223372036854775808 to 9223372036854775807; write one of the numbers with .0 for a rounded result", op)
}

// negate is -v.
func negate(_ filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if v.IsActualInt() {
		return compute("-", value.FromInt(0), v)
	}
	return v.Neg()
}

func absOf(s filters.State, v value.Value, _ []value.Value, _ map[string]value.Value) (value.Value, error) {
	if f, ok := v.AsFloat(); ok && f < 0 {
		return negate(s, v, nil, nil)
	}
	return v, nil
}

func intOf(s filters.State, v value.Value, args []value.Value, named map[string]value.Value) (value.Value, error) {
	f, _ := v.AsFloat()
	if text, ok := v.AsString(); ok {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			f, _ = strconv.ParseFloat(text, 64)
		}
	}
	if !v.IsActualInt() && !(math.Abs(f) < 1<<63) { // NaN too
		return value.Undefined(), failure("int makes whole numbers from -9223372036854775808 to 9223372036854775807, and this number is outside")
	}
	return filters.FilterInt(s, v, args, named)
}

func sumOf(_ filters.State, v value.Value, args []value.Value, _ map[string]value.Value) (value.Value, error) {
	out := value.FromInt(0)
	items := v.Iter()
	if items != nil && len(args) > 0 {
		out = args[0]
	}
	for _, item := range items {
		var err error
		if out, err = compute("+", out, item); err != nil {
			return value.Undefined(), err
		}
	}
	return out, nil
}
