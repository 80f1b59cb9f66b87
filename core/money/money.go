// Package money calculates with exact amounts of US dollars: prices of tokens,
// costs of runs, and limits on costs. Sums are never rounded.
package money

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// USD is an amount in units of 1e-12 US dollars, so that a price per million tokens
// with six decimals is a whole number of units per token. The largest amount is about
// nine million dollars; Plus and Of return it instead of a larger one.
type USD int64

// Dollar is one US dollar.
const Dollar USD = 1_000_000_000_000

const decimals = 12

// Parse parses a decimal number of dollars, such as "0.50", with at most the
// given number of decimals (0 to 12), without sign or exponent.
func Parse(s string, most int) (USD, error) {
	whole, rest, point := strings.Cut(s, ".")
	if whole == "" || point && rest == "" || strings.Trim(whole+rest, "0123456789") != "" {
		return 0, fmt.Errorf("is not an amount of dollars")
	}
	rest = strings.TrimRight(rest, "0")
	if len(rest) > most {
		return 0, fmt.Errorf("has more than %d decimals", most)
	}
	n, err := strconv.ParseInt(strings.TrimLeft(whole, "0")+rest+strings.Repeat("0", decimals-len(rest)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("is more than golem can count")
	}
	return USD(n), nil
}

// Plus returns the sum.
func (a USD) Plus(b USD) USD {
	if b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// Of returns the cost of n tokens at a price of a per million. If the price has
// more than six decimals, the cost is rounded to the nearest unit.
func (a USD) Of(n int) USD {
	if a <= 0 || n <= 0 {
		return 0
	}
	const million = 1_000_000
	hi, lo := bits.Mul64(uint64(a), uint64(n))
	lo, carry := bits.Add64(lo, million/2, 0)
	if hi += carry; hi >= million {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, million)
	return USD(min(q, math.MaxInt64))
}

// String returns the exact decimal number of dollars without a dollar sign:
// "0.0042125".
func (a USD) String() string {
	s := fmt.Sprintf("%d.%0*d", a/Dollar, decimals, a%Dollar)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Text returns the rounded amount for people: "$12.30", "$0.0042", "$0.000031".
func (a USD) Text() string {
	places := 2
	switch {
	case a >= Dollar || a <= 0:
	case a >= Dollar/1000:
		places = 4
	default:
		places = decimals - len(strconv.FormatInt(int64(a), 10)) + 2 // two digits
	}
	unit := USD(math.Pow10(decimals - min(places, decimals)))
	rounded := (a.Plus(unit/2) / unit) * unit
	s := rounded.String()
	whole, rest, _ := strings.Cut(s, ".")
	return "$" + whole + "." + rest + strings.Repeat("0", max(0, 2-len(rest)))
}

// MarshalJSON writes the exact amount as a JSON number of dollars.
func (a USD) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON parses a JSON number of dollars in any notation that other
// programs write.
func (a *USD) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if v, err := Parse(string(data), decimals); err == nil {
		*a = v
		return nil
	}
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || f < 0 || f > float64(math.MaxInt64/Dollar) {
		return fmt.Errorf("%.40q is not an amount of dollars", data)
	}
	*a = USD(math.Round(f * float64(Dollar)))
	return nil
}
