package gitrepo

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/utils/sync"

	"golem/core/sandbox"
)

// Limits of the deltas of one object in a pack. git itself makes chains of at most 4095.
const (
	maxChain  = 4095      // deltas
	maxDeltas = 256 << 20 // bytes of all deltas and the object at their end
	maxMade   = 4 << 30   // bytes of all objects that the deltas make in between
	maxIndex  = 1 << 30   // bytes of the index of a pack
)

// packIndex is the index of a pack, version 2 (gitformat-pack). The library that reads
// packs follows deltas without end if a delta is its own base. So golem follows them
// first and returns an error.
type packIndex struct {
	data  []byte
	count int
	pack  string           // the name of the pack
	known map[int64]packed // the objects that were followed, by their offsets in the pack
}

// packs reads the indexes of all packs and caches them.
func (d *Disk) packs() ([]packIndex, error) {
	if d.indexes != nil {
		return d.indexes, nil
	}
	indexes := []packIndex{}
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
			continue // the library returns an error for it
		}
		p := packIndex{data: data, count: int(binary.BigEndian.Uint32(data[8+1020:])), pack: path.Join("objects/pack", stem+".pack"), known: map[int64]packed{}}
		if int64(len(data)) < 8+1024+int64(p.count)*28 {
			continue // as above
		}
		if !p.sorted() {
			return nil, faultOf("the index of a pack is damaged: its names are not in order")
		}
		indexes = append(indexes, p)
	}
	d.indexes = indexes // not before all were read: a part of them would let a circle of differences pass
	return indexes, nil
}

// sorted reports whether the names are in order, each only once. In another order, the
// library could find an object that find does not find.
func (p packIndex) sorted() bool {
	for names := p.data[8+1024:][:p.count*20]; len(names) > 20; names = names[20:] {
		if bytes.Compare(names[:20], names[20:40]) >= 0 {
			return false
		}
	}
	return true
}

// find returns the offset of an object in the pack.
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

// chain follows the deltas of an object in all packs. It returns E_PATH if they form a
// circle or are above the limits.
func (d *Disk) chain(h plumbing.Hash) error {
	packs, err := d.packs()
	for _, p := range packs {
		if at, ok := p.find(h); ok && err == nil {
			err = p.follow(d.git, at, max(maxDeltas, d.max))
		}
	}
	return err
}

// packed is the size of an object of a pack together with all deltas of which it is made.
type packed struct {
	deltas int
	bytes  int64 // of the deltas and of the object at their end
	made   int64 // bytes of all objects that the deltas make
}

// follow follows the deltas from an object of a pack to the object that is no delta, and
// stores the sizes of all of them in p.known. The library reports other damage.
func (p packIndex) follow(git fs.FS, at, most int64) error {
	if _, ok := p.known[at]; ok {
		return nil
	}
	file, err := git.Open(p.pack)
	if err != nil {
		return err
	}
	defer file.Close()
	in, err := readerAt(file)
	if err != nil {
		return err
	}
	var way []packPart
	base := packed{}
	for at >= 0 {
		if known, ok := p.known[at]; ok {
			base = known
			break
		}
		if len(way) > maxChain {
			return faultOf("an object of a pack has deltas that lead in a circle, or more than %d", maxChain)
		}
		part, err := p.part(in, at, most)
		if err != nil {
			return err
		}
		way, at = append(way, part), part.base
	}
	for _, part := range slices.Backward(way) {
		if base.bytes += part.size; part.delta {
			base.deltas++
			base.made += part.made
		}
		if base.deltas > maxChain || base.bytes > most || base.made > maxMade {
			return faultOf("an object of a pack is made of more than %d deltas, or of too many bytes", maxChain)
		}
		p.known[part.at] = base
	}
	return nil
}

// packPart is an object in the form in which a pack has it.
type packPart struct {
	at, size int64 // its offset in the pack, and its bytes after decompression
	base     int64 // the offset of a delta's base; -1: it is no delta, or the library reports an error
	delta    bool
	made     int64 // bytes of the object that a delta makes
}

// part reads an object of a pack. The library decompresses everything, even if it is more
// than the size in the pack, so part counts the real bytes.
func (p packIndex) part(in io.ReaderAt, at, most int64) (packPart, error) {
	out := packPart{at: at, base: -1}
	head := make([]byte, 48)
	n, err := in.ReadAt(head, at)
	if head = head[:n]; err != nil && err != io.EOF || n == 0 {
		return out, cmpErr(err, io.ErrUnexpectedEOF)
	}
	kind, used := int(head[0]>>4&7), 1
	out.size = int64(head[0] & 15)
	for shift := 4; head[used-1]&0x80 != 0 && used < len(head) && shift < 60; shift += 7 {
		out.size |= int64(head[used]&0x7f) << shift
		used++
	}
	if out.size < 0 || out.size > most {
		return out, faultOf("an object of a pack has more than %d bytes", most)
	}
	switch kind {
	case 6: // the base is given by its offset before this object
		back, n, ok := offsetNumber(head[used:])
		if !ok || back <= 0 || int64(back) > at {
			return out, faultOf("a delta in a pack has no base")
		}
		out.delta, out.base, used = true, at-int64(back), used+n
	case 7: // the base is given by its hash
		if len(head) < used+len(plumbing.ZeroHash) {
			return out, nil
		}
		base, ok := p.find(plumbing.Hash(head[used : used+len(plumbing.ZeroHash)]))
		if out.delta = true; ok {
			out.base = base
		}
		used += len(plumbing.ZeroHash)
	}
	z, err := sync.GetZlibReader(bufio.NewReaderSize(io.NewSectionReader(in, at+int64(used), 1<<62), 1024))
	defer sync.PutZlibReader(z)
	if err != nil {
		return out, nil
	}
	start := make([]byte, 20)
	n, err = io.ReadFull(z.Reader, start)
	count := int64(n)
	if err == nil {
		more, _ := io.Copy(io.Discard, io.LimitReader(z.Reader, max(0, out.size-count)+1)) // go-git reports damage
		count += more
	}
	if count > out.size {
		return out, faultOf("an object of a pack has more bytes than the pack says")
	}
	if out.delta {
		_, first := binary.Uvarint(start[:n]) // the size of the base
		made, second := binary.Uvarint(start[max(0, first):n])
		if first > 0 && second > 0 && made > uint64(most) {
			return out, faultOf("a delta of a pack makes more than %d bytes", most)
		}
		out.made = int64(made)
	}
	return out, nil
}

// readerAt returns an io.ReaderAt for an open file.
func readerAt(file fs.File) (io.ReaderAt, error) {
	if r, ok := file.(io.ReaderAt); ok {
		return r, nil
	}
	if s, ok := file.(io.ReadSeeker); ok {
		return seeking{s}, nil
	}
	return nil, fs.ErrInvalid
}

// seeking is an io.ReaderAt for a file that can only seek. It is not safe for concurrent
// use.
type seeking struct{ io.ReadSeeker }

// ReadAt reads from an offset.
func (s seeking) ReadAt(p []byte, at int64) (int, error) {
	if _, err := s.Seek(at, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(s, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
