package opfs

import (
	"io"
	"io/fs"
	"sync"
	"syscall/js"
)

// Log is a file that data is only appended to, such as a trace. When Write
// returns, the data is in the file, unless Gathers is set, so a tab that dies loses
// no line; Sync also writes it to the disk. While the Log is open, nothing else can write the
// file. It is safe for concurrent use. Another tab sees the file grow at once
// only below a directory .golem: of other files it may keep what it read before.
type Log struct {
	// Gathers says that the data may wait while the program goes on, until it waits for
	// anything, uses OPFS, or calls Flush: many lines then are one write. At most
	// 64 KiB wait. An error is told by a later Write, or by Close. Set it before the first
	// Write.
	Gathers bool

	fs   *FS
	name string

	mu   sync.Mutex
	out  js.Value // a Log of logs.js; undefined after Close
	data []byte   // what is being written: on the heap, where Go moves nothing
}

var _ io.WriteCloser = (*Log)(nil)

// Append opens a file for appending. It creates the file and its parents if
// they do not exist.
func (f *FS) Append(name string) (*Log, error) {
	if err := target(name, true); err != nil {
		return nil, failed("append", name, err)
	}
	a := f.bridge.call(f.tree, "append", name)
	if a.failure != "" {
		return nil, f.failed("append", name, a)
	}
	return &Log{fs: f, name: name, out: a.value}, nil
}

// Write appends data.
func (l *Log) Write(data []byte) (int, error) {
	return len(data), l.do(func() js.Value {
		if !l.fs.direct {
			return l.fs.tree.Call("put", l.out, arrayOf(data), 0, 0, l.Gathers)
		}
		l.data = data
		defer func() { l.data = nil }()
		return l.fs.tree.Call("put", l.out, nil, address(data), len(data), l.Gathers)
	})
}

// Sync writes the data to the disk.
func (l *Log) Sync() error { return l.do(func() js.Value { return l.out.Call("sync") }) }

// do runs a step of JavaScript's that answers with the name of an error.
func (l *Log) do(step func() js.Value) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out.IsUndefined() {
		return failed("append", l.name, fs.ErrClosed)
	}
	if failure := step().String(); failure != "" {
		return l.fs.failed("append", l.name, answer{failure: failure})
	}
	return nil
}

// Close syncs and closes the file. A second Close does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	closed := l.out.IsUndefined()
	l.mu.Unlock()
	if closed {
		return nil
	}
	return l.do(func() js.Value {
		defer func() { l.out = js.Undefined() }()
		return l.out.Call("close")
	})
}

// Flush writes what logs have gathered. A host does it before it tells anybody
// anything, other than through this package.
func Flush() { js.Global().Get("golemLogs").Call("flush") }
