package wasmtool

import (
	"context"
	"sync"
)

// turn lets one caller in at a time. Waiting ends when a context ends. The zero
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

// take waits until nobody else is in. Who got in must call give afterwards.
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
