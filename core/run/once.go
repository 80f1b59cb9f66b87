package run

import (
	"context"
	"sync"

	"golem/core/fault"
)

// onces opens each thing of a tree once, for all its worker runs, without
// holding up who wants another. The zero value is ready.
type onces[T any] struct {
	mu sync.Mutex
	by map[string]*once[T]
}

// once is one thing; value and err are set when done is closed.
type once[T any] struct {
	done  chan struct{}
	value T
	err   error
}

// get returns what key names, opening it for the first who asks. Who waits for
// the first waits as long as ctx. If retry is set a failure is kept for nobody:
// who waited tries again, with a context of its own.
func (o *onces[T]) get(ctx context.Context, key string, retry bool, open func() (T, error)) (T, error) {
	for {
		e, first := o.entry(key)
		if first {
			defer close(e.done)
			e.value, e.err = open()
			if e.err != nil && retry {
				o.forget(key)
			}
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

// entry is what stands for key; first says that the caller is to open it.
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
