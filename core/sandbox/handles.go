package sandbox

import (
	"io"
	"io/fs"
	"sync"

	"golem/core/fault"
)

// open counts a file as open until it is closed. If the limit is reached, it
// closes the file and returns E_QUOTA.
func (q *Quota) open(f fs.File, name string) (fs.File, error) {
	if q == nil || q.limits.Handles <= 0 {
		return f, nil
	}
	q.mu.Lock()
	full := q.handles >= q.limits.Handles
	if !full {
		q.handles++
	}
	q.mu.Unlock()
	if full {
		if err := f.Close(); err != nil {
			return nil, err
		}
		return nil, perr("open", name, fault.New(fault.Quota, "%s was not opened: this run can have at most %d files open", Abs(name), q.limits.Handles).
			Hinting("close files that are no longer needed"))
	}
	return &booked{wrapped: wrapped{f}, quota: q}, nil
}

// wrapped is an open file that passes ReadAt and Seek on to the file inside it.
type wrapped struct{ fs.File }

// ReadAt reads at an offset. It returns ErrInvalid if the file inside has no ReadAt.
func (b wrapped) ReadAt(p []byte, off int64) (int, error) {
	if r, ok := b.File.(io.ReaderAt); ok {
		return r.ReadAt(p, off)
	}
	return 0, ErrInvalid
}

// Seek sets the position of the next Read. It returns ErrInvalid if the file inside has
// no Seek.
func (b wrapped) Seek(offset int64, whence int) (int64, error) {
	if s, ok := b.File.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, ErrInvalid
}

// booked is an open file that counts against the limit.
type booked struct {
	wrapped
	quota *Quota
	once  sync.Once
}

// Close closes the file. The first call also stops counting the file as open.
func (b *booked) Close() error {
	b.once.Do(func() {
		b.quota.mu.Lock()
		b.quota.handles--
		b.quota.mu.Unlock()
	})
	return b.File.Close()
}

// fileMount is the open file of a mount that is a single file, under the
// mount's name.
type fileMount struct {
	wrapped
	name string
}

// Stat describes the file under the mount's name.
func (f fileMount) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if err != nil {
		return nil, err
	}
	return plainInfo(info, f.name), nil
}
