package wasmtool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"golem/core/fault"
)

// Walls X11: calls wait in their order until the memory of all modules has room.
func TestCallsWaitForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r room
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		for i, bytes := range []int64{6, 6, 3, 10, 1} {
			id := fmt.Sprintf("0.%d", i+1)
			time.Sleep(time.Millisecond)
			all.Go(func() {
				leave, err := r.enter(t.Context(), id, &holding{id: id, bytes: bytes}, 10)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, id)
				if used := r.inUse(); used > 10 {
					t.Errorf("%d bytes are used", used)
				}
				mu.Unlock()
				time.Sleep(time.Second)
				leave()
				leave() // once is enough
			})
		}
		all.Wait()
		if got := strings.Join(order, " "); got != "0.1 0.2 0.3 0.4 0.5" && got != "0.1 0.3 0.2 0.4 0.5" {
			t.Errorf("%s", got)
		}
		if len(r.holders)+len(r.waiting) != 0 || r.used != 0 {
			t.Errorf("%d bytes are used at the end", r.used)
		}
	})
}

// A call that needs more than all modules may have fails at once; one whose run ends
// stops waiting.
func TestNoWaitWithoutHope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r room
		if _, err := r.enter(t.Context(), "0.1", &holding{id: "0.1", bytes: 11 << 20}, 10<<20); !errors.Is(err, fault.ToolMemory) || !strings.Contains(err.Error(), "11 MiB") {
			t.Errorf("%v", err)
		}
		leave, err := r.enter(t.Context(), "0.1", &holding{id: "0.1", bytes: 10}, 10)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.enter(ctx, "0.2", &holding{id: "0.2", bytes: 1}, 10); !errors.Is(err, fault.Timeout) {
			t.Errorf("%v", err)
		}
		leave()
		if _, ok := r.try(&holding{bytes: 10}, 10); !ok {
			t.Error("the memory is not free again")
		}
		if _, ok := r.try(&holding{bytes: 1}, 10); ok {
			t.Error("more than the total")
		}
	})
}

// Modules that call each other never wait for each other for ever, whatever they call:
// instances of one call, and instances that a worker keeps until it ends.
func TestNestedCallsNeverBlock(outer *testing.T) {
	rapid.Check(outer, func(t *rapid.T) {
		const total = 10
		type node struct {
			bytes    int64
			kept     bool
			children []*node
			after    time.Duration
		}
		left := rapid.IntRange(1, 25).Draw(t, "calls")
		var grow func(depth int) *node
		grow = func(depth int) *node {
			left--
			n := &node{bytes: rapid.Int64Range(0, total).Draw(t, "bytes"), kept: rapid.Bool().Draw(t, "kept"), after: time.Duration(rapid.IntRange(0, 3).Draw(t, "wait")) * time.Second}
			for i := rapid.IntRange(0, 4).Draw(t, "children"); depth < 4 && i > 0 && left > 0; i-- {
				n.children = append(n.children, grow(depth+1))
			}
			return n
		}
		root := grow(0)
		root.bytes = 0
		synctest.Test(outer, func(t *testing.T) { // a deadlock ends it
			var r room
			var run func(id string, n *node) (kept func())
			run = func(id string, n *node) (kept func()) {
				time.Sleep(n.after)
				want := &holding{id: id, bytes: n.bytes}
				if n.kept {
					want.id = id[:strings.LastIndex(id, ".")] // the worker that makes the call
				}
				leave, err := r.enter(t.Context(), id, want, total)
				if err != nil {
					return nil
				}
				if used := r.inUse(); used > total {
					t.Errorf("%d bytes are used", used)
				}
				var all sync.WaitGroup
				kepts := make([]func(), len(n.children))
				for i, c := range n.children {
					all.Go(func() { kepts[i] = run(fmt.Sprintf("%s.%d", id, i+1), c) })
				}
				all.Wait()
				for _, end := range kepts {
					if end != nil {
						end()
					}
				}
				if n.kept {
					return leave
				}
				leave()
				return nil
			}
			if end := run("0.1", root); end != nil {
				end()
			}
			if r.used != 0 || len(r.holders) != 0 || len(r.waiting) != 0 {
				t.Errorf("%d bytes, %d holders and %d waiters are left", r.used, len(r.holders), len(r.waiting))
			}
		})
	})
}

// inUse returns how many bytes are taken now.
func (r *room) inUse() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}
