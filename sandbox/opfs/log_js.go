package opfs

import (
	"io"
	"io/fs"
	"sync"
	"syscall/js"
)

// Log is a file that data is only appended to, such as a trace. When Write
// returns, the data is in the file, so a tab that dies loses no line; Sync also
// writes it to the disk. While the Log is open, nothing else can write the
// file. It is safe for concurrent use. Another tab sees the file grow at once
// only below a directory .golem: of other files it may keep what it read before.
type Log struct {
	fs   *FS
	name string

	mu   sync.Mutex
	out  js.Value // a FileSystemSyncAccessHandle; undefined after Close
	size int64
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
	return &Log{fs: f, name: name, out: a.value.Index(0), size: int64(a.value.Index(1).Float())}, nil
}

// Write appends data.
func (l *Log) Write(data []byte) (int, error) { return len(data), l.put(data, false) }

// Sync writes the data to the disk.
func (l *Log) Sync() error { return l.put(nil, true) }

func (l *Log) put(data []byte, flush bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out.IsUndefined() {
		return failed("append", l.name, fs.ErrClosed)
	}
	failure := l.fs.tree.Call("put", l.out, arrayOf(data), l.size, flush).String()
	if failure != "" {
		return l.fs.failed("append", l.name, answer{failure: failure})
	}
	l.size += int64(len(data))
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
	err := l.Sync()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.Call("close")
	l.out = js.Undefined()
	return err
}
