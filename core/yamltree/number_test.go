package yamltree

import (
	"strings"
	"testing"
)

// 010 is 8 in YAML 1.1 and 10 in YAML 1.2, so golem reads it as neither.
func TestNumbersThatBeginWithZero(t *testing.T) {
	for _, text := range []string{"010", "-010", "08", "00", "0_10", "[010]"} {
		_, faults := Parse("x.yaml", []byte("a: 1\nb: "+text))
		if len(faults) != 1 || !strings.Contains(faults[0].Error(), "x.yaml:2:") || !strings.Contains(faults[0].Error(), "begins with 0: YAML 1.1 reads it as octal") {
			t.Errorf("%s: %v", text, faults)
		}
	}
	for text, want := range map[string]int64{"0o10": 8, "0x10": 16, "0b10": 2, "-0o10": -8, "0": 0, "-0": 0, "1_000": 1000} {
		n, faults := Parse("x.yaml", []byte("b: "+text))
		if len(faults) > 0 || n.Get("b").Count(-1) != int(want) {
			t.Errorf("%s: %v %v", text, n, faults)
		}
	}
	n, faults := Parse("x.yaml", []byte(`{a: "010", b: 0.5, c: 0e1, d: 010x}`))
	if len(faults) > 0 || n.Get("a").Tag != TagText || n.Get("b").Tag != TagFloat || n.Get("d").Tag != TagText {
		t.Error(n, faults)
	}
	c := &Conformer{}
	c.Conform(n.Get("a"), Count(0, 100), "max_depth")
	if got := c.Faults.Err().Error(); strings.Contains(got, "without quotes") {
		t.Error("the hint leads to the next fault:", got)
	}
}
