package natsqueue

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"golem/core/batch"
	"golem/core/fault"
	"golem/core/trace"
)

// kind says what a record of an item's log is.
type kind string

const (
	leaseKind   kind = "lease"   // the item has a holder
	linesKind   kind = "lines"   // lines of the log
	noteKind    kind = "note"    // lines that are no progress
	releaseKind kind = "release" // the holder gives the item back
	askKind     kind = "ask"     // the item waits for an answer
	endKind     kind = "end"     // the item has ended; it is the only record then
	openKind    kind = "open"    // the item begins anew; it is the only record then
)

// record is one message of an item's log.
type record struct {
	Kind kind `json:"kind"`
	// After is the sequence of the message before on the subject: a copy of the message at
	// another place is recognised by it.
	After uint64 `json:"after"`
	// Key is the key that the records of a lease are signed with, this one included.
	Key      ed25519.PublicKey `json:"key,omitempty"`
	Attempt  int               `json:"attempt,omitempty"`
	Worker   string            `json:"worker,omitempty"`
	Job      uint64            `json:"job,omitempty"` // the sequence of the lease's job
	Lines    []json.RawMessage `json:"lines,omitempty"`
	Objects  []string          `json:"objects,omitempty"` // that were kept for the lines
	Question *batch.Question   `json:"question,omitempty"`
	Result   *batch.Result     `json:"result,omitempty"`
	Trace    []byte            `json:"trace,omitempty"`
	Outputs  []output          `json:"outputs,omitempty"`
	Staged   []output          `json:"staged,omitempty"`
	Spent    *trace.Usage      `json:"spent,omitempty"`    // by the attempts before the item began anew
	Failures int               `json:"failures,omitempty"` // before it began anew
}

// itemLog is what the log of an item says.
type itemLog struct {
	subject  string
	last     uint64 // the sequence of the last message; 0: there is none
	status   batch.Status
	lines    []batch.Line
	attempts int
	barren   int               // holders in a row that appended nothing and did not give the item back
	holder   ed25519.PublicKey // the key of the lease; nil: nobody holds the item
	job      uint64            // of the lease
	objects  []string          // that the log names
	question *batch.Question
	result   *batch.Result
	outputs  []output
	staged   []output
	spent    *trace.Usage
	failures int
}

func newLog(subject string) *itemLog { return &itemLog{subject: subject, status: batch.Open} }

// readLog reads the log of an item.
func (q *Queue) readLog(ctx context.Context, dir string) (*itemLog, error) {
	l := newLog(q.subjectOf(logSubject, dir))
	_, err := q.readOn(ctx, l)
	return l, err
}

// readOn reads what was appended to the log since, and returns how many records count.
func (q *Queue) readOn(ctx context.Context, l *itemLog) (n int, err error) {
	for {
		m, err := q.next(ctx, l.subject, l.last)
		if err != nil || m == nil {
			return n, err
		}
		err = q.note(ctx, l, m)
		if errors.As(err, new(ignored)) && l.last > 0 {
			err = q.noteAlone(ctx, l, m, err)
		}
		if err == nil {
			n++
		} else if !q.ignores(l.subject, err) {
			return n, err
		}
		l.last = m.Sequence
	}
}

// noteAlone notes a message that does not follow what was read: if it is the only one now, it
// replaced that. Otherwise it returns why, the reason to ignore it.
func (q *Queue) noteAlone(ctx context.Context, l *itemLog, m *jetstream.RawStreamMsg, why error) error {
	first, err := q.next(ctx, l.subject, 0)
	if err != nil {
		return err
	}
	if first == nil || first.Sequence != m.Sequence {
		return why
	}
	*l = *newLog(l.subject)
	return q.note(ctx, l, m)
}

// note adds a message to what is known of the item. One that its writer was not allowed to write
// is ignored.
func (q *Queue) note(ctx context.Context, l *itemLog, m *jetstream.RawStreamMsg) error {
	b, err := q.unpack(ctx, l.subject, m.Data)
	if err != nil {
		return err
	}
	var r record
	if json.Unmarshal(b.data, &r) != nil {
		return ignored("it is not a record")
	}
	if err := l.allow(b, r); err != nil {
		return err
	}
	if b.object != "" {
		l.objects = append(l.objects, b.object)
	}
	l.apply(r)
	return nil
}

// allow returns why it ignores a record that its writer was not allowed to append.
func (l *itemLog) allow(b body, r record) error {
	first := l.last == 0
	key := r.Key
	switch {
	case !first && r.After != l.last:
		return ignored("it is a copy of a message from another place in the log")
	case r.Kind == leaseKind && (l.status.Ended() || r.Attempt != l.attempts+1):
		return ignored("its lease does not follow the one before")
	case r.Kind == endKind && r.Result == nil, r.Kind == askKind && r.Question == nil:
		return ignored("it is not complete")
	case r.Kind == leaseKind, first && (r.Kind == endKind || r.Kind == openKind):
	default:
		key = l.holder
	}
	if !b.signedBy(key) {
		return ignored("its writer does not hold the item")
	}
	return nil
}

// apply changes what is known of the item as a record says.
func (l *itemLog) apply(r record) {
	l.objects = append(l.objects, r.Objects...)
	switch r.Kind {
	case leaseKind:
		l.status, l.question = batch.Open, nil
		l.attempts, l.holder, l.job = r.Attempt, r.Key, r.Job
		l.barren++
	case linesKind, noteKind:
		for _, line := range r.Lines {
			l.lines = append(l.lines, batch.Line(line))
		}
		if r.Kind == linesKind {
			l.barren = 0
		}
	case releaseKind:
		l.holder, l.barren = nil, 0
	case askKind:
		l.holder, l.barren, l.status, l.question = nil, 0, batch.Parked, r.Question
	case endKind:
		l.holder, l.status, l.result, l.attempts = nil, r.Result.Status, r.Result, r.Result.Attempt
		l.result.Trace, l.outputs, l.staged = r.Trace, r.Outputs, r.Staged
	case openKind:
		l.holder, l.status, l.attempts, l.spent, l.failures = nil, batch.Open, r.Attempt, r.Spent, r.Failures
		l.lines, l.objects, l.barren = nil, nil, 0
	}
}

// spentWith returns what the attempts before and this one used; nil: nothing.
func (l *itemLog) spentWith(used *trace.Usage) *trace.Usage {
	switch {
	case l.spent == nil:
		return used
	case used == nil:
		return l.spent
	}
	all := l.spent.Plus(*used)
	return &all
}

// add appends a record to the log of an item, as its holder or to become it. If somebody else
// appended a record that counts, that is E_CONFLICT.
func (q *Queue) add(ctx context.Context, l *itemLog, r record) error {
	only := r.Kind == endKind || r.Kind == openKind
	if only || r.Kind == leaseKind {
		r.Key = q.sealer.public()
	}
	for {
		r.After = l.last
		data, object, err := q.pack(ctx, l.subject, r, q.sealer.private)
		if err != nil {
			return err
		}
		sequence, err := q.publish(ctx, message{subject: l.subject, data: data, after: &r.After, only: only, ends: r.Kind == endKind || r.Kind == askKind})
		if err == nil {
			l.last = sequence
			if object != "" && !only {
				l.objects = append(l.objects, object)
			}
			l.apply(r)
			return nil
		}
		if object != "" {
			q.removeObjects(ctx, []string{object})
		}
		if !errors.Is(err, errMoved) {
			return err
		}
		n, err := q.readOn(ctx, l)
		if err != nil {
			return err
		}
		if n > 0 {
			return fault.New(fault.Conflict, "another holder has the item now")
		}
	}
}
