package run

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A call that waits for another one does not take a place that a third one could use.
func TestWaitingCallTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		at := make([]time.Duration, 4)
		long := []time.Duration{10 * time.Second, time.Second, time.Second, time.Second}
		together(2, waitsFor([]order{orderWrite, orderRead, orderFree, orderFree}), func(int) {}, func(i int) {
			at[i] = time.Since(begun)
			time.Sleep(long[i])
		})
		if want := []time.Duration{0, 10 * time.Second, 0, time.Second}; !slices.Equal(at, want) {
			t.Errorf("started at %v, want %v", at, want)
		}
	})
}

// The rules of SPEC §5 for the calls of one turn hold for any turn: at most limit calls
// run at once, changes run in order and not beside reads, and each call that waits is
// reported.
func TestTogether(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		calls, long := make([]order, random.IntN(9)), make([]time.Duration, 9)
		for i := range calls {
			calls[i], long[i] = order(random.IntN(3)), time.Duration(random.IntN(4))*time.Second
		}
		limit := 1 + random.IntN(4)
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			begin, end := make([]time.Time, len(calls)), make([]time.Time, len(calls))
			waited := make([]bool, len(calls))
			start := time.Now()
			var started []int
			together(limit, waitsFor(calls), func(i int) { waited[i] = true }, func(i int) {
				mu.Lock()
				begin[i] = time.Now()
				started = append(started, i)
				mu.Unlock()
				time.Sleep(long[i])
				end[i] = time.Now()
			})
			if len(started) != len(calls) {
				t.Fatalf("seed %d: %d of %d calls ran", seed, len(started), len(calls))
			}
			for i, o := range calls {
				for j := range i {
					if o != orderFree && calls[j] != orderFree && (o == orderWrite || calls[j] == orderWrite) && begin[i].Before(end[j]) {
						t.Errorf("seed %d: call %d of %v began before %d had ended", seed, i, calls, j)
					}
				}
				if begin[i].After(start) && !waited[i] {
					t.Errorf("seed %d: nobody heard that call %d of %v waits", seed, i, calls)
				}
				running := 0
				for j := range calls {
					if !begin[j].After(begin[i]) && end[j].After(begin[i]) {
						running++
					}
				}
				if running > limit {
					t.Errorf("seed %d: %d of %v ran beside each other, limit %d", seed, running, calls, limit)
				}
			}
		})
	}
}
