package natsqueue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"golem/core/batch"
	"golem/core/fault"
)

// holder holds an item of a Queue.
type holder struct {
	queue *Queue
	job   job
	item  batch.Item

	mu    sync.Mutex
	log   *itemLog
	blobs []string // objects that no record names yet
	ended bool
}

var _ batch.Holder = (*holder)(nil)

// write appends a record. After an error that is E_CONFLICT the item is not the holder's. The
// caller holds mu.
func (h *holder) write(ctx context.Context, r record) error {
	if h.ended {
		return fault.New(fault.Conflict, "the item %s has no holder here any more", fault.Quoted(h.item.Key))
	}
	err := h.queue.add(ctx, h.log, r)
	if errors.Is(err, fault.Conflict) {
		h.ended = true
		h.drop(false)
	}
	return unreachable(err)
}

// drop ends the hold of the item. With acknowledged, its job has ended too.
func (h *holder) drop(acknowledged bool) {
	h.queue.files().forgetInput(h.item)
	h.queue.drop(h.job, acknowledged)
}

// Append implements batch.Holder.
func (h *holder) Append(ctx context.Context, at int, lines ...batch.Line) error {
	return h.append(ctx, linesKind, at, lines)
}

// Note implements batch.Holder.
func (h *holder) Note(ctx context.Context, at int, lines ...batch.Line) error {
	return h.append(ctx, noteKind, at, lines)
}

func (h *holder) append(ctx context.Context, k kind, at int, lines []batch.Line) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at != len(h.log.lines) {
		return fault.New(fault.Conflict, "the log of the item %s has %s, and the holder knows of %d", fault.Quoted(h.item.Key), fault.Count(len(h.log.lines), "line"), at)
	}
	r := record{Kind: k, Objects: h.blobs}
	for _, line := range lines {
		if !json.Valid(line) {
			return fault.New(fault.Config, "a line of an item's log is not JSON")
		}
		r.Lines = append(r.Lines, json.RawMessage(line))
	}
	if len(lines) == 0 && !h.ended {
		return nil
	}
	err := h.write(ctx, r)
	if err == nil {
		h.blobs = nil
	}
	return err
}

// PutBlob implements batch.Holder.
func (h *holder) PutBlob(ctx context.Context, data []byte) (digest string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return "", h.write(ctx, record{})
	}
	digest = digestOf(data)
	name := h.queue.sealer.objectName(h.job.Item, digest)
	if slices.Contains(h.blobs, name) || slices.Contains(h.log.objects, name) {
		return digest, nil
	}
	if err := h.queue.putObject(ctx, name, data); err != nil {
		return "", unreachable(err)
	}
	h.blobs = append(h.blobs, name)
	return digest, nil
}

// Blob implements batch.Holder.
func (h *holder) Blob(ctx context.Context, digest string) ([]byte, error) {
	data, err := h.queue.object(ctx, h.queue.sealer.objectName(h.job.Item, digest))
	switch {
	case errors.Is(err, fault.NotFound):
		return nil, fault.New(fault.NotFound, "the item %s has no such blob", fault.Quoted(h.item.Key))
	case errors.As(err, new(ignored)) || err == nil && digestOf(data) != digest:
		return nil, fault.New(fault.Trust, "a blob of the item %s was changed on the server", fault.Quoted(h.item.Key)).
			Hinting("golem batch retry runs the item anew")
	}
	return data, unreachable(err)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Ask implements batch.Holder.
func (h *holder) Ask(ctx context.Context, question batch.Question) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.write(ctx, record{Kind: askKind, Question: &question, Objects: h.blobs}); err != nil {
		return err
	}
	h.ended = true
	open, err := h.queue.park(ctx, h.job, question)
	if err == nil && open {
		err = h.queue.enqueue(ctx, h.job.N, h.job.Item, jobID(h.job.Item, h.log.last))
	}
	h.drop(err == nil)
	return unreachable(err)
}

// Finish implements batch.Holder.
func (h *holder) Finish(ctx context.Context, r batch.Result) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.Status.Ended() {
		return fault.New(fault.Config, "%s is not an end of an item", r.Status)
	}
	if h.ended {
		return h.write(ctx, record{})
	}
	r.Item = h.item.Key
	h.log.objects = append(h.log.objects, h.blobs...)
	end := record{Result: &r}
	var err error
	if end.Outputs, err = h.queue.files().putOutputs(ctx, h.job.Item, r.Files); err == nil {
		end.Staged, err = h.queue.files().putStaged(ctx, r.Staged)
	}
	if err == nil {
		err = h.queue.end(ctx, h.log, end)
	}
	switch {
	case err == nil:
		h.ended = true
		h.drop(true)
		h.queue.files().forgetOutputs(h.job.Item)
	case errors.Is(err, fault.Conflict):
		h.ended = true
		h.drop(false)
	}
	return unreachable(err)
}

// end ends an item, and removes its log. last has the result and the files of the item.
func (q *Queue) end(ctx context.Context, l *itemLog, last record) error {
	r := *last.Result
	r.Attempt = l.attempts
	r.Usage = l.spentWith(r.Usage)
	if r.Usage != nil && r.Usage.Cost > 0 {
		r.Cost = json.RawMessage(r.Usage.Cost.String())
	}
	last.Kind, last.Result, last.Trace = endKind, &r, r.Trace
	objects := l.objects
	if err := q.add(ctx, l, last); err != nil {
		return err
	}
	q.removeObjects(ctx, objects)
	return nil
}

// Retry implements batch.Holder.
func (h *holder) Retry(ctx context.Context, r batch.Result) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	objects := slices.Concat(h.log.objects, h.blobs)
	if err := h.write(ctx, record{Kind: openKind, Attempt: h.log.attempts, Spent: h.log.spentWith(r.Usage), Failures: h.log.failures + 1}); err != nil {
		return err
	}
	h.queue.removeObjects(ctx, objects)
	return h.giveBack(ctx)
}

// Release implements batch.Holder.
func (h *holder) Release(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.write(ctx, record{Kind: releaseKind, Objects: h.blobs}); err != nil {
		return err
	}
	return h.giveBack(ctx)
}

// giveBack ends the hold of an item whose log says that it is open. The caller holds mu.
func (h *holder) giveBack(ctx context.Context) error {
	h.ended = true
	err := h.queue.enqueue(ctx, h.job.N, h.job.Item, jobID(h.job.Item, h.log.last))
	h.drop(err == nil)
	return unreachable(err)
}
