package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// AllModules returns the modules that any worker of the project may use, sorted by
// path, without sources that can only be imported. It returns an error if a worker of the project cannot be loaded.
func (p *Project) AllModules() ([]Module, error) {
	found := map[string]Module{}
	add := func(w *Worker) error {
		modules, err := p.Modules.AndHardened(w)
		for _, m := range modules {
			found[m.Path] = m
		}
		return err
	}
	listed, faults := p.Workers.List()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	for _, l := range listed {
		if l.Source != "project" {
			continue
		}
		if _, err := p.Workers.InFile(l.Path); err != nil {
			return nil, err
		}
	}
	for _, w := range p.Workers.Used() {
		if err := add(w); err != nil {
			return nil, err
		}
	}
	if entry, err := p.Workers.Entry(); err == nil { // it may be a tool, which is not a listed worker
		if err := add(entry); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(found, func(_ string, m Module) bool { return p.Modules.onlyImported(m) })
	out := slices.Collect(maps.Values(found))
	sorting.By(out, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Digest returns the SHA-256 of a module's file in hex. A file of more than most
// bytes is an error. A module outside the project needs no trust for this, because
// nothing of it runs.
func (ms *Modules) Digest(m Module, most int64) (string, error) {
	var file fs.File
	var err error
	if fsys, l, home := ms.fileOf(m); !home || m.IsSource() {
		file, err = ms.Open(m)
	} else if err = fs.ErrNotExist; fsys != nil {
		file, err = fsys.Open(l.Name)
	}
	sum, n := sha256.New(), int64(0)
	if err == nil {
		n, err = io.Copy(sum, io.LimitReader(file, most+1))
		file.Close()
	}
	if pe, ok := err.(*fs.PathError); ok {
		err = pe.Err
	}
	if err == nil && n > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	if err != nil {
		f := *fault.Of(err, fault.NotFound)
		f.Message = m.Path + " cannot be read: " + f.Message
		return "", &f
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ToolPins returns the content of tools.lock, for a command that changes the file: the
// digest of each module by its path, and the addresses of modules that were fetched.
// Because a lock refuses modules that it does not list, digests has all modules of the
// project's workers if there is no lock yet (fresh is true then); a module of more than
// most bytes is an error.
func (p *Project) ToolPins(most int64) (digests, from map[string]string, fresh bool, err error) {
	digests, from, faults := p.Modules.Lock()
	if err := faults.Err(); err != nil {
		return nil, nil, false, err
	}
	if from == nil {
		from = map[string]string{}
	}
	if digests != nil {
		return digests, from, false, nil
	}
	modules, err := p.AllModules()
	if err != nil {
		return nil, nil, false, err
	}
	digests = map[string]string{}
	for _, m := range modules {
		if digests[m.Path], err = p.Modules.Digest(m, most); err != nil {
			return nil, nil, false, err
		}
	}
	return digests, from, true, nil
}
