package config

import (
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// EncodeToolLock returns the text of tools.lock. The same digests and addresses give
// the same bytes. Addresses of modules without a digest are left out.
func EncodeToolLock(digests, from map[string]string) []byte {
	out, paths := "# Written by golem tool lock. golem refuses a module with another digest.\nlock: 1\ntools:", slices.Sorted(maps.Keys(digests))
	if len(paths) == 0 {
		out += " {}"
	}
	froms := ""
	for _, name := range paths {
		key := strconv.Quote(name)
		if address := from[name]; address != "" {
			froms += "  " + key + ": " + strconv.Quote(address) + "\n"
		}
		if letter(name[0]) && plainName(name, "._/-") { // YAML reads it as itself
			key = name
		}
		out += "\n  " + key + ": " + digests[name]
	}
	if froms != "" {
		froms = "from:\n" + froms
	}
	return []byte(out + "\n" + froms)
}

// ToolLockFile is the name of the file that pins the digests of tool modules
// (SPEC §6, §16).
const ToolLockFile = "tools.lock"

var toolLockShape = newToolLockShape()

func newToolLockShape() *yamltree.Shape {
	tools := yamltree.MapOf(yamltree.Text(digestProblem))
	tools.Key = func(name string) string {
		plain := name
		if lib, rest, ok := strings.Cut(name, ":"); ok && (lib+":" == HomePrefix || LibraryNameProblem(lib) == "") {
			plain = rest
		}
		if clean, ok := Inside(plain); !ok || clean != plain || !IsModule(plain) && !IsToolSource(path.Base(plain)) {
			return "is not the path of a module in the project, such as tools/a.wasm"
		}
		return ""
	}
	from := yamltree.MapOf(yamltree.Text(addressProblem))
	from.Key = tools.Key
	s := yamltree.KeysOf(map[string]*yamltree.Shape{"lock": key("The version of this format.", yamltree.Count(1, 1)), "tools": key("The SHA-256 of each module, by its path.", tools), "from": key("The address of each module that golem tool add fetched.", from)})
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

// ReadToolLock reads the text of tools.lock.
func ReadToolLock(data []byte) ToolLock {
	lock := ToolLock{Digests: map[string]string{}}
	tree, faults := yamltree.Parse(ToolLockFile, data)
	c := &yamltree.Conformer{Faults: faults}
	if tree == nil && len(faults) == 0 {
		tree = &yamltree.Node{Pos: yamltree.At(ToolLockFile, 1, 1), Kind: yamltree.Mapping}
	}
	if tree != nil {
		tree = c.Conform(tree, toolLockShape, "")
	}
	for _, f := range FieldsOf(tree.Get("tools")) {
		lock.Digests[f.Name] = strings.ToLower(strings.TrimPrefix(f.Value.Text, "sha256:"))
	}
	lock.From = tree.Get("from").TextMap()
	for _, f := range c.Faults {
		if f.Code == fault.Config {
			f.Code = fault.Lock
		}
	}
	lock.Faults = c.Faults
	return lock
}

// ToolLock is the content of tools.lock.
type ToolLock struct {
	Digests map[string]string // by path; nil: there is no such file
	From    map[string]string // the address that golem tool add had
	Faults  fault.List
}
