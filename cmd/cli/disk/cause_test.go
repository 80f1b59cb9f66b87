package disk

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"golem/core/fault"
)

// A full disk, a read-only file system and a missing right have one code and one remedy
// each.
func TestWriteHint(t *testing.T) {
	for _, c := range []struct {
		err        error
		code       fault.Code
		want, lack string
	}{
		{&fs.PathError{Op: "write", Path: "/host/x", Err: syscall.ENOSPC}, fault.Quota, "make room", "right"},
		{fault.New(fault.Quota, "the disk is full: %w", syscall.ENOSPC).Hinting("free some space"), fault.Quota, "make room", "free some space"},
		{syscall.EDQUOT, fault.Quota, "make room", "right"},
		{fault.New(fault.ReadOnly, "the disk is read-only"), fault.ReadOnly, "read-only", "right"},
		{syscall.EROFS, fault.ReadOnly, "read-only", "right"},
		{&fs.PathError{Op: "open", Path: "/host/x", Err: syscall.EACCES}, fault.Config, "get the right", "/host"},
		{errors.New("other"), fault.Config, "get the right", "room"},
	} {
		f := NotWritten("a thing", c.err, "get the right")
		if text := f.Error(); f.Code != c.code || !strings.Contains(text, c.want) || strings.Contains(text, c.lack) || strings.Count(text, "E_") != 1 {
			t.Errorf("%v: %s", c.err, text)
		}
	}
}
