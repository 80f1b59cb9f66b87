//go:build unix

package osfs

import (
	"cmp"

	"golang.org/x/sys/unix"
)

// move renames from one open directory to another.
func (f *FS) move(from, to *spot) error {
	a, err := from.dir().Open(".")
	if err != nil {
		return err
	}
	b, err := to.dir().Open(".")
	if err != nil {
		return cmp.Or(err, a.Close())
	}
	err = unix.Renameat(int(a.Fd()), from.base, int(b.Fd()), to.base)
	return cmp.Or(err, a.Close(), b.Close())
}
