package sandbox

import (
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
)

// Limits are the most that one run may write. A field that is 0 sets no limit.
type Limits struct {
	Bytes int64 // bytes written in total
	Files int   // writes and new directories in total
	// Handles is the number of files open at the same time.
	Handles int
}

// Quota counts what one run writes in all its views, and applies the limits. A
// nil Quota has no limits.
type Quota struct {
	limits  Limits
	mu      sync.Mutex
	bytes   int64
	files   int
	handles int
}

// NewQuota returns a quota that has counted nothing yet.
func NewQuota(l Limits) *Quota { return &Quota{limits: l} }

// countWrite counts a write of size bytes before it happens. It returns E_QUOTA, and counts
// nothing, if the write would exceed a limit.
func (q *Quota) countWrite(p place, size int64) error {
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
// E_LIMIT. It does not trust the size that the file reports, so a sparse or
// growing file never needs more memory than the limit.
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
