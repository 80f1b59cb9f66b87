package trace

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestCompareID(t *testing.T) {
	want := []string{"", "0", "0.1", "0.1.2", "0.2", "0.2.1", "0.10", "0.x", "1", "x", "x.1"}
	got := slices.Clone(want)
	rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, CompareID)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, a := range want {
		for _, b := range want {
			if CompareID(a, b) != -CompareID(b, a) || (CompareID(a, b) == 0) != (a == b) {
				t.Errorf("%q and %q: %d, %d", a, b, CompareID(a, b), CompareID(b, a))
			}
		}
	}
}

// Scenario 35: two runs differ only in run ids and times, in whatever order their
// parallel calls ran.
func TestNormalise(t *testing.T) {
	fuel := func(varies bool, n int64) Event {
		return Event{ID: "0.9", Body: ToolEnd{Tool: "t", Fuel: n, FuelVaries: varies}}
	}
	one := append(sampleEvents(), fuel(true, 71), fuel(false, 9))
	other := append(sampleEvents(), fuel(true, 72), fuel(false, 9))
	// The same events later and slower, with parallel calls in another order.
	slices.SortStableFunc(other, func(a, b Event) int { return -CompareID(a.ID, b.ID) })
	for i := range other {
		other[i].Seq, other[i].TS = int64(i), "later"
		if b, ok := other[i].Body.(ToolEnd); ok {
			b.MS += 5
			other[i].Body = b
		}
	}
	h := sampleHeader
	h.Run, h.Version, h.Platform, h.Started = "r2", "9", "browser", "x"
	a, b := NormalText(sampleHeader, one), NormalText(h, other)
	if a != b {
		t.Errorf("%s\nis not\n%s", a, b)
	}
	for _, bad := range []string{`"ms"`, `"wait_ms"`, `"seq"`, `"ts"`, `"type":"ask"`, "r1", "native"} {
		if strings.Contains(a, bad) {
			t.Errorf("%s stands in\n%s", bad, a)
		}
	}
	if !strings.Contains(a, `"fuel":9`) || strings.Contains(a, `"fuel":7`) || !strings.Contains(a, `"fuel_varies":true`) {
		t.Errorf("fuel in\n%s", a)
	}
	if first := strings.SplitN(a, "\n", 2)[0]; first != `{"golem":"trace","v":1,"project":"demo","entry":"root"}` {
		t.Error(first)
	}
	if one[4].Body.(ModelEnd).MS != 7 {
		t.Error("the events given were changed")
	}
}
