package enginetest

import (
	"runtime"
	"time"
)

// long is how long a call must take to tell anything about those beside it, and busy for
// how much of it this process must have had a processor: on a machine that gives it none,
// nobody runs.
const (
	long = 5 * time.Second
	busy = long / 2
)

var started = time.Now()

// processorTime is how long processors have worked for this process, where a test can tell;
// otherwise how long it runs.
var processorTime = func() time.Duration { return time.Since(started) }

// needed is how often others run at least during a long call: past the first
// collection of garbage, which an engine that lets nobody in holds up until
// its call ends. On a free machine it is a hundred times as often.
const needed = 2 * collect

// collect is after how many beats garbage is collected.
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

// end stops it, and tells whether it hardly ran in a long time.
func (b *beat) end() (alone bool) {
	took, used := time.Since(b.begun), processorTime()-b.used
	close(b.stop)
	return <-b.count < needed && took > long && used > busy
}
