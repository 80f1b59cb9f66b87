package state

import (
	"bytes"
	"crypto/hmac"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
)

// A log is a file that lines are only added to. Each line is
//
//	{"mac":"64 hex digits","line":PAYLOAD}
//
// where PAYLOAD is one JSON value, and the MAC covers the MAC of the line before
// and the payload. A line that was changed, removed or moved breaks the chain.
const (
	macOpen  = `{"mac":"`
	lineOpen = `","line":`
	macHex   = 64
	lineFrom = len(macOpen) + macHex + len(lineOpen)
)

// opening is the payload of the first line.
type opening struct {
	Golem string `json:"golem"`
	V     int    `json:"v"`
}

// Log is a log that is open for adding. It is safe for concurrent use.
type Log struct {
	store  *Store
	format Format
	name   string

	mu   sync.Mutex
	out  io.WriteCloser
	last []byte // MAC of the last line
	err  error  // of the first write that failed: nothing is added after it
}

// NewLog creates a log. A file of that name must not exist.
func (s *Store) NewLog(f Format, name string) (*Log, error) {
	if _, err := s.key(); err != nil {
		return nil, err
	}
	if _, err := fs.Stat(s.Files, name); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fault.New(fault.Conflict, "%s exists already", name).Hinting("remove the file, or choose another name")
		}
		return nil, err
	}
	l := &Log{store: s, format: f, name: name}
	if err := l.open(); err != nil {
		return nil, err
	}
	first, err := json.Marshal(opening{f.Kind, f.Version})
	if err == nil {
		err = l.Append(first)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *Log) open() (err error) {
	l.out, err = l.store.open(l.name)
	return err
}

// Append adds lines with one write. A payload is one JSON value without a line
// break. After an error every later Append fails with the same error, so that
// nothing stands behind half a line.
func (l *Log) Append(payloads ...[]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	var out []byte
	last := l.last
	for _, p := range payloads {
		if bytes.IndexByte(p, '\n') >= 0 {
			return fault.New(fault.Config, "a line of %s has a line break", l.name)
		}
		sum, err := l.store.mac(l.format, l.name, last, p)
		if err != nil {
			return err
		}
		out = append(hex.AppendEncode(append(out, macOpen...), sum), lineOpen...)
		out = append(append(out, p...), '}', '\n')
		last = sum
	}
	if _, err := l.out.Write(out); err != nil {
		l.err = err
		return err
	}
	l.last = last
	return nil
}

// Sync writes what was added to the disk, where the host can.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.out.(interface{ Sync() error }); ok && l.err == nil {
		return f.Sync()
	}
	return l.err
}

// Close closes the file. What was added stays.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = fault.Of(fs.ErrClosed, fault.Config)
	}
	return l.out.Close()
}

// Record is a log as it was read.
type Record struct {
	Lines [][]byte // the payloads behind the first line, as far as they can be read
	// Err says why the log may only be shown: E_TRUST if this machine did not write
	// all of it in this project; nil: it is genuine.
	Err error
	// Torn says that the last line was incomplete, as after a crash. It is not in
	// Lines, and Reopen removes it.
	Torn bool

	file []byte // without the torn line
	last []byte
}

// ReadLog reads a log. Its error is that of a file that cannot be read, is not a log of
// this kind, or is of a newer version (E_CONFIG).
func (s *Store) ReadLog(f Format, name string) (*Record, error) {
	file, err := s.read(name)
	if err != nil {
		return nil, err
	}
	whole := file[:bytes.LastIndexByte(file, '\n')+1]
	r := &Record{file: whole, Torn: len(whole) < len(file)}
	first := true
	for line := range bytes.Lines(whole) {
		got, payload, ok := parseLine(bytes.TrimSuffix(line, []byte{'\n'}))
		if first {
			var o opening
			if !ok || json.Unmarshal(payload, &o) != nil || o.Golem != f.Kind || o.V < 1 {
				return nil, notOne(f, name)
			}
			if o.V > f.Version {
				return nil, newer(f, name, o.V)
			}
			f.Version = o.V
		}
		s.check(r, f, name, got, payload, ok)
		if ok && !first {
			r.Lines = append(r.Lines, payload)
		}
		first = false
	}
	if first {
		return nil, notOne(f, name)
	}
	return r, nil
}

// check goes on with the chain over one line.
func (s *Store) check(r *Record, f Format, name string, got, payload []byte, ok bool) {
	if r.Err != nil {
		return
	}
	want, err := s.mac(f, name, r.last, payload)
	switch {
	case err != nil:
		r.Err = err
	case !ok || !hmac.Equal(got, want):
		r.Err = foreign(f, name)
	}
	r.last = want
}

func parseLine(line []byte) (mac, payload []byte, ok bool) {
	if len(line) <= lineFrom || !bytes.HasPrefix(line, []byte(macOpen)) || line[len(line)-1] != '}' ||
		string(line[lineFrom-len(lineOpen):lineFrom]) != lineOpen {
		return nil, nil, false
	}
	payload = line[lineFrom : len(line)-1]
	mac, err := hex.DecodeString(string(line[len(macOpen) : len(macOpen)+macHex]))
	return mac, payload, err == nil && json.Valid(payload)
}

// Reopen opens a genuine log to go on behind its last line. The caller holds its
// lock since before it was read.
func (s *Store) Reopen(f Format, name string, r *Record) (*Log, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	if r.Torn {
		if err := s.Files.WriteFile(name, r.file); err != nil {
			return nil, err
		}
		r.Torn = false
	}
	l := &Log{store: s, format: f, name: name, last: r.last}
	return l, l.open()
}
