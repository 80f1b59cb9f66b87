package run

import (
	"context"
	"sync"

	"golem/core/fault"
)

// onces is a cache that opens each value once for all worker runs of a tree, by key.
// While one value is being opened, others can be opened too. The zero value is ready.
type onces[T any] struct {
	mu sync.Mutex
	by map[string]*once[T]
}

// once is one entry of the cache; value and err are set when done is closed.
type once[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns the value of key. The first caller opens it; others wait until it is open
// or their ctx ends. If retry is set, a failure is not kept: each caller that waited
// tries again, with its own context.
func (o *onces[T]) get(ctx context.Context, key string, retry bool, open func() (T, error)) (T, error) {
	for {
		e, first := o.entry(key)
		if first {
			o.open(e, key, retry, open)
			return e.value, e.err
		}
		select {
		case <-e.done:
			if e.err == nil || !retry {
				return e.value, e.err
			}
		case <-ctx.Done():
			var none T
			return none, fault.Of(context.Cause(ctx), fault.Interrupted)
		}
	}
}

// open opens the value of an entry. If open panics, the entry is forgotten, and those who
// wait for it get an error.
func (o *onces[T]) open(e *once[T], key string, retry bool, open func() (T, error)) {
	e.err = fault.New(fault.Tool, "a defect of golem ended the opening of %s", key)
	ended := false
	defer func() {
		if !ended || e.err != nil && retry {
			o.forget(key)
		}
		close(e.done)
	}()
	e.value, e.err = open()
	ended = true
}

// entry returns the entry of key; first says that the caller must open the value.
func (o *onces[T]) entry(key string) (e *once[T], first bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if e, found := o.by[key]; found {
		return e, false
	}
	if o.by == nil {
		o.by = map[string]*once[T]{}
	}
	e = &once[T]{done: make(chan struct{})}
	o.by[key] = e
	return e, true
}

func (o *onces[T]) forget(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.by, key)
}
