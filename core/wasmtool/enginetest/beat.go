package enginetest

import (
	"runtime"
	"time"
)

// stall is how long others may wait while a module runs: generous, because
// machines are loaded; an engine that lets nobody in waits until its call ends.
const stall = 5 * time.Second

// A beat is a goroutine that wants to run every few milliseconds, and to
// collect garbage now and then, which stops every goroutine for a moment.
type beat struct {
	stop chan struct{}
	gap  chan time.Duration
}

func newBeat() *beat {
	b := &beat{stop: make(chan struct{}), gap: make(chan time.Duration, 1)}
	go b.run()
	return b
}

func (b *beat) run() {
	var longest time.Duration
	last := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-b.stop:
			b.gap <- max(longest, time.Since(last))
			return
		case <-tick.C:
			longest = max(longest, time.Since(last))
			if n%10 == 0 {
				runtime.GC()
			}
			last = time.Now()
		}
	}
}

// end stops it and tells for how long it was kept from running, at most.
func (b *beat) end() time.Duration {
	close(b.stop)
	return <-b.gap
}
