package gitrepo

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/sandbox"
)

// Bounds of the deltas that an object of a pack is made of. git itself makes chains
// of at most 4095.
const (
	maxChain  = 4095
	maxDeltas = 256 << 20 // bytes of all of them, more than the largest object
	maxIndex  = 1 << 30   // bytes of the index of a pack
)

// packIndex is the index of a pack, version 2 (gitformat-pack). The library that reads
// packs follows deltas without end, if one is its own base: so they are followed here
// before.
type packIndex struct {
	data  []byte
	count int
	pack  string // the name of the pack
}

// packs reads the indexes, once.
func (d *Disk) packs() ([]packIndex, error) {
	if d.indexes != nil {
		return d.indexes, nil
	}
	d.indexes = []packIndex{}
	entries, _ := fs.ReadDir(d.git, "objects/pack") // none: there are no packs
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok || !strings.HasPrefix(stem, "pack-") {
			continue
		}
		data, err := sandbox.ReadFile(d.git, path.Join("objects/pack", e.Name()), maxIndex)
		if err != nil {
			return nil, err
		}
		if len(data) < 8+1024 || string(data[:8]) != "\xfftOc\x00\x00\x00\x02" {
			continue // the library refuses it
		}
		p := packIndex{data: data, count: int(binary.BigEndian.Uint32(data[8+1020:])), pack: path.Join("objects/pack", stem+".pack")}
		if int64(len(data)) >= 8+1024+int64(p.count)*28 {
			d.indexes = append(d.indexes, p)
		}
	}
	return d.indexes, nil
}

// find is the place of an object in its pack.
func (p packIndex) find(h plumbing.Hash) (offset int64, ok bool) {
	names := p.data[8+1024:]
	n := sort.Search(p.count, func(i int) bool { return bytes.Compare(names[i*20:i*20+20], h[:]) >= 0 })
	if n == p.count || plumbing.Hash(names[n*20:n*20+20]) != h {
		return 0, false
	}
	places := names[p.count*24:]
	at := binary.BigEndian.Uint32(places[n*4:])
	if at&(1<<31) == 0 {
		return int64(at), true
	}
	large := p.count*4 + int(at&^(1<<31))*8
	if large+8 > len(places) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(places[large:])), true
}

// chain follows the deltas of an object and refuses those that do not end.
func (d *Disk) chain(h plumbing.Hash) error {
	packs, err := d.packs()
	for _, p := range packs {
		if at, ok := p.find(h); ok && err == nil {
			err = p.follow(d.git, at, max(maxDeltas, d.max))
		}
	}
	return err
}

// follow goes from an object of a pack to the one that is no delta. What is damaged in
// another way is left to the library.
func (p packIndex) follow(git fs.FS, at, most int64) error {
	file, err := git.Open(p.pack)
	if err != nil {
		return err
	}
	defer file.Close()
	total := int64(0)
	for range maxChain {
		head, err := partOf(file, at)
		if err != nil || len(head) == 0 {
			return err
		}
		kind, size, used := int(head[0]>>4&7), int64(head[0]&15), 1
		for shift := 4; head[used-1]&0x80 != 0 && used < len(head) && shift < 60; shift += 7 {
			size |= int64(head[used]&0x7f) << shift
			used++
		}
		if total += size; size < 0 || total > most {
			return Fault("an object of a pack has deltas of more than %d bytes", most)
		}
		switch kind {
		case 6: // the base lies before it
			back, _, ok := offsetNumber(head[used:])
			if !ok || back <= 0 || int64(back) > at {
				return Fault("a delta in a pack has no base")
			}
			at -= int64(back)
		case 7: // the base has a name
			if len(head) < used+20 {
				return nil
			}
			base, ok := p.find(plumbing.Hash(head[used : used+20]))
			if !ok {
				return nil
			}
			at = base
		default:
			return nil
		}
	}
	return Fault("an object of a pack has deltas that lead in a circle, or more than %d", maxChain)
}

// partOf is the start of an object of a pack, with all that is said before its content.
func partOf(file fs.File, at int64) ([]byte, error) {
	head := make([]byte, 48)
	if r, ok := file.(io.ReaderAt); ok {
		n, err := r.ReadAt(head, at)
		if err == io.EOF {
			err = nil
		}
		return head[:n], err
	}
	s, ok := file.(io.Seeker)
	if !ok {
		return nil, fs.ErrInvalid
	}
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	n, err := io.ReadFull(file, head)
	if err == io.ErrUnexpectedEOF || err == io.EOF {
		err = nil
	}
	return head[:n], err
}
