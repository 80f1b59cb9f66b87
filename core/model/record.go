package model

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// maxRecordedIDs bounds the worker runs whose last request a recorder remembers. It
// only saves memory: the next request of a forgotten run is written whole.
const maxRecordedIDs = 1024

// Recorder writes the answers of models to a recording, for replay: models. It
// is safe for concurrent use and writes each line with one Write.
type Recorder struct {
	version string
	redact  tool.Redactor
	tests   bool // see ForTests

	mu      sync.Mutex
	w       io.Writer
	started bool
	err     error               // the first write that failed; nothing is written after it
	last    map[string][]string // by worker run: the digests of its last request
}

// NewRecorder returns a recorder that writes to w, which the caller closes.
// version is golem's version for the header. redact removes secrets from
// everything that is written; it may be nil.
func NewRecorder(w io.Writer, version string, redact tool.Redactor) *Recorder {
	if redact == nil {
		redact = tool.NoSecrets{}
	}
	return &Recorder{w: w, version: version, redact: redact, last: map[string][]string{}}
}

// ForTests makes the recording one for a test: its keys have only the names of built-in
// tools, and attempts that were made again are left out, because a test does not wait. Call
// it before anything is recorded.
func (rec *Recorder) ForTests() *Recorder {
	rec.tests = true
	return rec
}

func (rec *Recorder) header(model string) recordingHeader {
	h := recordingHeader{Golem: "recording", V: 1, Model: model, Version: rec.version}
	if rec.tests {
		h.Keys = byNames
	}
	return h
}

// recordingOf returns m with its answers recorded to w, for a single model.
func recordingOf(m Model, w io.Writer, redact tool.Redactor) Model {
	return NewRecorder(w, "", redact).Wrap(m)
}

// Wrap returns m with its answers recorded. Put it inside WithRetry: then each
// attempt is one line, and a replay repeats the failures, too. Interruptions
// are not recorded. If the recording cannot be written, the request fails with
// E_REPLAY.
func (rec *Recorder) Wrap(m Model) Model { return &recorded{m, rec} }

type recorded struct {
	model Model
	rec   *Recorder
}

var _ Model = (*recorded)(nil)

// Name returns the wrapped model's name.
func (m *recorded) Name() string { return m.model.Name() }

func (m *recorded) unwrap() Model { return m.model }

// Generate asks the wrapped model and writes one line.
func (m *recorded) Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	var deltas []string
	began := time.Now()
	turn, err := m.model.Generate(ctx, r, func(d Delta) {
		if d.Text != "" {
			deltas = append(deltas, d.Text)
		}
		if show != nil {
			show(d)
		}
	})
	line := recordingLine{ID: r.ID, Turn: r.Turn, Worker: r.Worker, FellBack: r.fellBack, Deltas: deltas}
	if err == nil {
		line.Answer = &recordedAnswer{turn.Text, turn.Calls, turn.Kept, turn.Finish, turn.Usage, turn.ServerCalls, turn.Paused, m.requestTime(r, began)}
	} else {
		f := fault.Of(err, fault.Model)
		if f.Code == fault.Interrupted {
			return turn, err
		}
		line.Failure = recordFailure(f)
		if turn.Usage.In+turn.Usage.Out > 0 {
			line.Failure.Usage = &turn.Usage
		}
	}
	if werr := m.rec.write(m.Name(), r, line); werr != nil {
		return Turn{}, werr
	}
	return turn, err
}

// Played is a model whose answers were given before, as those of a kept conversation.
type Played interface {
	// Took returns how long the request took then, in milliseconds; 0: it is not known.
	Took(r Request) int64
}

// requestTime returns how long a request took; 0 in a recording that is not for a test.
func (m *recorded) requestTime(r Request, began time.Time) int64 {
	if !m.rec.tests {
		return 0
	}
	if p, ok := m.model.(Played); ok {
		return p.Took(r)
	}
	return time.Since(began).Milliseconds()
}

func recordFailure(f *fault.Fault) *recordedFailure {
	out := &recordedFailure{Message: f.Message, Hint: f.Hint, Final: true}
	if f.Code != fault.Model {
		out.Code = f.Code
	}
	if c := failureOf(f); c != nil {
		out.Status, out.RetryAfterMS, out.Final = c.status, c.retryAfter.Milliseconds(), !c.retry
	}
	return out
}

func (rec *Recorder) write(model string, r Request, line recordingLine) error {
	if rec.tests && line.Failure != nil && !line.Failure.Final {
		return nil
	}
	q, err := digest(r, rec.redact, rec.tests)
	if err != nil {
		return fault.New(fault.Replay, "the request cannot be recorded: %w", err)
	}
	rec.clean(&line)
	line.Key = q.key
	rec.mu.Lock()
	defer rec.mu.Unlock()
	line.Same, line.Asked = rec.digestsSince(r.ID, q.messages)
	if rec.tests {
		line.Lines = linesOfAll(q.asked[line.Same:])
	}
	if !rec.started {
		rec.started = true
		rec.put(rec.header(model))
	}
	rec.put(line)
	if rec.err != nil {
		return fault.New(fault.Replay, "the recording cannot be written: %w", pathless(rec.err)).
			Hinting("free some space, or run without --record")
	}
	return nil
}

// digestsSince returns a request's digests as the change from the last request of its run: how
// many are the same at the beginning, and the rest.
func (rec *Recorder) digestsSince(id string, messages []string) (same int, rest []string) {
	before := rec.last[id]
	for same < len(before) && same < len(messages) && before[same] == messages[same] {
		same++
	}
	if len(rec.last) >= maxRecordedIDs {
		rec.last, same = map[string][]string{}, 0
	}
	rec.last[id] = slices.Clone(messages)
	return same, messages[same:]
}

// clean removes secrets from a line.
func (rec *Recorder) clean(line *recordingLine) {
	for i, d := range line.Deltas {
		line.Deltas[i] = rec.redact.Redact(d)
	}
	if a := line.Answer; a != nil {
		a.Text = rec.redact.Redact(a.Text)
		a.Calls = slices.Clone(a.Calls)
		for i, c := range a.Calls {
			a.Calls[i] = Call{ID: c.ID, Name: rec.redact.Redact(c.Name), Args: rec.redact.Redact(c.Args), Invalid: rec.redact.Redact(c.Invalid)}
		}
		a.Kept = a.Kept.redacted(rec.redact)
		a.ServerCalls = slices.Clone(a.ServerCalls)
		for i, s := range a.ServerCalls {
			a.ServerCalls[i].Args, a.ServerCalls[i].Result = cleaned(s.Args, rec.redact), cleaned(s.Result, rec.redact)
		}
		// A secret may lie across pieces: then only the whole text is safe.
		if whole := strings.Join(line.Deltas, ""); whole != a.Text {
			line.Deltas = []string{a.Text}
		}
	} else if whole := rec.redact.Redact(strings.Join(line.Deltas, "")); whole != strings.Join(line.Deltas, "") {
		line.Deltas = []string{whole}
	}
	if f := line.Failure; f != nil {
		f.Message, f.Hint = rec.redact.Redact(f.Message), rec.redact.Redact(f.Hint)
	}
}

// cleaned returns a JSON value without secrets; nil stays nil.
func cleaned(v json.RawMessage, redact tool.Redactor) json.RawMessage {
	if len(v) == 0 {
		return nil
	}
	return raw(v, redact)
}

// put writes v as one line with one Write. After a failed Write it writes nothing.
func (rec *Recorder) put(v any) {
	if rec.err != nil {
		return
	}
	data, err := json.Marshal(v)
	if err == nil {
		data = append(data, '\n')
		var n int
		if n, err = rec.w.Write(data); err == nil && n < len(data) {
			err = fmt.Errorf("only %d of %d bytes were written", n, len(data))
		}
	}
	rec.err = err
}
