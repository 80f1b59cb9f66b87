package ui

import (
	"sync"
	"time"
)

// Ticker calls a function again and again, in a goroutine of its own.
type Ticker struct {
	end, ended chan struct{}
	once       sync.Once
}

// Every returns a ticker that calls tick at each interval until Stop.
func Every(interval time.Duration, tick func()) *Ticker {
	e := &Ticker{end: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(e.ended)
		t := time.NewTicker(interval)
		defer t.Stop()
		for {
			select {
			case <-e.end:
				return
			case <-t.C:
				tick()
			}
		}
	}()
	return e
}

// Stop ends the ticker, and returns when its goroutine has ended. A nil ticker has ended.
func (e *Ticker) Stop() {
	if e != nil {
		e.once.Do(func() { close(e.end) })
		<-e.ended
	}
}
