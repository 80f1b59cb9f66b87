// Package disk reads and writes files of this machine for golem itself: regular files
// only, up to a limit, replaced whole or not at all. Its errors are those of package os;
// Cause and WriteHint say them to people.
package disk

import (
	"errors"
	"io"
	"os"
)

// ErrTooLarge means that a file is larger than the given limit.
var ErrTooLarge = errors.New("too large")

// ErrNotRegular means that a file is a device, a FIFO or a directory, which golem neither
// reads nor replaces.
var ErrNotRegular = errors.New("not a regular file")

// ReadFile reads a regular file of at most limit bytes. It refuses anything else, and
// never waits for a FIFO or a device.
func ReadFile(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	if info.Size() > limit {
		return nil, ErrTooLarge
	}
	file, err := os.OpenFile(name, os.O_RDONLY|OpenNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	return data, err
}
