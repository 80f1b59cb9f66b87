package run

import "slices"

// order says which calls of its turn a call must wait for.
type order int

const (
	orderFree  order = iota // workers, and unknown names
	orderRead               // read-only tools, and modules that are granted nothing
	orderWrite              // everything else
)

// waitsFor returns for each call of a turn the calls that must end before it starts: a
// call that can change something waits for the reads and changes before it, a read for
// the changes before it, a worker for nothing (SPEC §5). Calls for which the latest
// change waited already are not listed again.
func waitsFor(calls []order) [][]int {
	out := make([][]int, len(calls))
	var change, reads []int // the latest change; the reads since
	for i, o := range calls {
		switch o {
		case orderRead:
			out[i] = change
			reads = append(reads, i)
		case orderWrite:
			out[i] = slices.Concat(change, reads)
			change, reads = []int{i}, nil
		}
	}
	return out
}

// together runs calls in parallel, at most limit of them, and returns when all have
// ended. after[i] lists the calls that must end before i starts. Of the calls that are
// ready, the first in order starts first. waits is called once for each call that
// cannot start at once.
func together(limit int, after [][]int, waits, do func(i int)) {
	ended := make(chan int)
	started, done := make([]bool, len(after)), make([]bool, len(after))
	ready := func(i int) bool {
		for _, j := range after[i] {
			if !done[j] {
				return false
			}
		}
		return !started[i]
	}
	first, running := 0, 0
	for left := len(after); left > 0; left-- {
		for first < len(after) && started[first] {
			first++
		}
		for i := first; i < len(after) && running < max(1, limit); i++ {
			if ready(i) {
				started[i] = true
				running++
				go func() {
					defer func() { ended <- i }()
					do(i)
				}()
			}
		}
		for i := first; i < len(after) && left == len(after); i++ {
			if !started[i] {
				waits(i)
			}
		}
		done[<-ended] = true
		running--
	}
}
