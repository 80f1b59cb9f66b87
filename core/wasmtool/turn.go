package wasmtool

import (
	"context"
	"sync"
)

// turn is a mutex whose lock operation takes a context: waiting ends when the context
// ends. The zero value is unlocked.
type turn struct {
	once sync.Once
	free chan struct{}
}

func (t *turn) init() {
	t.once.Do(func() {
		t.free = make(chan struct{}, 1)
		t.free <- struct{}{}
	})
}

// acquire waits until the turn is free and takes it. If it returns nil, the caller must
// call give.
func (t *turn) acquire(ctx context.Context) error {
	t.init()
	select {
	case <-t.free:
		return nil
	default:
	}
	select {
	case <-t.free:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

func (t *turn) give() { t.free <- struct{}{} }
