package batch

import (
	"context"
	"encoding/json"

	"golem/core/fault"
)

// localHolder holds an item of a Local.
type localHolder struct {
	of      *Local
	index   int
	attempt int
}

var _ Holder = (*localHolder)(nil)

// entry returns the item, or E_CONFLICT if it has another holder. The caller holds mu.
func (h *localHolder) entry() (*entry, error) {
	e := &h.of.entries[h.index]
	if !e.held || e.attempts != h.attempt {
		return nil, fault.New(fault.Conflict, "another holder has the item %s now", fault.Quoted(e.key))
	}
	return e, nil
}

// held calls do with the item, while it holds mu.
func (h *localHolder) held(do func(e *entry) error) error {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	e, err := h.entry()
	if err != nil {
		return err
	}
	return do(e)
}

// Append implements Holder.
func (h *localHolder) Append(_ context.Context, at int, lines ...Line) error {
	return h.append(at, false, lines)
}

// Note implements Holder.
func (h *localHolder) Note(_ context.Context, at int, lines ...Line) error {
	return h.append(at, true, lines)
}

func (h *localHolder) append(at int, idle bool, lines []Line) error {
	return h.held(func(e *entry) error {
		if at != e.lines {
			return fault.New(fault.Conflict, "the log of the item %s has %s, and the holder knows of %d", fault.Quoted(e.key), fault.Count(e.lines, "line"), at)
		}
		r := record{N: e.n, Idle: idle}
		for _, line := range lines {
			if !json.Valid(line) {
				return fault.New(fault.Config, "a line of an item's log is not JSON")
			}
			r.Lines = append(r.Lines, json.RawMessage(line))
		}
		if len(lines) == 0 {
			return nil
		}
		return h.of.append(e, r)
	})
}

// PutBlob implements Holder.
func (h *localHolder) PutBlob(_ context.Context, data []byte) (digest string, err error) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	e, err := h.entry()
	if err != nil {
		return "", err
	}
	digest = sum(data)
	if _, there := e.blobs[digest]; there {
		return digest, nil
	}
	return digest, h.of.append(e, record{N: e.n, Blob: digest, Data: data})
}

// Blob implements Holder.
func (h *localHolder) Blob(_ context.Context, digest string) ([]byte, error) {
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	e, err := h.entry()
	if err != nil {
		return nil, err
	}
	at, there := e.blobs[digest]
	if !there {
		return nil, fault.New(fault.NotFound, "the item %s has no such blob", fault.Quoted(e.key))
	}
	line, err := h.of.read(h.of.segment(e.n/segmentItems).logs.name, at)
	var r record
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil && sum(r.Data) != digest {
		err = fault.New(fault.Config, "a blob of the item %s is damaged", fault.Quoted(e.key))
	}
	return r.Data, err
}

// Ask implements Holder.
func (h *localHolder) Ask(_ context.Context, q Question) error {
	return h.held(func(e *entry) error {
		if e.question != q.Key { // otherwise its mark says so already: the item asks again what it asked
			if err := h.of.mark(e, mark{N: e.n, Status: Parked, Question: &q}); err != nil {
				return err
			}
		}
		if err := h.of.append(e, record{N: e.n, Release: true}); err != nil {
			return err
		}
		e.status, e.question = Parked, q.Key
		setHeld(h.of, e, false)
		if _, known := AnswerTo(h.of.answers, q); known { // somebody answered meanwhile
			openParked(h.of, h.index)
		}
		return nil
	})
}

// Finish implements Holder.
func (h *localHolder) Finish(_ context.Context, r Result) error {
	return h.held(func(e *entry) error {
		if !r.Status.Ended() {
			return fault.New(fault.Config, "%s is not an end of an item", r.Status)
		}
		r.Item, r.Attempt = e.key, e.attempts
		return h.of.end(h.index, r)
	})
}

// Retry implements Holder.
func (h *localHolder) Retry(_ context.Context, r Result) error {
	return h.held(func(e *entry) error {
		if err := h.of.append(e, record{N: e.n, Clear: true, Spent: e.spentWith(r.Usage), Failures: e.failures + 1}); err != nil {
			return err
		}
		setHeld(h.of, e, false)
		h.of.waiting = append(h.of.waiting, h.index)
		return nil
	})
}

// Release implements Holder.
func (h *localHolder) Release(context.Context) error {
	return h.held(func(e *entry) error {
		if err := h.of.append(e, record{N: e.n, Release: true}); err != nil {
			return err
		}
		setHeld(h.of, e, false)
		h.of.waiting = append(h.of.waiting, h.index)
		return nil
	})
}
