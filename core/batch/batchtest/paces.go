package batchtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// Pace is what processes know together of a provider that refuses requests (model.SharedPace).
type Pace interface {
	Enter(ctx context.Context, host string) (leave func(room bool), err error)
	HoldBack(host string, wait time.Duration)
}

// Pacing returns the pace of one more process.
type Pacing interface{ Process(t *testing.T) Pace }

// Paces runs the suite that every pace of several processes passes.
func Paces(t *testing.T, pacing func(t *testing.T) Pacing) {
	t.Run("one request of all tries again", func(t *testing.T) { oneTries(t, pacing(t)) })
	t.Run("another tries again after one that broke", func(t *testing.T) { anotherTries(t, pacing(t)) })
}

// provider refuses the first requests.
type provider struct {
	mu          sync.Mutex
	crowd, no   int // requests that come at once, and that are refused one by one after them
	came, there int
	beside      int // requests beside another one that was refused
	all         chan struct{}
}

// ask reports whether the provider accepts a request.
func (p *provider) ask() bool {
	p.mu.Lock()
	p.came++
	p.there++
	n := p.came
	if n == p.crowd {
		close(p.all)
	}
	if n > p.crowd && n <= p.crowd+p.no && p.there > 1 {
		p.beside++
	}
	p.mu.Unlock()
	if n <= p.crowd {
		<-p.all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.there--
	return n > p.crowd+p.no
}

func oneTries(t *testing.T, h Pacing) {
	const processes, jobs = 3, 3
	p := &provider{crowd: processes * jobs, no: 6, all: make(chan struct{})}
	var wait sync.WaitGroup
	var held sync.WaitGroup // all of the crowd know that they were refused
	held.Add(p.crowd)
	for range processes {
		pace := h.Process(t)
		for range jobs {
			wait.Go(func() {
				for first := true; ; first = false {
					leave, err := pace.Enter(t.Context(), "host")
					if err != nil {
						t.Error(err)
						return
					}
					accepted := p.ask()
					if !accepted {
						pace.HoldBack("host", 50*time.Millisecond)
					}
					leave(accepted)
					if accepted {
						return
					}
					if first {
						held.Done()
						held.Wait()
					}
				}
			})
		}
	}
	wait.Wait()
	if most := 2*p.crowd + p.no; p.came != most || p.beside > 0 {
		t.Errorf("%d requests came, and %d are enough; %d came beside one that was refused", p.came, most, p.beside)
	}
	leave, err := h.Process(t).Enter(t.Context(), "host")
	must(t, err)
	leave(true)
}

func anotherTries(t *testing.T, h Pacing) {
	a, b := h.Process(t), h.Process(t)
	a.HoldBack("host", time.Millisecond)
	leave, err := a.Enter(t.Context(), "host")
	must(t, err)
	entered := make(chan error)
	go func() {
		leave, err := b.Enter(t.Context(), "host")
		if err == nil {
			leave(true)
		}
		entered <- err
	}()
	leave(false) // its connection broke
	must(t, <-entered)
	ended, stop := context.WithCancel(t.Context())
	stop()
	a.HoldBack("host", time.Hour)
	if _, err := a.Enter(ended, "host"); err == nil {
		t.Error("it does not wait")
	}
}
