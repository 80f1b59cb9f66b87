package money

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTextForPeople(t *testing.T) {
	for exact, want := range map[string]string{
		"0": "$0.00", "12.3": "$12.30", "1": "$1.00", "1.005": "$1.01", "0.5": "$0.50", "0.4212": "$0.4212", "0.0042125": "$0.0042", "0.001": "$0.001",
		"0.00099": "$0.00099", "0.000999": "$0.001", "0.0000314": "$0.000031", "0.000000000001": "$0.000000000001", "0.99999": "$1.00", "9223372": "$9223372.00",
	} {
		a, err := Parse(exact, decimals)
		if err != nil {
			t.Fatalf("%s: %v", exact, err)
		}
		if got := a.Text(); got != want {
			t.Errorf("%s is shown as %s, want %s", exact, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, s := range []string{"", ".", ".5", "5.", "-1", "+1", "1e3", "1_000", "$1", "1 ", "0.0000001", "99999999999999999999", "１"} {
		if a, err := Parse(s, 6); err == nil {
			t.Errorf("%q is %s", s, a)
		}
	}
}

// An amount is the same after it was written and read. The costs of parts add up to the
// cost of the whole.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := USD(rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"))
		back, err := Parse(a.String(), decimals)
		if err != nil || back != a {
			t.Fatalf("%d written %s, read %d: %v", a, a, back, err)
		}
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var read USD
		if err := json.Unmarshal(data, &read); err != nil || read != a {
			t.Fatalf("%d as JSON %s, read %d: %v", a, data, read, err)
		}
		price := USD(rapid.Int64Range(0, 1000_000_000).Draw(t, "price")) * 1_000_000 // six decimals
		n, m := rapid.IntRange(0, 1<<20).Draw(t, "n"), rapid.IntRange(0, 1<<20).Draw(t, "m")
		if price.Of(n).Plus(price.Of(m)) != price.Of(n+m) {
			t.Fatalf("%d and %d tokens at %s do not cost as much as %d", n, m, price, n+m)
		}
	})
}

func TestNothingOverflows(t *testing.T) {
	if got := USD(math.MaxInt64).Of(math.MaxInt); got != math.MaxInt64 {
		t.Errorf("the largest price of the most tokens is %d", got)
	}
	if got := USD(math.MaxInt64).Plus(Dollar); got != math.MaxInt64 {
		t.Errorf("the largest sum is %d", got)
	}
	if got := USD(-5).Of(3); got != 0 {
		t.Errorf("a price below zero costs %d", got)
	}
}

func TestForeignNotation(t *testing.T) {
	for in, want := range map[string]string{"4.2e-7": "0.00000042", "1E2": "100", "0.1": "0.1"} {
		var a USD
		if err := json.Unmarshal([]byte(in), &a); err != nil || a.String() != want {
			t.Errorf("%s is %s: %v", in, a, err)
		}
	}
	for _, in := range []string{"-1", "1e300", `"1"`, "{}"} {
		var a struct{ X USD }
		if json.Unmarshal([]byte(`{"X":`+in+`}`), &a) == nil {
			t.Errorf("%s is %s", in, a.X)
		}
	}
}
