package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golem/core/fault"
	"golem/core/trace"
)

// span is a part of a file: where it begins and how many bytes it has.
type span struct {
	at   int64
	size int
}

// segment has the files of segmentItems items: the marks, which say how far each item is, the
// logs of those that have not ended, and the traces.
type segment struct {
	marks, logs, traces *appended
	open                int // items that have not ended
}

// appended is a file of which only the end changes.
type appended struct {
	name string
	out  io.WriteCloser // nil: not open yet
	size int64
}

func (a *appended) close() {
	if a.out != nil {
		_ = a.out.Close() // what was written is written
		a.out = nil
	}
}

func (s *segment) close() {
	for _, a := range []*appended{s.marks, s.logs, s.traces} {
		a.close()
	}
}

// The kinds of files of a segment.
const (
	marksKind  = "marks"
	logsKind   = "logs"
	tracesKind = "traces"
)

// fileOf returns the name of a file of a segment.
func fileOf(number int, kind string) string { return fmt.Sprintf("%05d.%s.jsonl", number, kind) }

// segmentsOf returns how many segments a batch has.
func segmentsOf(h Head) int { return (h.Next + segmentItems - 1) / segmentItems }

// segment returns a segment. The caller holds mu.
func (l *Local) segment(number int) *segment {
	s := l.segments[number]
	if s == nil {
		file := func(kind string) *appended { return &appended{name: fileOf(number, kind)} }
		s = &segment{marks: file(marksKind), logs: file(logsKind), traces: file(tracesKind)}
		l.segments[number] = s
	}
	return s
}

// add appends bytes to a file, and returns where they are. If the file ends in an incomplete
// line, as after a kill, that line is ended first; readers leave it out.
func (l *Local) add(a *appended, data []byte) (span, error) {
	if a.out == nil {
		if l.lock == nil {
			return span{}, fault.New(fault.Busy, "the batch %s is only read", l.Head.Name)
		}
		torn := false
		info, err := fs.Stat(l.store.Files, a.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			a.size = 0
		case err != nil:
			return span{}, err
		default:
			if a.size = info.Size(); a.size > 0 {
				last, err := l.read(a.name, span{a.size - 1, 1})
				if err != nil {
					return span{}, err
				}
				torn = last[0] != '\n'
			}
		}
		if a.out, err = l.store.Host.Append(a.name); err != nil {
			return span{}, err
		}
		if torn {
			data = append([]byte{'\n'}, data...)
			at, err := l.write(a, data)
			return span{at + 1, len(data) - 1}, err
		}
	}
	at, err := l.write(a, data)
	return span{at, len(data)}, err
}

// write appends bytes to an open file. After an error the file is opened anew, so that its size
// is right.
func (l *Local) write(a *appended, data []byte) (at int64, err error) {
	at = a.size
	if _, err = a.out.Write(data); err != nil {
		a.close()
		return at, err
	}
	a.size += int64(len(data))
	return at, nil
}

// mark says how far an item is; of several for one item the last counts.
type mark struct {
	N        int       `json:"n"`
	Status   Status    `json:"status"`
	Result   *Result   `json:"result,omitempty"`
	Question *Question `json:"question,omitempty"`
	Trace    []int64   `json:"trace,omitempty"` // where the item's trace is: offset and size
}

// record is a line of the logs. Of an item it has a new holder, entries of its log, a blob, the
// return of the item, or the beginning of a new log.
type record struct {
	N       int               `json:"n"`
	Lease   int               `json:"lease,omitempty"` // the attempt
	Worker  string            `json:"worker,omitempty"`
	Lines   []json.RawMessage `json:"lines,omitempty"`
	Idle    bool              `json:"idle,omitempty"` // Lines are no progress
	Blob    string            `json:"blob,omitempty"`
	Data    []byte            `json:"data,omitempty"`
	Release bool              `json:"release,omitempty"`
	Clear   bool              `json:"clear,omitempty"`
	Spent   *trace.Usage      `json:"spent,omitempty"` // with Clear: what all attempts before used
	// Failures is with Clear how often the item failed since a person ran it.
	Failures int `json:"failures,omitempty"`
}

// loadSegment reads the marks of a segment, and where the logs of its open items are.
func (l *Local) loadSegment(number int) error {
	s := l.segment(number)
	err := l.eachLine(s.marks.name, func(at span, line []byte) error {
		var m mark
		if json.Unmarshal(line, &m) != nil { // a line of a process that was killed while it wrote
			return nil
		}
		if i, known := l.byN[m.N]; known {
			e := &l.entries[i]
			e.status, e.mark, e.question = m.Status, at, ""
			if m.Question != nil {
				e.question = m.Question.Key
			}
			if m.Result != nil {
				e.attempts = max(e.attempts, m.Result.Attempt)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for n := number * segmentItems; n < (number+1)*segmentItems; n++ {
		if i, known := l.byN[n]; known && !l.entries[i].status.Ended() {
			s.open++
		}
	}
	if s.open == 0 {
		return nil
	}
	return l.eachLine(s.logs.name, func(at span, line []byte) error {
		var r record
		if json.Unmarshal(line, &r) != nil {
			return nil
		}
		if i, known := l.byN[r.N]; known && !l.entries[i].status.Ended() {
			l.entries[i].note(r, at)
		}
		return nil
	})
}

// note notes a line of the logs.
func (e *entry) note(r record, at span) {
	switch {
	case r.Clear:
		e.forget()
		e.barren, e.spent, e.failures = 0, r.Spent, r.Failures
	case r.Lease > 0:
		e.attempts = r.Lease
		e.barren++
	case r.Release:
		e.barren = 0
	case r.Blob != "":
		if e.blobs == nil {
			e.blobs = map[string]span{}
		}
		e.blobs[r.Blob] = at
	default:
		e.log = append(e.log, at)
		e.lines += len(r.Lines)
		if !r.Idle {
			e.barren = 0
		}
	}
}

// spentWith returns what the attempts before and this one used; nil: nothing.
func (e *entry) spentWith(used *trace.Usage) *trace.Usage {
	switch {
	case e.spent == nil:
		return used
	case used == nil:
		return e.spent
	}
	all := e.spent.Plus(*used)
	return &all
}

// forget forgets the log of an item.
func (e *entry) forget() { e.log, e.lines, e.blobs = nil, 0, nil }

// append appends a line to the logs. The caller holds mu.
func (l *Local) append(e *entry, r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	at, err := l.add(l.segment(e.n/segmentItems).logs, append(data, '\n'))
	if err == nil && r.Lease == 0 {
		e.note(r, at)
	}
	return err
}

// mark appends a mark. The caller holds mu.
func (l *Local) mark(e *entry, m mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	s := l.segment(e.n / segmentItems)
	at, err := l.add(s.marks, append(data, '\n'))
	if err != nil {
		return err
	}
	if e.status.Ended() != m.Status.Ended() {
		if s.open++; m.Status.Ended() {
			s.open -= 2
		}
	}
	e.mark = at
	return nil
}

// markOf reads the last mark of an item. The caller holds mu.
func (l *Local) markOf(e *entry) (m mark, err error) {
	if e.mark.size == 0 {
		return m, nil
	}
	data, err := l.read(l.segment(e.n/segmentItems).marks.name, e.mark)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

// log reads the log of an item. The caller holds mu.
func (l *Local) log(e *entry) (out []Line, err error) {
	for _, at := range e.log {
		data, err := l.read(l.segment(e.n/segmentItems).logs.name, at)
		var r record
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			return nil, err
		}
		for _, line := range r.Lines {
			out = append(out, Line(line))
		}
	}
	return out, nil
}

// end ends an item. When all items of its segment have ended, their logs are removed. The
// caller holds mu.
func (l *Local) end(i int, r Result) error {
	e := &l.entries[i]
	r.Usage = e.spentWith(r.Usage)
	if r.Usage != nil && r.Usage.Cost > 0 {
		r.Cost = json.RawMessage(r.Usage.Cost.String())
	}
	m := mark{N: e.n, Status: r.Status, Result: &r}
	s := l.segment(e.n / segmentItems)
	if len(r.Trace) > 0 {
		at, err := l.add(s.traces, endingInLine(r.Trace))
		if err != nil {
			return err
		}
		m.Trace = []int64{at.at, int64(at.size)}
	}
	if err := l.mark(e, m); err != nil {
		return err
	}
	e.status, e.question = r.Status, ""
	setHeld(l, e, false)
	e.forget()
	if s.open == 0 {
		s.close()
		if err := l.store.Files.Remove(s.logs.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func endingInLine(data []byte) []byte {
	if bytes.HasSuffix(data, []byte{'\n'}) {
		return data
	}
	return append(data, '\n')
}

// Trace returns the trace of an item, as JSON lines. An item that has not ended has none.
func (l *Local) Trace(key string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.entries {
		e := &l.entries[i]
		if !(Wanted{Item: key}).named(e.key) {
			continue
		}
		lines, err := traceOf(l, e)
		if err == nil && lines == nil {
			err = fault.New(fault.NotFound, "the item %s has no trace: it is %s", fault.Quoted(key), e.status)
		}
		return lines, err
	}
	return nil, fault.New(fault.NotFound, "the batch %s has no item %s", l.Head.Name, fault.Quoted(key)).Hinting("golem batch show %s lists them", l.Head.Name)
}
