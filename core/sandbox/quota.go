package sandbox

import (
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
)

// Limits bound what one run writes; zero fields bound nothing.
type Limits struct {
	Bytes int64 // written in all
	Files int   // writes and new directories in all
	// Handles are the files open at one time.
	Handles int
}

// Quota counts one run's writes against its limits, over all its views. A nil
// Quota bounds nothing.
type Quota struct {
	limits  Limits
	mu      sync.Mutex
	bytes   int64
	files   int
	handles int
}

// NewQuota starts counting at zero.
func NewQuota(l Limits) *Quota { return &Quota{limits: l} }

// take books a write before it is done.
func (q *Quota) take(p place, size int64) error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.limits.Bytes > 0 && q.bytes+size > q.limits.Bytes {
		return fault.New(fault.Quota, "%s was not written: this run can write at most %d bytes and has already written %d", Abs(p.name), q.limits.Bytes, q.bytes)
	}
	if q.limits.Files > 0 && q.files+1 > q.limits.Files {
		return fault.New(fault.Quota, "%s was not written: this run can write at most %d times", Abs(p.name), q.limits.Files)
	}
	q.bytes += size
	q.files++
	return nil
}

// ReadFile reads a regular file of at most limit bytes; a larger one is
// E_LIMIT. It never trusts the size a file claims, so that a sparse or growing
// file costs no more than the limit.
func ReadFile(fsys fs.FS, name string, limit int64) (data []byte, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := f.Close(); err == nil && cerr != nil {
			data, err = nil, cerr
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, perr("read", name, ErrIsDir)
	}
	if info.Size() > limit {
		return nil, tooLarge(name, limit)
	}
	data, err = io.ReadAll(io.LimitReader(f, min(limit, 1<<40)+1))
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge(name, limit)
	}
	return data, err
}

func tooLarge(name string, limit int64) error {
	return fault.New(fault.Limit, "%s has more than %d bytes", Abs(name), limit).Hinting("read it in parts")
}
