package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/tool"
)

// replay is a model that answers from a recording, and from nothing else.
type replay struct {
	name    string
	model   string // the recorded model, as the recording's first line names it
	redact  tool.Redactor
	names   bool // the keys have only the names of built-in tools
	context int  // tokens that the recorded model is known to read; 0: not known

	mu     sync.Mutex
	byKey  map[string][]*take // in recorded order
	all    []*take
	missed *fault.Fault // of the first request without an answer
}

// take is one recorded attempt.
type take struct {
	recordingLine
	messages []string // the digests of the whole request
	used     bool
}

var _ Model = (*replay)(nil)

func openReplay(name, rest string, c Config) (Model, error) {
	data, err := c.readFile(name, rest, maxRecording)
	if err != nil {
		return nil, err
	}
	all, err := parseRecording(rest, data)
	if err != nil {
		return nil, err
	}
	var h recordingHeader
	head, _, _ := bytes.Cut(data, []byte("\n"))
	_ = json.Unmarshal(head, &h) // it was parsed above
	r := &replay{name: name, model: h.Model, names: h.Keys == byNames, redact: c.Redact, context: c.Listing(h.Model).Context, byKey: map[string][]*take{}, all: all}
	for _, t := range all {
		r.byKey[t.Key] = append(r.byKey[t.Key], t)
	}
	return r, nil
}

// parseRecording reads a recording. A torn last line, left by a crash of the run that was
// recorded, is dropped; any other malformed line is E_REPLAY. A recording for tests is written
// whole, so that there a torn line is one that was damaged later.
func parseRecording(file string, data []byte) ([]*take, error) {
	head, rest, _ := bytes.Cut(data, []byte("\n"))
	var h recordingHeader
	if json.Unmarshal(head, &h) != nil || h.Golem != "recording" {
		return nil, fault.New(fault.Replay, "this file is not a recording").At(file, 1, 1).
			Hinting("make one with --record FILE").InPage("", "record a run to make one")
	}
	if h.V != 1 {
		return nil, fault.New(fault.Replay, "this recording has version %d; this golem reads 1", h.V).At(file, 1, 1).
			Hinting("record it again")
	}
	var all []*take
	last, copies := map[string][]string{}, maxCopied
	for n := 2; len(rest) > 0; n++ {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		if len(bytes.TrimSpace(line)) == 0 || isNoAttempt(line) && (ended || json.Valid(line)) {
			continue
		}
		t := &take{}
		if err := json.Unmarshal(line, &t.recordingLine); err != nil {
			if !ended && h.Keys == byNames {
				return nil, fault.New(fault.Replay, "the recording is damaged: it ends in the middle of a line").At(file, n, 0).Hinting("record it again")
			}
			if !ended {
				break
			}
			return nil, fault.New(fault.Replay, "this line does not have the form of a recording").At(file, n, 0).Hinting("record it again")
		}
		if t.Key == "" || (t.Answer == nil) == (t.Failure == nil) || t.Answer != nil && t.Answer.Finish == "" {
			return nil, fault.New(fault.Replay, "this line must have a key and exactly one complete answer or failure").At(file, n, 0).Hinting("record it again")
		}
		t.follow(last[t.ID], &copies)
		last[t.ID] = t.messages
		all = append(all, t)
	}
	return all, nil
}

// maxCopied bounds the digests that are copied while reading, whose number a hostile
// file could make quadratic. Beyond it, miss tells less exactly what differs.
const maxCopied = 8 << 20

// follow sets the digests of the whole request from those of the line before of the
// same run. A line that only adds messages shares the memory of the one before.
func (t *take) follow(before []string, copies *int) {
	t.messages = t.Asked
	switch {
	case t.Same <= 0 || t.Same > len(before):
	case t.Same == len(before):
		t.messages = append(before, t.Asked...)
	case t.Same <= *copies:
		*copies -= t.Same
		t.messages = append(before[:t.Same:t.Same], t.Asked...)
	}
}

// Recorded returns the model that a recording names; "" if m is no recording.
func Recorded(m Model) string {
	if r, ok := undecorated(m).(*replay); ok {
		return r.model
	}
	return ""
}

// Name returns "replay:" and the file's name.
func (m *replay) Name() string { return m.name }

// Generate returns the recorded attempt for a request with the same key.
func (m *replay) Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error) {
	if ctx.Err() != nil {
		return Turn{}, ended(ctx, m.name)
	}
	q, err := digest(r, m.redact, m.names)
	if err != nil {
		return Turn{}, fault.New(fault.Replay, "the request cannot be compared: %w", err)
	}
	t, lost := m.nextRecorded(q.key, r.ID)
	if t == nil {
		return Turn{}, m.note(m.miss(r, q))
	}
	if show != nil {
		for _, d := range t.Deltas {
			show(Delta{Text: d})
		}
	}
	if t.Failure != nil {
		lost = lost.Add(t.Failure.billed())
		if lost == (Usage{}) {
			return Turn{}, t.Failure.err()
		}
		return Turn{Model: m.name, Usage: lost}, t.Failure.err()
	}
	turn := Turn{
		Text: t.Answer.Text, Calls: slices.Clone(t.Answer.Calls), Kept: t.Answer.Kept, Finish: t.Answer.Finish,
		Usage: t.Answer.Usage, Model: m.name, Attempts: 1, ServerCalls: t.Answer.ServerCalls, Paused: t.Answer.Paused,
	}
	turn.Usage = lost.Add(turn.Usage.notNegative())
	ownIDs(r.Messages, turn.Calls)
	return turn, nil
}

// notNegative returns u without negative numbers, which a file may contain.
func (u Usage) notNegative() Usage {
	u.In, u.Out, u.Cached, u.Written = max(0, u.In), max(0, u.Out), max(0, u.Cached), max(0, u.Written)
	return u
}

// nextRecorded returns the next attempt recorded for key, preferring one of the same id, and
// marks it as used. It passes over a failure after which the next model of a list was
// asked; lost is what such attempts were billed.
func (m *replay) nextRecorded(key, id string) (t *take, lost Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t = m.next(key, id); t != nil; {
		t.used = true
		after := m.next(key, t.ID)
		if t.Failure == nil || after == nil || !after.FellBack || after.ID != t.ID {
			break
		}
		lost = lost.Add(t.Failure.billed())
		t = after
	}
	return t, lost
}

// next returns the next attempt recorded for key that is not used, preferring one of
// the same id; nil if there is none.
func (m *replay) next(key, id string) *take {
	var next *take
	for _, t := range m.byKey[key] {
		switch {
		case t.used:
		case t.ID == id:
			return t
		case next == nil:
			next = t
		}
	}
	return next
}

// miss returns the fault that tells where the request differs from the recording.
func (m *replay) miss(r Request, q requestDigests) *fault.Fault {
	m.mu.Lock()
	defer m.mu.Unlock()
	where := fmt.Sprintf("%s has no answer for worker %s, turn %d", m.name, r.Worker, r.Turn)
	hint := "the workers, tools or files have changed since the recording: record it again"
	if n := len(m.byKey[q.key]); n > 0 {
		return fault.New(fault.Replay, "%s: this request was recorded %s, and the run makes it once more", where, fault.Count(n, "time")).Hinting("%s", hint)
	}
	near, same := m.nearest(r, q)
	switch {
	case near == nil:
		return fault.New(fault.Replay, "%s: the recording has no request that begins like this one", where).Hinting("%s", hint)
	case same == len(q.messages) && same == len(near.messages):
		return fault.New(fault.Replay, "%s: the messages are the same as in the recording, but the tools or the output schema differ", where).Hinting("%s", hint)
	case same == len(q.messages):
		return fault.New(fault.Replay, "%s: the recorded request has more messages after message %d", where, same).Hinting("%s", hint)
	}
	msg := r.Messages[same]
	what := string(msg.Role)
	if msg.Tool != "" {
		what = "result of " + msg.Tool
	}
	if at := same - len(near.messages) + len(near.Asked); at >= 0 && at < len(near.Lines) {
		switch place, line := difference(q.asked[same].Text, near.Lines[at]); {
		case line != "":
			return fault.New(fault.Replay, "%s: message %d (%s) differs from the recording %s: %s", where, same+1, what, place, m.quote(Message{Text: line})).Hinting("%s", hint)
		case place != "":
			return fault.New(fault.Replay, "%s: message %d (%s) differs from the recording, %s", where, same+1, what, place).Hinting("%s", hint)
		}
	}
	return fault.New(fault.Replay, "%s: message %d (%s) differs from the recording: %s", where, same+1, what, m.quote(msg)).Hinting("%s", hint)
}

// note stores the fault of the first request without an answer.
func (m *replay) note(f *fault.Fault) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.missed == nil {
		m.missed = f
	}
	return f
}

// Missed returns the fault of the first request to which a recording had no answer; nil if
// there is none, or m is no recording.
func Missed(m Model) *fault.Fault {
	r, ok := undecorated(m).(*replay)
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.missed
}

// RecordedMS returns how long the requests took whose recorded answers were given, in
// milliseconds; 0 if it is not known, or m is no recording.
func RecordedMS(m Model) (ms int64) {
	r, ok := undecorated(m).(*replay)
	if !ok {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.all {
		if t.used && t.Answer != nil {
			ms += max(0, min(t.Answer.MS, longestRecorded))
		}
	}
	return ms
}

// longestRecorded bounds the time of a request that a file may claim, in milliseconds.
const longestRecorded = 24 * 60 * 60 * 1000

// nearest returns the recorded request that has the most messages at the beginning in
// common with q, and how many. Of equals it takes one of the same worker run and turn,
// then the first.
func (m *replay) nearest(r Request, q requestDigests) (best *take, same int) {
	score := -1
	for _, t := range m.all {
		n := 0
		for n < len(t.messages) && n < len(q.messages) && t.messages[n] == q.messages[n] {
			n++
		}
		s := 4 * n
		if t.ID == r.ID {
			s += 2
		}
		if t.ID == r.ID && t.Turn == r.Turn {
			s++
		}
		if s > score && (n > 0 || t.ID == r.ID) {
			best, same, score = t, n, s
		}
	}
	return best, same
}

// quote returns the beginning of a message, redacted, on one line.
func (m *replay) quote(msg Message) string {
	text := msg.Text
	for _, c := range msg.Calls {
		text += " " + c.Name + c.Args
	}
	if m.redact != nil {
		text = m.redact.Redact(text)
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80]) + "…"
	}
	return fmt.Sprintf("%q", text)
}
