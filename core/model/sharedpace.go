package model

import (
	"context"
	"time"
)

// SharedPace lets several processes share what a provider says about its limits (SPEC §19): all
// of them wait, and one request of all tries again. Hosts are those of the providers' addresses.
// It is safe for concurrent use.
type SharedPace interface {
	// Enter waits until a request to a host may go out. leave must be called after the answer;
	// room says whether other requests may go out too.
	Enter(ctx context.Context, host string) (leave func(room bool), err error)
	// HoldBack says that a host refuses requests, and for how long they wait.
	HoldBack(host string, wait time.Duration)
}

// Share shares the pace with other processes.
func (p *Pace) Share(with SharedPace) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shared = with
}

// sharedWith returns the pace that the lane shares; nil: it shares none.
func (l *lane) sharedWith() SharedPace {
	if l == nil || l.of == nil {
		return nil
	}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	return l.of.shared
}

// enter waits until a request may go out. The caller calls leave after the answer; room
// says whether other requests may go out too.
func (l *lane) enter(ctx context.Context) (leave func(room bool), err error) {
	here, err := l.enterHere(ctx)
	with := l.sharedWith()
	if err != nil || with == nil {
		return here, err
	}
	there, err := with.Enter(ctx, l.host)
	if err != nil {
		here(false)
		return nil, err
	}
	return func(room bool) {
		there(room)
		here(room)
	}, nil
}

// holdOthersBack holds the requests of other processes back.
func (l *lane) holdOthersBack(wait time.Duration) {
	if with := l.sharedWith(); with != nil {
		with.HoldBack(l.host, min(wait, longestPace))
	}
}
