package disk

import (
	"errors"
	"io/fs"
	"runtime"
	"syscall"

	"golem/core/fault"
)

// Cause returns the text of an error without the path that package os adds.
func Cause(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f.Message
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// IsFull reports whether an error says that a disk is full, or a quota used up.
func IsFull(err error) bool {
	const diskFull, handleDiskFull = syscall.Errno(112), syscall.Errno(39) // of Windows
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, fault.Quota) ||
		runtime.GOOS == "windows" && (errors.Is(err, diskFull) || errors.Is(err, handleDiskFull))
}

// readOnly reports whether an error says that a file system is mounted for reading only.
func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fault.ReadOnly)
}

// WriteHint returns what helps after a file could not be written. remedy is what helps if
// the place may not be written.
func WriteHint(err error, remedy string) string {
	switch {
	case IsFull(err):
		return "the disk is full: make room and give the command again"
	case readOnly(err):
		return "the file system is read-only: mount it writable, or use another place"
	case errors.Is(err, ErrNotRegular):
		return "golem replaces only files: remove what has this name, and give the command again"
	}
	return remedy
}

// NotWritten explains why files could not be written; see WriteHint.
func NotWritten(what string, err error, remedy string) *fault.Fault {
	code := fault.Config
	switch {
	case IsFull(err):
		code = fault.Quota
	case readOnly(err):
		code = fault.ReadOnly
	}
	return fault.New(code, "%s cannot be written: %s", what, Cause(err)).Hinting("%s", WriteHint(err, remedy))
}
