package opfs

import (
	"io/fs"

	"golem/core/fault"
	"golem/core/sandbox"
)

// failures maps the names of JavaScript's errors to golem's. The texts of
// JavaScript's errors differ between browsers and are not passed on.
var failures = map[string]error{
	"NotFoundError": fs.ErrNotExist,
	"Exists":        fs.ErrExist,
	"IsDirectory":   sandbox.ErrIsDir,
	"NotDirectory":  sandbox.ErrNotDir,
	"NotEmpty":      sandbox.ErrNotEmpty,
	"TooLarge":      fault.New(fault.Limit, "the file has more than 1 GiB"),
	"QuotaExceededError": fault.New(fault.Quota, "the browser's storage for this page is full").
		Hinting("delete projects or files that are not needed, or free some space on the disk"),
	"NotReadableError": fault.New(fault.Conflict, "the file changed while it was read").
		Hinting("read it again"),
	"NoModificationAllowedError": fault.New(fault.Busy, "the file is in use, perhaps in another tab").
		Hinting("close the other tab, or wait until its run has ended"),
	"Locked": fault.New(fault.Busy, "the project is in use in another tab").
		Hinting("close the other tab, or wait until its run has ended"),
	"SecurityError":     errNoStorage,
	"NotAllowedError":   errNoStorage,
	"InvalidStateError": errNoStorage,
	"TypeError":         fault.New(fault.Path, "the browser does not allow this name").Hinting("choose a shorter or simpler name"),
}

// errNoStorage is returned in a private window, in a page without https, and if
// the user removed the page's storage.
var errNoStorage = fault.New(fault.Platform, "this browser does not store files for this page").
	Hinting("open the page with https or on localhost, and not in a private window")

// failed returns an fs.PathError with the virtual path.
func failed(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: sandbox.Abs(name), Err: err}
}

func (f *FS) failed(op, name string, a answer) error {
	err, ok := failures[a.failure]
	if !ok {
		err = fault.New(fault.Platform, "the browser's storage failed: %s", sandbox.Abs(a.failure)[1:])
	}
	return failed(op, name, err)
}
