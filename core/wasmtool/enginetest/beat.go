package enginetest

import (
	"runtime"
	"time"
)

// A call tells whether the engine lets other goroutines run only if it takes longer than
// long and this process has used processors for longer than busy meanwhile: on a loaded
// machine no goroutine of the process may run.
const (
	long = 5 * time.Second
	busy = long / 2
)

var started = time.Now()

// processorTime returns the processor time that this process has used. Until a test sets
// it, it returns the time since the start of the process.
var processorTime = func() time.Duration { return time.Since(started) }

// needed is how often a beat must run at least during a long call. It is more than one
// garbage collection, because an engine that lets no other goroutine run delays the
// collection until its call ends. On an idle machine a beat runs a hundred times as often.
const needed = 2 * collect

// collect is the number of ticks between two garbage collections.
const collect = 10

// A beat is a goroutine that wants to run every few milliseconds, and to
// collect garbage now and then, which stops every goroutine for a moment.
type beat struct {
	stop  chan struct{}
	count chan int
	begun time.Time
	used  time.Duration // processorTime before
}

func newBeat() *beat {
	b := &beat{stop: make(chan struct{}), count: make(chan int, 1), begun: time.Now(), used: processorTime()}
	go b.run()
	return b
}

func (b *beat) run() {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-b.stop:
			b.count <- n
			return
		case <-tick.C:
			if n%collect == 0 {
				runtime.GC()
			}
		}
	}
}

// end stops the beat, and reports whether it hardly ran during a long call.
func (b *beat) end() (alone bool) {
	took, used := time.Since(b.begun), processorTime()-b.used
	close(b.stop)
	return <-b.count < needed && took > long && used > busy
}
