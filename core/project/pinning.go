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

// AllModules returns the modules that any worker of the project may use, sorted by
// path. It returns an error if a worker of the project cannot be loaded.
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

// ModuleDigest returns the SHA-256 of a module's file in hex. A file of more than most
// bytes is an error. A module outside the project needs no trust for this, because
// nothing of it runs.
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

// EncodeToolLock returns the text of tools.lock. The same digests and addresses give
// the same bytes. Addresses of modules without a digest are left out.
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

// IsToolFile reports whether golem tool add and update may write a file of this name: a
// module or a description in tools/, or tools.lock.
func IsToolFile(name string) bool {
	base, inTools := strings.CutPrefix(name, "tools/")
	stem, described := strings.CutSuffix(base, toolSidecar)
	if !described {
		stem = strings.TrimSuffix(base, ".wasm")
	}
	return name == ToolLockFile || inTools && stem != base && IsModuleName(stem)
}

// IsModuleName reports whether golem tool add may give a module this name; name is
// without .wasm.
func IsModuleName(name string) bool {
	return len(name) <= 100 && plainName(name, "_.-") && name[0] != '.' && name[0] != '-'
}

// plainName reports whether a name is not empty and has only ASCII letters, digits and
// the characters of others.
func plainName(name, others string) bool {
	for i := range len(name) {
		if c := name[i]; !letter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return name != ""
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
