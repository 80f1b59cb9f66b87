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

// A log is a file to which lines are only appended. Each line is
//
//	{"mac":"64 hex digits","line":PAYLOAD}
//
// where PAYLOAD is one JSON value, and the MAC covers the MAC of the previous line
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

// Log is a log that is open for appending. It is safe for concurrent use.
type Log struct {
	store  *Store
	format Format
	name   string

	mu   sync.Mutex
	out  io.WriteCloser
	last []byte // MAC of the last line
	err  error  // of the first write that failed; after it nothing is appended
}

// NewLog creates a log. A file of that name must not exist (E_CONFLICT). The caller
// closes the log.
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

// SealedLog returns the content of a log with these payloads, as NewLog and Append write it,
// for a file that is written at once.
func (s *Store) SealedLog(f Format, name string, payloads ...[]byte) ([]byte, error) {
	first, err := json.Marshal(opening{f.Kind, f.Version})
	if err != nil {
		return nil, err
	}
	return s.sealLines(f, name, append([][]byte{first}, payloads...))
}

// sealLines returns a chain of lines; the first payload is the opening.
func (s *Store) sealLines(f Format, name string, payloads [][]byte) ([]byte, error) {
	out, _, err := s.chain(nil, f, name, nil, payloads)
	return out, err
}

// chain appends a line for each payload to out, after the line with the MAC last, and returns
// the last MAC.
func (s *Store) chain(out []byte, f Format, name string, last []byte, payloads [][]byte) (lines, mac []byte, err error) {
	for _, p := range payloads {
		if bytes.IndexByte(p, '\n') >= 0 {
			return nil, nil, fault.New(fault.Config, "a line of %s has a line break", name)
		}
		sum, err := s.mac(f, name, last, p)
		if err != nil {
			return nil, nil, err
		}
		out = append(hex.AppendEncode(append(out, macOpen...), sum), lineOpen...)
		out = append(append(out, p...), '}', '\n')
		last = sum
	}
	return out, last, nil
}

func (l *Log) open() (err error) {
	l.out, err = l.store.open(l.name)
	return err
}

// Append appends one line for each payload, all with one write. A payload is one
// JSON value without a line break. If the write fails, every later Append returns
// the same error, so that no line follows an incomplete one.
func (l *Log) Append(payloads ...[]byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	out, last, err := l.store.chain(nil, l.format, l.name, l.last, payloads)
	if err != nil {
		return err
	}
	if _, err := l.out.Write(out); err != nil {
		l.err = err
		return err
	}
	l.last = last
	return nil
}

// Sync flushes the file to the disk, if the host's file has a Sync method.
func (l *Log) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, ok := l.out.(interface{ Sync() error }); ok && l.err == nil {
		return f.Sync()
	}
	return l.err
}

// Close closes the file. Later calls of Append and Sync return an error.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = fault.Of(fs.ErrClosed, fault.Config)
	}
	return l.out.Close()
}

// Record is the content of a log that ReadLog has read.
type Record struct {
	Lines [][]byte // the payloads after the first line, without lines that cannot be parsed
	// Err says why the log may only be shown and not be resumed: E_TRUST if this machine
	// did not write all of it in this project. If it is nil, the log is genuine.
	Err error
	// Torn says that the last line was incomplete, as after a crash. It is not in
	// Lines, and Reopen removes it.
	Torn bool

	file []byte // without the torn line
	last []byte
}

// ReadLog reads a log. It returns an error if the file cannot be read, and E_CONFIG if it
// is not a log of this kind or has a newer version. If the log is not genuine, the error
// is nil and Record.Err is set.
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

// check verifies the MAC of one line and stores it as the last one of the chain.
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

// Reopen opens a genuine log for appending after its last complete line; it removes an
// incomplete one. The caller must have taken the log's lock before it read the log, and
// closes the returned Log.
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
