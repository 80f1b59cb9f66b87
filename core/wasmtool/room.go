package wasmtool

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool/guard"
)

// DefaultTotal is how many bytes of memory the instances of all modules may have
// together, where the person's config says nothing.
const defaultTotal int64 = tool.UsualTotal

// room shares the memory of modules out to the instances of one process. An instance
// counts with the most that its memory can grow to. The zero value is ready.
type room struct {
	mu      sync.Mutex
	used    int64
	holders []*holding
	waiting []*waiter // in the order in which they came
}

// holding is the memory of one instance. It is given back when the call (or, for an
// instance that is kept, the worker run) with the id has ended.
type holding struct {
	id    string
	bytes int64
}

// waiter is a call that waits for memory. done gets nil, or why the call cannot wait.
type waiter struct {
	id    string
	want  *holding
	total int64
	done  chan error
}

// isBelow reports whether the call id is below the call or worker run above.
func isBelow(id, above string) bool { return strings.HasPrefix(id, above+".") }

// enter waits until the memory is free, and takes it. call is the call that needs it,
// want.id the call or worker run after which leave is called.
//
// Calls wait in the order in which they came. A call that a module waits for, directly or
// through others, does not wait behind other calls. If every instance waits for such a
// call, none of them can end, so the newest of these calls fails with E_TOOL_MEMORY.
func (r *room) enter(ctx context.Context, call string, want *holding, total int64) (leave func(), err error) {
	if want.bytes > total {
		return nil, tooLarge(want.bytes, total)
	}
	w := &waiter{id: call, want: want, total: total, done: make(chan error, 1)}
	r.mu.Lock()
	r.waiting = append(r.waiting, w)
	r.serveWaiting()
	r.mu.Unlock()
	select {
	case err = <-w.done:
	case <-ctx.Done():
		r.mu.Lock()
		r.waiting = slices.DeleteFunc(r.waiting, func(o *waiter) bool { return o == w })
		r.serveWaiting()
		r.mu.Unlock()
		select {
		case err = <-w.done: // it was its turn at the same moment
			if err == nil {
				r.leave(want)
			}
		default:
		}
		err = ended(ctx)
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { r.leave(want) }), nil
}

// try takes the memory if it is free now.
func (r *room) try(want *holding, total int64) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used+want.bytes > total {
		return nil, false
	}
	r.occupy(want)
	return sync.OnceFunc(func() { r.leave(want) }), true
}

func (r *room) occupy(h *holding) {
	r.used += h.bytes
	r.holders = append(r.holders, h)
}

func (r *room) leave(h *holding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= h.bytes
	r.holders = slices.DeleteFunc(r.holders, func(o *holding) bool { return o == h })
	r.serveWaiting()
}

// serveWaiting gives memory to the calls whose turn it is, and fails those that would wait
// for ever. The caller holds mu.
func (r *room) serveWaiting() {
	for {
		blocked := false // a call that no module waits for is first in the queue
		r.waiting = slices.DeleteFunc(r.waiting, func(w *waiter) bool {
			nested := slices.ContainsFunc(r.holders, func(h *holding) bool { return isBelow(w.id, h.id) })
			if r.used+w.want.bytes > w.total || blocked && !nested {
				blocked = blocked || !nested
				return false
			}
			r.occupy(w.want)
			w.done <- nil
			return true
		})
		i := r.stuck()
		if i < 0 {
			return
		}
		w := r.waiting[i]
		r.waiting = slices.Delete(r.waiting, i, i+1)
		w.done <- fault.New(fault.ToolMemory, "the module needs %d MiB of memory, and the modules that wait for it use %d of the %d MiB that all have together", mebibytes(w.want.bytes), r.used>>20, w.total>>20).
			Hinting("let fewer modules call each other at once: lower delegation.parallel, or write a larger tools.total_memory into your config.yaml")
	}
}

// stuck returns the newest call that waits for instances which all wait for such calls;
// -1 if an instance can still end by itself, or nobody waits.
func (r *room) stuck() int {
	if len(r.waiting) == 0 || len(r.holders) == 0 {
		return -1
	}
	for _, h := range r.holders {
		if !slices.ContainsFunc(r.waiting, func(w *waiter) bool { return isBelow(w.id, h.id) }) {
			return -1
		}
	}
	for i, w := range slices.Backward(r.waiting) {
		if slices.ContainsFunc(r.holders, func(h *holding) bool { return isBelow(w.id, h.id) }) {
			return i
		}
	}
	return -1
}

// idle reports whether no module has memory.
func (r *room) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used == 0
}

func tooLarge(bytes, total int64) error {
	return fault.New(fault.ToolMemory, "the module may use %d MiB of memory, and all modules together have %d MiB", mebibytes(bytes), total>>20).
		Hinting("give it less memory in toolsets.custom.modules, or write a larger tools.total_memory into your config.yaml")
}

func mebibytes(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// mostMemory returns the bytes to which the memory of an instance can grow, if a worker
// gives the module limit; 0: tool.UsualMemory. The file must have been read.
func (m *Module) mostMemory(limit int64) int64 {
	limit = min(cmp.Or(limit, tool.UsualMemory), tool.MostMemory)
	switch mem := m.info.Memory; {
	case mem == nil:
		return 0
	case mem.Max >= guard.MaxMemoryPages:
		return limit
	default:
		return min(int64(mem.Max)<<16, limit)
	}
}

// Admit waits until the memory of the call's instance is free (SPEC §6, Limits). An
// instance that is kept takes it once, and gives it back in Close.
func (t *moduleTool) Admit(ctx context.Context, call string) (leave func(), err error) {
	b := t.bound
	shape, err := b.Module.shape(ctx)
	if err != nil {
		return nil, err
	}
	room, total := &b.Module.library.room, cmp.Or(b.Grants.Total, defaultTotal)
	want := &holding{id: call, bytes: b.Module.mostMemory(b.Grants.Memory)}
	if !t.stateful() || shape == command && !t.export {
		return room.enter(ctx, call, want, total)
	}
	if b.memory.has() {
		return func() {}, nil
	}
	want.id = b.Run
	if leave, err = room.enter(ctx, call, want, total); err != nil {
		return nil, err
	}
	b.memory.set(leave)
	return func() {}, nil
}

// lasting is the memory of an instance that is kept. The zero value has none.
type lasting struct {
	mu    sync.Mutex
	leave func()
}

func (l *lasting) has() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leave != nil
}

// set stores how the memory is given back. If another call was first, it gives the
// memory back at once.
func (l *lasting) set(leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leave != nil {
		leave()
		return
	}
	l.leave = leave
}

func (l *lasting) give() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leave != nil {
		l.leave()
	}
	l.leave = nil
}
