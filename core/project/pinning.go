package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// AllModules are the modules that any worker of the project may use, sorted by path.
func (p *Project) AllModules() ([]Module, error) {
	found := map[string]Module{}
	add := func(w *Worker) error {
		modules, err := p.Modules(w)
		for _, m := range modules {
			found[m.Path] = m
		}
		return err
	}
	listed, faults := p.List()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	for _, l := range listed {
		if l.Source != "project" {
			continue
		}
		if _, err := p.WorkerAt(l.Path); err != nil {
			return nil, err
		}
	}
	for _, w := range p.Used() {
		if err := add(w); err != nil {
			return nil, err
		}
	}
	if entry, err := p.Entry(); err == nil { // it may be a tool, which is not a listed worker
		if err := add(entry); err != nil {
			return nil, err
		}
	}
	out := slices.Collect(maps.Values(found))
	sorting.By(out, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// ModuleDigest is the SHA-256 of a module's file in hex. A file of more than most bytes
// is an error. The digest of a module outside the project needs no trust: nothing of it runs.
func (p *Project) ModuleDigest(m Module, most int64) (string, error) {
	var file fs.File
	var err error
	if fsys, l, home := p.tree(m); !home {
		file, err = p.OpenModule(m)
	} else if err = fs.ErrNotExist; fsys != nil {
		file, err = fsys.Open(l.name)
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
		return "", fault.New(fault.NotFound, "%s cannot be read: %s", m.Path, err.Error())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// ToolPins is what tools.lock says, for a change of it: the digest of each module by its
// path, and the addresses of those that were fetched. A lock refuses what it does not list,
// so where there is none (fresh), digests has all modules that the project's workers may
// use, each of at most most bytes.
func (p *Project) ToolPins(most int64) (digests, from map[string]string, fresh bool, err error) {
	digests, from, faults := p.ToolLock()
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
		if digests[m.Path], err = p.ModuleDigest(m, most); err != nil {
			return nil, nil, false, err
		}
	}
	return digests, from, true, nil
}

// EncodeToolLock is tools.lock with these digests. The same digests and addresses give the
// same bytes. Addresses of modules without a digest are left out.
func EncodeToolLock(digests, from map[string]string) []byte {
	out, paths := "# Written by golem tool lock. golem refuses a module with another digest.\nlock: 1\ntools:", slices.Sorted(maps.Keys(digests))
	if len(paths) == 0 {
		out += " {}"
	}
	froms := ""
	for _, path := range paths {
		key := strconv.Quote(path)
		if address := from[path]; address != "" {
			froms += "  " + key + ": " + strconv.Quote(address) + "\n"
		}
		if letter(path[0]) && plainName(path, "._/-") { // YAML reads it as itself
			key = path
		}
		out += "\n  " + key + ": " + digests[path]
	}
	if froms != "" {
		froms = "from:\n" + froms
	}
	return []byte(out + "\n" + froms)
}

// IsModuleName reports whether a module that is added may have this name, without .wasm.
func IsModuleName(name string) bool {
	return len(name) <= 100 && plainName(name, "_.-") && name[0] != '.' && name[0] != '-'
}

// plainName reports whether all of a name are ASCII letters, digits and these others. It is
// no regular expression because golem.wasm has none otherwise (20 kB).
func plainName(name, others string) bool {
	for i := range len(name) {
		if c := name[i]; !letter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return name != ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
