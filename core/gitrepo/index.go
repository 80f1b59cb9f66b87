package gitrepo

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
)

// gitIndex is git's list of the files of the working tree (gitformat-index). golem
// changes some entries and keeps all others bit for bit. It leaves out optional
// extensions, which git creates again.
type gitIndex struct {
	lines  []indexLine
	sparse bool // some entries are directories of which git has no files in the working tree (index.sparse)
}

// indexLine is one entry: a fixed part of indexFixed bytes (two more if it is extended)
// and the name.
type indexLine struct {
	fixed []byte
	name  string
}

// Offsets in the fixed part, its size, and masks of its flags.
const (
	indexMode  = 24
	indexHash  = 40
	indexFlags = 60
	indexFixed = 62

	indexExtended = 0x4000
	indexStage    = 0x3000
	indexName     = 0x0fff
	indexSkip     = 0x4000 // in the two more bytes of an extended entry
)

// readIndex reads the index. If there is none, it returns an empty one.
func (b *Branch) readIndex() (*gitIndex, error) {
	data, err := sandbox.ReadFile(b.git, "index", maxGitFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &gitIndex{}, nil
	}
	if err != nil {
		return nil, err
	}
	i, ok := parseIndex(data)
	if !ok {
		return nil, b.refused("its index is damaged or has a form that golem does not know")
	}
	return i, nil
}

// parseIndex reads an index of version 2, 3 or 4.
func parseIndex(data []byte) (*gitIndex, bool) {
	if len(data) < 12+sha1.Size || string(data[:4]) != "DIRC" {
		return nil, false
	}
	body, sum := data[:len(data)-sha1.Size], data[len(data)-sha1.Size:]
	if want := sha1.Sum(body); !bytes.Equal(sum, want[:]) && !bytes.Equal(sum, make([]byte, sha1.Size)) { // zero: index.skipHash
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version < 2 || version > 4 || int64(count) > int64(len(body)/indexFixed)+1 {
		return nil, false
	}
	out, rest, last := &gitIndex{}, body[12:], ""
	for range count {
		line, used, ok := parseLine(rest, version, last)
		if !ok {
			return nil, false
		}
		out.lines, rest, last = append(out.lines, line), rest[used:], line.name
	}
	for len(rest) > 0 { // extensions: one that begins with a small letter cannot be left out
		if len(rest) < 8 {
			return nil, false
		}
		sparse := string(rest[:4]) == "sdir"
		if out.sparse = out.sparse || sparse; !sparse && (rest[0] < 'A' || rest[0] > 'Z') {
			return nil, false
		}
		size := int64(binary.BigEndian.Uint32(rest[4:])) + 8
		if size > int64(len(rest)) {
			return nil, false
		}
		rest = rest[size:]
	}
	return out, true
}

func parseLine(data []byte, version uint32, last string) (line indexLine, used int, ok bool) {
	used = indexFixed
	if len(data) < indexFixed+2 {
		return line, 0, false
	}
	if binary.BigEndian.Uint16(data[indexFlags:])&indexExtended != 0 {
		used += 2
	}
	line.fixed = data[:used]
	prefix := ""
	if version == 4 {
		strip, n, ok := offsetNumber(data[used:])
		if !ok || strip > len(last) {
			return line, 0, false
		}
		prefix, used = last[:len(last)-strip], used+n
	}
	name, _, found := bytes.Cut(data[used:], []byte{0})
	if line.name = prefix + string(name); !found || line.name == "" {
		return line, 0, false
	}
	if used += len(name) + 1; version < 4 {
		used = (used - 1 + 8) / 8 * 8
	}
	return line, used, used <= len(data)
}

// offsetNumber reads a number in the offset encoding of version 4 and of deltas in packs.
func offsetNumber(data []byte) (value, used int, ok bool) {
	for n, c := range data {
		if n > 4 {
			break
		}
		if n > 0 {
			value++
		}
		if value = value<<7 | int(c&0x7f); c&0x80 == 0 {
			return value, n + 1, true
		}
	}
	return 0, 0, false
}

// encode returns the index in version 3 if an entry is extended, otherwise in version 2.
func (i *gitIndex) encode() []byte {
	version := uint32(2)
	if slices.ContainsFunc(i.lines, func(l indexLine) bool { return len(l.fixed) > indexFixed }) {
		version = 3
	}
	out := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(i.lines)))
	for _, l := range i.lines {
		out = append(append(out, l.fixed...), l.name...)
		used := len(l.fixed) + len(l.name)
		out = append(out, make([]byte, 8-used%8)...)
	}
	if i.sparse {
		out = append(out, "sdir\x00\x00\x00\x00"...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

func (i *gitIndex) find(name string) (at int, found bool) {
	return slices.BinarySearchFunc(i.lines, name, func(l indexLine, name string) int { return strings.Compare(l.name, name) })
}

// get finds an entry. merging reports whether an unfinished merge left several entries
// for the name, or whether the name is a directory in the index or is below a file.
func (i *gitIndex) get(name string) (e *gitEntry, at int, merging bool) {
	at, found := i.find(name)
	if below, _ := i.find(name + "/"); below < len(i.lines) && strings.HasPrefix(i.lines[below].name, name+"/") {
		merging = true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		_, file := i.find(dir)
		merging = merging || file
	}
	if !found {
		return nil, at, merging
	}
	if binary.BigEndian.Uint16(i.lines[at].fixed[indexFlags:])&indexStage != 0 {
		return nil, at, true
	}
	entry := i.lines[at].entry()
	return &entry, at, merging
}

// collapsed reports whether a name is in a directory that a sparse index has as one entry.
func (i *gitIndex) collapsed(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, found := i.find(dir + "/"); found {
			return true
		}
	}
	return false
}

// skips reports whether git does not expect the file of the entry at a position in the
// working tree.
func (i *gitIndex) skips(at int, has bool) bool { return has && i.lines[at].skip() }

// set puts a file into the index at position at, or removes it if e is nil. has reports
// whether the index has the file there. set writes no times and no size, so that git
// reads the file itself.
func (i *gitIndex) set(name string, at int, has bool, e *gitEntry) {
	skip := i.skips(at, has)
	if has {
		i.lines = slices.Delete(i.lines, at, at+1)
	}
	if e == nil {
		return
	}
	fixed := make([]byte, indexFixed)
	mode := uint32(0o100644)
	if e.mode == Program {
		mode = 0o100755
	}
	binary.BigEndian.PutUint32(fixed[indexMode:], mode)
	copy(fixed[indexHash:], e.hash[:])
	flags := uint16(min(len(name), indexName))
	if skip {
		flags |= indexExtended
		fixed = binary.BigEndian.AppendUint16(fixed, indexSkip)
	}
	binary.BigEndian.PutUint16(fixed[indexFlags:], flags)
	i.lines = slices.Insert(i.lines, at, indexLine{fixed, name})
}
