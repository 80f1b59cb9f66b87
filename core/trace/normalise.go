package trace

import (
	"bytes"
	"encoding/json"

	"golem/core/sorting"
)

// Normalise returns the part of a trace that is the same in two runs of one
// project on any platform (SPEC §16): the events that are kept, without seq,
// times, durations, and the fuel of modules whose fuel varies. They are sorted
// by id, so that calls that ran in parallel are in the order in which they were
// requested. The given events do not change.
func Normalise(events []Event) []Event {
	out := make([]Event, 0, len(events))
	for _, e := range events {
		if e.Body == nil || e.Body.Transient() {
			continue
		}
		e.Seq, e.TS = 0, ""
		e.Body = timeless(e.Body)
		out = append(out, e)
	}
	sorting.By(out, func(a, b Event) int { return CompareID(a.ID, b.ID) })
	return out
}

// timeless returns the body without times and durations, and without names made of them.
func timeless(b Body) Body {
	switch b := b.(type) {
	case RunStart:
		b.Resumes = "" // it is a time and random digits
		return b
	case RunEnd:
		b.MS = 0
		return b
	case WorkerEnd:
		b.MS = 0
		return b
	case ModelEnd:
		b.MS = 0
		if b.Reasoning != nil {
			reasoned := *b.Reasoning
			reasoned.MS = 0
			b.Reasoning = &reasoned
		}
		return b
	case ToolEnd:
		b.MS = 0
		if b.FuelVaries {
			b.Fuel = 0
		}
		return b
	case Retry:
		b.WaitMS = 0
		return b
	}
	return b
}

// NormalText returns a normalised trace as text, to compare or store: the
// header without run, version, platform and started, then the events of
// Normalise, one per line, without ms and wait_ms, also those of a turn's
// reasoning. Events that cannot be encoded are left out.
func NormalText(h Header, events []Event) string {
	var out bytes.Buffer
	head, err := json.Marshal(struct {
		Golem   string `json:"golem"`
		V       int    `json:"v"`
		Project string `json:"project"`
		Entry   string `json:"entry"`
	}{"trace", Version, h.Project, h.Entry})
	if err == nil {
		out.Write(appendJSON(nil, head, nil))
		out.WriteByte('\n')
	}
	for _, e := range Normalise(events) {
		line, err := Encode(e)
		if err != nil {
			continue
		}
		out.Write(withoutClock(line))
		out.WriteByte('\n')
	}
	return out.String()
}

// withoutClock removes the time fields from a line.
func withoutClock(line []byte) []byte {
	out := []byte{'{'}
	for _, m := range members(line, 1) {
		if m.name == "ms" || m.name == "wait_ms" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			continue // unreachable: a string always encodes
		}
		raw := m.raw
		if m.name == "reasoning" {
			raw = withoutClock(raw)
		}
		out = append(append(append(out, name...), ':'), raw...)
	}
	return append(out, '}')
}
