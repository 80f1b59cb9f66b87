package batch

import (
	"io/fs"

	"golem/core/fault"
)

// Wanted says which items are looked for. An empty field is any.
type Wanted struct {
	Item   string // its key, or its directory
	Status Status
	Code   fault.Code // of its error
}

// Check returns an error if there is no such status or code.
func (w Wanted) Check() error {
	switch w.Status {
	case "", OK, NeedsInput, Failed, Parked, Open, Cancelled:
	default:
		return fault.New(fault.Usage, "%s is not a status of an item", fault.Quoted(string(w.Status))).Hinting("use ok, needs_input, error, parked, open or cancelled")
	}
	if w.Code == "" {
		return nil
	}
	var known []string
	for _, code := range fault.Codes() {
		if code == w.Code {
			return nil
		}
		known = append(known, string(code))
	}
	return fault.New(fault.Usage, "%s is not the code of an error", fault.Quoted(string(w.Code))).Hinting("%s", fault.DidYouMean(string(w.Code), known))
}

// named reports whether an item with this key can be one of those.
func (w Wanted) named(key string) bool {
	return w.Item == "" || w.Item == key || w.Item == DirName(key)
}

func (w Wanted) matches(r Result) bool {
	return w.named(r.Item) && (w.Status == "" || w.Status == r.Status) && (w.Code == "" || r.Error != nil && r.Error.Code == w.Code)
}

// Find calls yield with the result of each item that is looked for, in the order of the inputs.
func (l *Local) Find(w Wanted, yield func(Result) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return find(l, w, func(r Result, _ *entry) error { return yield(r) })
}

// Traces calls yield with the result of each item that is looked for and has ended, and with its
// trace as JSON lines; nil: it has none.
func (l *Local) Traces(w Wanted, yield func(Result, []byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return find(l, w, func(r Result, e *entry) error {
		if !r.Status.Ended() {
			return nil
		}
		lines, err := traceOf(l, e)
		if err != nil {
			return err
		}
		return yield(r, lines)
	})
}

// find calls yield with the result of each item that is looked for. The caller holds mu.
func find(l *Local, w Wanted, yield func(Result, *entry) error) error {
	l.kept = map[string]fs.File{}
	defer func() {
		closeKept(l)
		l.kept = nil
	}()
	for i := range l.entries {
		e := &l.entries[i]
		if !w.named(e.key) || w.Status != "" && w.Status != e.status {
			continue
		}
		r, err := l.result(e)
		if err == nil && w.matches(r) {
			err = yield(r, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// traceOf returns the trace of an item; nil: it has none. The caller holds mu.
func traceOf(l *Local, e *entry) ([]byte, error) {
	m, err := l.markOf(e)
	if err != nil || len(m.Trace) != 2 {
		return nil, err
	}
	return l.read(l.segment(e.n/segmentItems).traces.name, span{m.Trace[0], int(m.Trace[1])})
}
