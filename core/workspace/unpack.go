package workspace

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Pack is a packed project that ReadPack has verified. Its trees are in memory.
type Pack struct {
	Index
	Bytes   int        // the size of the zip file
	Project sandbox.FS // the project's files
	Libs    sandbox.FS // the libraries, each in a directory NAME@VERSION
	Signer  *Signer    // nil: unsigned
}

// ReadPack reads a packed project. It verifies everything before it returns: the
// digest of the zip file, that every byte belongs to an entry, the index, the digest and size of every file, that no
// file is missing and none is additional, and the signature, if there is one. An
// error is E_LOCK, or E_LIMIT above the limits.
func ReadPack(data []byte) (*Pack, error) {
	if err := sealed(data); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, packFault("it is not a zip file")
	}
	if err := seamless(data, z.File); err != nil {
		return nil, err
	}
	entries := z.File
	if len(entries) == 0 || entries[0].Name != packIndex {
		return nil, packFault("its first file is not %s", packIndex)
	}
	index, err := entry(entries[0], maxIndex)
	if err != nil {
		return nil, err
	}
	p := &Pack{Bytes: len(data), Project: sandbox.Memory(), Libs: sandbox.Memory()}
	if p.Index, err = readIndex(index); err != nil {
		return nil, err
	}
	if entries = entries[1:]; len(entries) > 1 && entries[0].Name == packSignature && entries[1].Name == packKey {
		if p.Signer, err = signer(index, entries[0], entries[1]); err != nil {
			return nil, err
		}
		entries = entries[2:]
	}
	return p, p.fill(entries)
}

// sealed checks the size of a packed project and the digest in its comment. It also
// checks that the zip file's central directory is at the place that its end record
// names, and within the limits, so that reading it takes bounded memory.
func sealed(data []byte) error {
	const end = 22 // bytes of the end record without its comment (APPNOTE 4.3.16)
	const seal = len(packSeal) + 2*sha256.Size
	if len(data) > MaxPack {
		return fault.New(fault.Limit, "the packed project has %d bytes; at most %d are allowed", len(data), MaxPack)
	}
	at := len(data) - seal - end
	if at < 0 || string(data[at:at+4]) != "PK\x05\x06" || string(data[at+end:at+end+len(packSeal)]) != packSeal {
		return packFault("it is not a packed project, or its end is missing")
	}
	sum := sha256.Sum256(data[:len(data)-2*sha256.Size])
	if hex.EncodeToString(sum[:]) != string(data[len(data)-2*sha256.Size:]) {
		return packFault("its bytes were changed, or it was not copied completely")
	}
	record := data[at:]
	count := int(binary.LittleEndian.Uint16(record[10:]))
	size, start := int(binary.LittleEndian.Uint32(record[12:])), int(binary.LittleEndian.Uint32(record[16:]))
	if count > MaxFiles+3 || size > maxIndex || start+size != at {
		return packFault("the directory of the zip file is wrong")
	}
	return nil
}

// seamless returns an error unless the entries stand one after the other from the first byte
// on, up to the directory at the end. Other bytes could make the file a page, a script or a
// program as well.
func seamless(data []byte, entries []*zip.File) error {
	const head, described = 30, 16 // bytes of a local header without its names, and of a data descriptor (APPNOTE 4.3.7, 4.3.9)
	at := 0
	for _, f := range entries {
		off, err := f.DataOffset()
		begin := int(off)
		if err != nil || begin < at+head || begin > len(data) || string(data[at:at+4]) != "PK\x03\x04" {
			return packFault("%s does not begin where the file before it ends", safeName(f.Name))
		}
		names := int(binary.LittleEndian.Uint16(data[at+26:])) + int(binary.LittleEndian.Uint16(data[at+28:]))
		if begin != at+head+names || f.CompressedSize64 > uint64(len(data)) {
			return packFault("%s does not begin where the file before it ends", safeName(f.Name))
		}
		if at = begin + int(f.CompressedSize64); f.Flags&0x8 != 0 {
			at += described
		}
	}
	end := len(data) - len(packSeal) - 2*sha256.Size - 22
	if at != int(binary.LittleEndian.Uint32(data[end+16:])) {
		return packFault("it has bytes that belong to none of its files")
	}
	return nil
}

// entry reads a file of the archive. It returns E_LOCK if the file has more than limit
// bytes.
func entry(f *zip.File, limit int64) ([]byte, error) {
	if !f.Mode().IsRegular() || f.Flags&encryptedFlags != 0 || f.UncompressedSize64 > uint64(limit) {
		return nil, packFault("%s is not a regular file, is encrypted or is too large", safeName(f.Name))
	}
	data, err := member{name: f.Name, file: f}.read()
	if err != nil {
		return nil, packFault("%s is damaged", safeName(f.Name))
	}
	return data, nil
}

// readIndex parses and checks an index. It accepts only the bytes that golem would write
// for this index, so that unknown, repeated or reordered keys are errors.
func readIndex(data []byte) (Index, error) {
	var x Index
	if err := json.Unmarshal(data, &x); err != nil || x.Golem != "pack" || x.V < 1 {
		return x, packFault("its index %s cannot be read", packIndex)
	}
	if x.V > 1 {
		return x, fault.New(fault.Lock, "the project was packed by a newer version of golem (format %d)", x.V).Hinting("update golem")
	}
	again, err := x.bytes()
	if err != nil || !bytes.Equal(again, data) {
		return x, packFault("its index %s is not as golem writes it", packIndex)
	}
	if digest, err := x.digest(); err != nil || digest != x.Digest {
		return x, packFault("the digest in its index %s is wrong", packIndex)
	}
	if why := x.untitled(); why != "" {
		return x, packFault("%s", why)
	}
	return x, x.checkEntries()
}

// checkEntries checks the names, sizes and order of an index.
func (x Index) checkEntries() error {
	if len(x.Files)+len(x.Dirs) > MaxFiles {
		return fault.New(fault.Limit, "the packed project has more than %d files", MaxFiles)
	}
	var plan []member
	total, last := int64(0), ""
	for _, f := range x.Files {
		if f.Path <= last {
			return packFault("the files in its index are not sorted, or one is there twice: %s", safeName(f.Path))
		}
		last = f.Path
		if f.Size < 0 || f.Size > MaxPacked || len(f.SHA256) != 2*sha256.Size {
			return packFault("the size or digest of %s in its index is wrong", safeName(f.Path))
		}
		if total += f.Size; total > MaxPacked {
			return fault.New(fault.Limit, "the files of the packed project have more than %d bytes", MaxPacked)
		}
		plan = append(plan, member{name: f.Path})
	}
	for _, d := range x.Dirs {
		plan = append(plan, member{name: d, dir: true})
	}
	if !slices.IsSorted(x.Dirs) {
		return packFault("the directories in its index are not sorted")
	}
	for _, m := range plan {
		if err := packable(m.name); err != nil {
			return err
		}
	}
	if why := collision(plan); why != "" {
		return packFault("%s", why)
	}
	return nil
}

// packable returns an error for a name that MakePack never writes.
func packable(name string) error {
	top, rest, _ := strings.Cut(name, "/")
	if lib := ""; top == packLibs {
		if lib, rest, _ = strings.Cut(rest, "/"); lib == "" {
			rest = ""
		}
	} else if top != packProject {
		rest = ""
	}
	if err := named(rest); err != nil || named(name) != nil {
		return packFault("%s is not a name that golem packs", safeName(name))
	}
	for elem := range strings.SplitSeq(name, "/") {
		if folded := sandbox.Fold(elem); sandbox.Secret(folded) || slices.Contains(neverPacked, folded) {
			return packFault("%s holds keys or belongs to one machine; golem never packs it", safeName(name))
		}
	}
	return nil
}

// fill puts the files of the archive into the trees. The archive must have exactly the
// files and the directories of the index, each in the order of the index.
func (p *Pack) fill(entries []*zip.File) error {
	files, dirs := p.Files, p.Dirs
	for _, f := range entries {
		switch {
		case len(dirs) > 0 && f.Name == dirs[0]+"/":
			tree, name := p.tree(dirs[0])
			if err := sandbox.MkdirAll(tree, name, 0o755); err != nil {
				return err
			}
			dirs = dirs[1:]
		case len(files) > 0 && f.Name == files[0].Path:
			if err := p.addFile(f, files[0]); err != nil {
				return err
			}
			files = files[1:]
		default:
			return packFault("%s is in it, but not in its index", safeName(f.Name))
		}
	}
	if len(files) > 0 || len(dirs) > 0 {
		missing := append(slices.Clone(dirs), "")[0]
		if len(files) > 0 {
			missing = files[0].Path
		}
		return packFault("%s is in its index, but not in it", safeName(missing))
	}
	return nil
}

// addFile verifies one file of the archive against the index and puts it into its tree.
func (p *Pack) addFile(f *zip.File, said PackFile) error {
	data, err := entry(f, said.Size)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if int64(len(data)) != said.Size || hex.EncodeToString(sum[:]) != said.SHA256 {
		return packFault("%s is not the file that its index names", safeName(f.Name))
	}
	tree, name := p.tree(said.Path)
	return tree.WriteFile(name, data)
}

// tree returns the tree that a path of the archive belongs to, and its name there.
func (p *Pack) tree(name string) (sandbox.FS, string) {
	if rest, ok := strings.CutPrefix(name, packLibs+"/"); ok {
		return p.Libs, rest
	}
	return p.Project, strings.TrimPrefix(name, packProject+"/")
}

func packFault(format string, args ...any) error {
	return fault.New(fault.Lock, "the packed project is refused: "+format, args...).
		Hinting("nothing was run; get the file again, or ask its author for it")
}
