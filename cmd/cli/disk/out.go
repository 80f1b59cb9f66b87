package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"golem/core/fault"
)

// Kind is a kind of file that golem writes where a person says. golem replaces an
// existing file only if it is of the same kind, so that a mistyped name destroys no
// worker and no key.
type Kind struct {
	name  string // the name in messages
	start string // the bytes by which such a file is recognised
	at    int    // the offset of start in the file
}

// The kinds of files that golem writes and may replace.
var (
	TraceKind     = Kind{"trace", `{"golem":"trace"`, 0}
	RecordingKind = Kind{"recording", `{"golem":"recording"`, 0}
	PackKind      = Kind{"packed project", "golem-pack.json", 30} // the first name in a zip file
	ModuleKind    = Kind{"tool module", "\x00asm", 0}
	JUnitKind     = Kind{"JUnit report of golem", `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<testsuites name="golem test" `, 0}
)

// MayReplace returns E_CONFLICT if a file exists, is not empty and is not of the kind.
// It allows anything that is not a regular file. Messages use name for the file.
func MayReplace(file, name string, kind Kind) error {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // the write itself reports what cannot be written
	}
	start := make([]byte, kind.at+len(kind.start))
	f, err := os.OpenFile(file, os.O_RDONLY|OpenNonblock, 0)
	if err == nil {
		defer f.Close()
		_, err = io.ReadFull(f, start)
	}
	if err == nil && string(start[kind.at:]) == kind.start {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fs.ErrPermission) {
		return fault.New(fault.Usage, "%s cannot be read: %s", name, Cause(err)).Hinting("name another file")
	}
	return fault.New(fault.Conflict, "%s is there already, and it is no %s", name, kind.name).
		Hinting("name a new file; golem replaces only what it wrote itself")
}

// OutFile is a file that is emptied only at the first write, so that a command that
// fails before loses nothing.
type OutFile struct {
	*os.File
	Begun  bool   // the file is not emptied any more
	Before func() // called before the first write; may be nil
}

// OpenOut opens a file for writing, and creates it if it does not exist. It does not wait
// for a reader of a FIFO.
func OpenOut(name string) (*OutFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|OpenNonblock, 0o600)
	if errors.Is(err, syscall.ENXIO) {
		return nil, errors.New("no program reads this FIFO")
	}
	if err != nil {
		return nil, err
	}
	return &OutFile{File: file}, nil
}

// Write writes p, as [os.File.Write] does.
func (f *OutFile) Write(p []byte) (int, error) {
	if !f.Begun {
		f.Begun = true
		if f.Before != nil {
			f.Before()
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if err := f.Truncate(0); err != nil {
				return 0, err
			}
		}
	}
	return f.File.Write(p)
}
