package project

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// ToolLockFile is the name of the file that pins the digests of tool modules
// (SPEC §6, §16).
const ToolLockFile = "tools.lock"

var lockShape = newLockShape()

func newLockShape() *yamltree.Shape {
	tools := yamltree.MapOf(yamltree.Text(digestProblem))
	tools.Key = func(name string) string {
		plain := name
		if lib, rest, ok := strings.Cut(name, ":"); ok && (lib+":" == homePrefix || libraryNameProblem(lib) == "") {
			plain = rest
		}
		if clean, ok := inside(plain); !ok || clean != plain || !isModule(plain) {
			return "is not the path of a module in the project, such as tools/a.wasm"
		}
		return ""
	}
	from := yamltree.MapOf(yamltree.Text(addressProblem))
	from.Key = tools.Key
	s := yamltree.KeysOf(map[string]*yamltree.Shape{"lock": yamltree.Count(1, 1), "tools": tools, "from": from})
	s.Musts = []string{"lock", "tools"}
	return s
}

func digestProblem(s string) string {
	raw, err := hex.DecodeString(strings.TrimPrefix(s, "sha256:"))
	if err != nil || len(raw) != 32 {
		return fault.Quoted(s) + " is not a SHA-256 of 64 hexadecimal digits"
	}
	return ""
}

func addressProblem(s string) string {
	for _, scheme := range []string{"https://", "http://", "oci://"} {
		if strings.HasPrefix(s, scheme) {
			return ""
		}
	}
	return fault.Quoted(s) + " is not an address that begins with https://, http:// or oci://"
}

// toolLock returns the digest of each locked module by path; nil if there is no lock
// file. It reads the file once. p.mu must be held.
func (p *Project) toolLock() (map[string]string, fault.List) {
	if p.lock != nil {
		return p.lock.digests, p.lock.faults
	}
	p.lock = &toolLock{}
	if !p.exists(location{name: ToolLockFile}) {
		return nil, nil
	}
	p.lock.digests = map[string]string{} // even a broken lock locks
	data, f := p.read(location{name: ToolLockFile}, maxFile)
	if f != nil {
		p.lock.faults = fault.List{f}
		return p.lock.digests, p.lock.faults
	}
	tree, faults := yamltree.Parse(ToolLockFile, data)
	c := &yamltree.Conformer{Faults: faults}
	if tree == nil && len(faults) == 0 {
		tree = &yamltree.Node{Pos: yamltree.At(ToolLockFile, 1, 1), Kind: yamltree.Mapping}
	}
	if tree != nil {
		tree = c.Conform(tree, lockShape, "")
	}
	if all := tree.Get("tools"); all != nil {
		for _, f := range all.Fields {
			p.lock.digests[f.Name] = strings.ToLower(strings.TrimPrefix(f.Value.Text, "sha256:"))
		}
	}
	if all := tree.Get("from"); all != nil {
		p.lock.from = map[string]string{}
		for _, f := range all.Fields {
			p.lock.from[f.Name] = f.Value.Text
		}
	}
	for _, f := range c.Faults {
		if f.Code == fault.Config {
			f.Code = fault.Lock
		}
	}
	p.lock.faults = c.Faults
	return p.lock.digests, p.lock.faults
}

// toolLock is the result of reading tools.lock.
type toolLock struct {
	digests map[string]string
	from    map[string]string // the address that golem tool add had
	faults  fault.List
}

// ToolLock returns what tools.lock says: the digest of each module by its path, and the
// address it was fetched from; nil if there is no such file. Faults are those of the file.
func (p *Project) ToolLock() (digests, from map[string]string, faults fault.List) {
	p.mu.Lock()
	defer p.mu.Unlock()
	digests, faults = p.toolLock()
	return maps.Clone(digests), maps.Clone(p.lock.from), faults
}

// lockedButGone returns a warning for each locked module that does not exist, and the
// faults of tools.lock itself.
func (p *Project) lockedButGone() fault.List {
	lock, faults := p.toolLock()
	out := slices.Clone(faults)
	for _, name := range slices.Sorted(maps.Keys(lock)) {
		if !strings.HasPrefix(name, homePrefix) && !p.exists(p.place(name)) {
			out = append(out, fault.Warn(fault.Lock, "%s lists %s, and there is no such module", ToolLockFile, fault.Quoted(name)).
				At(ToolLockFile, 1, 1).Hinting("remove the line from %s", ToolLockFile))
		}
	}
	return out
}
