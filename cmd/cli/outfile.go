package main

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golem/core/fault"
)

// fileKind is a kind of file that golem writes where a person says. golem replaces an
// existing file only if it is of the same kind, so that a mistyped name destroys no
// worker and no key.
type fileKind struct {
	name  string // the name in messages
	start string // the bytes by which such a file is recognised
	at    int    // the offset of start in the file
}

var (
	traceKind     = fileKind{"trace", `{"golem":"trace"`, 0}
	recordingKind = fileKind{"recording", `{"golem":"recording"`, 0}
	packKind      = fileKind{"packed project", "golem-pack.json", 30} // the first name in a zip file
	moduleKind    = fileKind{"tool module", "\x00asm", 0}
)

// mayReplace returns E_CONFLICT if the file exists, is not empty and is not of the
// kind. It allows anything that is not a regular file.
func (h *host) mayReplace(name string, kind fileKind) error {
	info, err := os.Stat(h.path(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil // the write itself reports what cannot be written
	}
	start := make([]byte, kind.at+len(kind.start))
	file, err := os.OpenFile(h.path(name), os.O_RDONLY|openNonblock, 0)
	if err == nil {
		defer file.Close()
		_, err = io.ReadFull(file, start)
	}
	if err == nil && string(start[kind.at:]) == kind.start {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fs.ErrPermission) {
		return usage("%s cannot be read: %s", name, cause(err)).Hinting("name another file")
	}
	return fault.New(fault.Conflict, "%s is there already, and it is no %s", name, kind.name).
		Hinting("name a new file; golem replaces only what it wrote itself")
}

// outFile is a file that is emptied only at the first write, so that a command that
// fails before loses nothing.
type outFile struct {
	*os.File
	begun  bool
	before func() // called before the first write; may be nil
}

// openOut opens a file for writing, and creates it if it does not exist.
func openOut(name string) (*outFile, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &outFile{File: file}, nil
}

// Write writes p, as [os.File.Write] does.
func (f *outFile) Write(p []byte) (int, error) {
	if !f.begun {
		f.begun = true
		if f.before != nil {
			f.before()
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if err := f.Truncate(0); err != nil {
				return 0, err
			}
		}
	}
	return f.File.Write(p)
}
