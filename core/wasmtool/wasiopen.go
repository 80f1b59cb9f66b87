package wasmtool

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"strings"
	"time"

	"golem/core/sandbox"
)

// MaxDescriptors is how many descriptors a module can have; their numbers are below it.
const MaxDescriptors = 4096

// maxFileTimes is how many files of a call can have times that the module set.
const maxFileTimes = 1 << 16

// KeepTime is the value of SetTimes for a time that stays as it is.
const KeepTime int64 = math.MinInt64

// WASIOpening says how path_open opens a file or directory.
type WASIOpening struct {
	Directory, Create, Exclusive, Truncate bool
	Read, Write                            bool
	Slash                                  bool // the path ends with a slash: only a directory may be named so
}

// Opened is what Open found.
type Opened struct{ Dir, New bool }

// Open does what path_open does before the file is read or written: it checks what is
// there, and whether a file may be written. The caller makes a new file and empties one
// that is truncated.
func (v WASIView) Open(name string, o WASIOpening) (Opened, Errno) {
	if o.Create && o.Slash {
		return Opened{}, ErrnoIsDir
	}
	info, errno := v.Info(name)
	switch {
	case errno != 0 && (errno != ErrnoNoEntry || !o.Create):
		return Opened{}, errno
	case errno == 0 && o.Create && o.Exclusive:
		return Opened{}, ErrnoExists
	case errno == 0 && info.IsDir():
		if o.Create || o.Truncate || o.Write {
			return Opened{}, ErrnoIsDir
		}
		return Opened{Dir: true}, 0
	case o.Directory || o.Slash:
		return Opened{}, ErrnoNotDir
	}
	isNew := errno != 0
	if isNew || o.Truncate || o.Write {
		if errno := v.CanWrite(name, isNew); errno != 0 {
			return Opened{}, errno
		}
	}
	if isNew {
		if errno := v.parent(name); errno != 0 {
			return Opened{}, errno
		}
	}
	return Opened{New: isNew}, 0
}

// parent fails if the directory of a name does not exist: the sandbox makes missing
// directories, and WASI does not. A directory that may not be seen is left to the sandbox.
func (v WASIView) parent(name string) Errno {
	info, err := fs.Stat(v.Files, path.Dir(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrnoNoEntry
	case err == nil && !info.IsDir():
		return ErrnoNotDir
	}
	return 0
}

// Stat describes the file or directory at a name. slash says that the path ended with a
// slash.
func (v WASIView) Stat(name string, slash bool) (WASIStat, Errno) {
	info, errno := v.Info(name)
	if errno == 0 && slash && !info.IsDir() {
		errno = ErrnoNotDir
	}
	if errno != 0 {
		return WASIStat{}, errno
	}
	return v.stat(name, info), 0
}

// StatDirectory describes an open directory: also one that was removed meanwhile.
func (v WASIView) StatDirectory(name string) WASIStat {
	info, errno := v.Info(name)
	if errno != 0 || !info.IsDir() {
		return WASIStat{Dir: true}
	}
	return v.stat(name, info)
}

// WASIStat is what a module sees of a file. Of the host's file system it has only the
// kind, the size and the time.
type WASIStat struct {
	Dir                bool
	Size               int64
	Accessed, Modified int64 // nanoseconds since the epoch; 0: unknown
}

func (v WASIView) stat(name string, info fs.FileInfo) WASIStat {
	st := WASIStat{Dir: info.IsDir(), Size: fileSize(info), Modified: nanoseconds(info.ModTime())}
	st.Accessed = st.Modified
	if own, ok := v.times[name]; ok {
		st.Accessed, st.Modified = own[0], own[1]
	}
	return st
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// SetTimes sets the times that the module sees of a file or directory until the call ends
// or the file is written again: a sandbox keeps no times. KeepTime leaves one as it is.
func (v WASIView) SetTimes(name string, slash bool, accessed, modified int64) Errno {
	st, errno := v.Stat(name, slash)
	if errno != 0 {
		return errno
	}
	if v.Files == nil {
		return v.granted(name)
	}
	if errno := v.CanWrite(name, false); errno != 0 {
		return errno
	}
	if _, has := v.times[name]; !has && len(v.times) >= maxFileTimes {
		return ErrnoIO
	}
	if accessed != KeepTime {
		st.Accessed = accessed
	}
	if modified != KeepTime {
		st.Modified = modified
	}
	v.times[name] = [2]int64{st.Accessed, st.Modified}
	return 0
}

// WriteFile writes a file, whose time is then that of the sandbox again.
func (v WASIView) WriteFile(name string, data []byte) error {
	delete(v.times, name)
	return v.Files.WriteFile(name, data)
}

// ForgetTimes drops the times that the module set at or below a name.
func (v WASIView) ForgetTimes(name string) {
	for own := range v.times {
		if sandbox.Within(own, name) {
			delete(v.times, own)
		}
	}
}

// moveTimes gives the times that the module set at or below a name to another name.
func (v WASIView) moveTimes(from, to string) {
	moved := map[string][2]int64{}
	for own, times := range v.times {
		if sandbox.Within(own, from) {
			moved[to+strings.TrimPrefix(own, from)] = times
		}
	}
	v.ForgetTimes(from)
	v.ForgetTimes(to)
	for own, times := range moved {
		v.times[own] = times
	}
}
