package opfs

import (
	"io"
	"io/fs"
	"sync"
	"syscall/js"
)

// Log is an open file to which data is only appended, such as a trace. Unless Gathers
// is set, the data is in the file when Write returns, so a tab that dies loses no line;
// Sync also writes it to the disk. While the Log is open, nothing else can write the
// file. It is safe for concurrent use. Another tab sees new data at once only if the
// file is below a directory .golem; of other files it may show what it has cached.
type Log struct {
	// Gathers says that Write may buffer data, so that many lines become one write. The
	// buffer is written when the program waits for anything, uses OPFS or calls Flush, and
	// when it would exceed 64 KiB. A later Write or Close returns an error of that write.
	// Set Gathers before the first Write.
	Gathers bool

	fs   *FS
	name string

	mu   sync.Mutex
	out  js.Value // a Log of logs.js; undefined after Close
	data []byte   // the data of the current Write; the field keeps it on the heap, where Go moves nothing
}

var _ io.WriteCloser = (*Log)(nil)

// Append opens a file for appending. It creates the file and its parents if
// they do not exist. If the file is open for writing already, it returns E_BUSY. The
// caller closes the Log.
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

// Write appends data to the file, or to the buffer if Gathers is set. The first error
// is final: after it nothing more is written, and every Write returns it.
func (l *Log) Write(data []byte) (int, error) {
	return len(data), l.runStep(func() js.Value {
		if !l.fs.direct {
			return l.fs.tree.Call("put", l.out, arrayOf(data), 0, 0, l.Gathers)
		}
		l.data = data
		defer func() { l.data = nil }()
		return l.fs.tree.Call("put", l.out, nil, address(data), len(data), l.Gathers)
	})
}

// Sync writes the buffer and flushes the file to the disk.
func (l *Log) Sync() error { return l.runStep(func() js.Value { return l.out.Call("sync") }) }

// runStep runs a step in JavaScript that returns the name of an error, or "".
func (l *Log) runStep(step func() js.Value) error {
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
	return l.runStep(func() js.Value {
		defer func() { l.out = js.Undefined() }()
		return l.out.Call("close")
	})
}

// Flush writes the buffers of all logs that gather. Call it before the program passes
// anything to the outside in another way than through this package, so that nobody
// knows of an event whose line could still be lost.
func Flush() { js.Global().Get("golemLogs").Call("flush") }
