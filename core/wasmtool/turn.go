package wasmtool

import (
	"context"
	"sync"
)

// turn lets in one at a time; waiting for it ends with a context. The zero
// value is free.
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

// take waits for its turn. Who got it must give it back.
func (t *turn) take(ctx context.Context) error {
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
