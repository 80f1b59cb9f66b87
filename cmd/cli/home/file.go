package home

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"golem/core/consent"
	"golem/core/fault"

	"golem/cmd/cli/disk"
)

// ReadFile reads a regular file of GOLEM_HOME; nil if there is none.
func ReadFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	var data []byte
	if err == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	}
	if err == nil && len(data) > MaxFile {
		err = errors.New("it is too long")
	}
	if err != nil {
		return nil, fault.New(fault.Config, "%s in GOLEM_HOME cannot be read: %s", filepath.Base(name), disk.Cause(err)).
			Hinting("repair the file, or remove it")
	}
	return data, nil
}

// WriteFile writes a file so that even after a crash it has either the old or the new
// content, never a mix (SECURITY 5).
func WriteFile(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return disk.Replace(name, unfinishedName(name), data, (*os.File).Sync)
}

// File is a file of the person in $GOLEM_HOME, such as trust.json, which keeps
// what they trusted in each project, or config.yaml.
type File struct{ Name string }

var _ consent.File = File{}

// MaxFile is the size limit of a file of golem in GOLEM_HOME, in bytes.
const MaxFile = 4 << 20

// Trusted returns the file in which the person's trust is kept; nil if there is no home
// directory.
func (h *Home) Trusted() consent.File {
	home := h.Dir()
	if home == "" {
		return nil
	}
	return File{filepath.Join(home, "trust.json")}
}

// Read returns the file's content; nothing if there is none.
func (t File) Read() ([]byte, error) { return ReadFile(t.Name) }

// Change replaces the file under a lock. The lock is released when its process ends
// (SECURITY 14).
func (t File) Change(change func([]byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(t.Name), 0o700); err != nil {
		return fault.New(fault.Config, "GOLEM_HOME cannot be created: %s", disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "set GOLEM_HOME to a directory that you can write to"))
	}
	base := filepath.Base(t.Name)
	lock := flock.New(t.Name + ".lock")
	if err := lock.Lock(); err != nil {
		return fault.New(fault.Config, "%s in GOLEM_HOME cannot be locked: %s", base, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make GOLEM_HOME writable"))
	}
	defer lock.Close()
	old, err := t.Read()
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if err := t.write(data); err != nil {
		return fault.New(fault.Config, "%s in GOLEM_HOME cannot be written: %s", base, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make GOLEM_HOME writable"))
	}
	return nil
}

// write replaces the file, or if it is a link the file to which it leads, and keeps its
// permissions.
func (t File) write(data []byte) error {
	name := t.Name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	leftovers(filepath.Dir(name), filepath.Base(name))
	return disk.Replace(name, unfinishedName(name), data, func(f *os.File) error {
		if info, err := os.Stat(name); err == nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
		}
		return f.Sync()
	})
}

// Config reads the person's $GOLEM_HOME/config.yaml.
func (h *Home) Config() ([]byte, error) {
	home := h.Dir()
	if home == "" {
		return nil, nil
	}
	return ReadFile(filepath.Join(home, "config.yaml"))
}

// TrustDigest returns the value of GOLEM_TRUST, and adds the prefix sha256: if it is
// missing.
func (h *Home) TrustDigest() string {
	d := h.env.Setting("TRUST")
	if len(d) == 2*sha256.Size && !strings.Contains(d, ":") {
		return "sha256:" + d
	}
	return d
}
