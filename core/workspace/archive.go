package workspace

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Limits of a zip file that Unzip accepts.
const (
	MaxArchive = 256 << 20 // bytes of the zip file itself
	MaxFiles   = 20_000    // files and directories
	maxBytes   = 512 << 20 // bytes of all unpacked files together
	MaxFile    = 256 << 20 // bytes of one unpacked file
)

// Unzip unpacks a zip file into dst. It checks everything before it writes
// anything (SECURITY 15): it rejects names outside the root, links, devices,
// two names that are the same file on some systems, wrong sizes, and archives
// above the limits. If one directory contains everything, that directory is
// left out of the names. Entries of .golem and .git, .env and .env.* are skipped. A
// file that already exists is E_CONFLICT; any other rejection is E_PATH. If a write
// fails, Unzip removes what it has written.
//
// dst must not follow names out of its root, because the archive chooses the
// names: use Over.
func Unzip(dst afero.Fs, data []byte) error { return unzip(dst, data, isExcluded) }

// UnzipRepository unpacks a zip file as Unzip does, but with those files of .git for
// which Travels returns true.
func UnzipRepository(dst afero.Fs, data []byte) error { return unzip(dst, data, stays) }

func unzip(dst afero.Fs, data []byte, skip func(name string, dir bool) bool) error {
	nodes, err := unpacked(data, skip)
	if err != nil {
		return err
	}
	if there, err := afero.ReadDir(dst, "."); err != nil || len(there) > 0 { // an empty directory needs no check
		for _, n := range nodes {
			if n.dir {
				continue
			}
			if err := vacant(dst, n.name); err != nil {
				return err
			}
		}
	}
	return write(dst, nodes)
}

// unpacked checks an archive and returns its files and directories, without those
// for which skip returns true.
func unpacked(data []byte, skip func(name string, dir bool) bool) ([]node, error) {
	if len(data) > MaxArchive {
		return nil, archiveFault("it has %d bytes; at most %d are allowed", len(data), MaxArchive)
	}
	// zip.NewReader allocates all entries before their number is known, and the number in
	// the file may be false. So the entries are counted before. The bound is higher than
	// MaxFiles, because a file in the archive may be a zip file with own entries.
	if bytes.Count(data, []byte("PK\x01\x02")) > 4*MaxFiles {
		return nil, archiveFault(crowded, MaxFiles)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, archiveFault("it is not a zip file, or its end is missing")
	}
	plan, err := planned(z, skip)
	if err != nil {
		return nil, err
	}
	nodes := make([]node, len(plan))
	for i, p := range plan {
		nodes[i] = node{name: p.name, dir: p.dir}
		if p.dir {
			continue
		}
		if nodes[i].data, err = p.read(); err != nil {
			return nil, err
		}
		nodes[i].data = Travelling(p.name, nodes[i].data)
	}
	return nodes, nil
}

// vacant returns an error if a file already exists at name or cannot be created
// there.
func vacant(dst afero.Fs, name string) error {
	_, err := dst.Stat(name)
	if err == nil {
		return fault.New(fault.Conflict, "the archive is refused: %s is there already", safeName(name)).Hinting("nothing was written; choose a new place")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return archiveFault("%s cannot be made: %s", safeName(name), fault.Of(reason(err), fault.Path).Message)
	}
	return nil
}

// reason returns the error without the path of an fs.PathError; the caller's
// message already has the path.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// encryptedFlags mark an entry whose content, or whose place in the archive's
// directory, is encrypted (APPNOTE 4.4.4, bits 0, 6 and 13).
const encryptedFlags = 1<<0 | 1<<6 | 1<<13

const crowded = "it has more than %d entries"

// member is one file or directory of an archive, with the name it gets when it
// is unpacked.
type member struct {
	name string
	file *zip.File
	dir  bool
}

// maxBadNames is the number of names that are not allowed which an error lists.
const maxBadNames = 10

// planned checks the archive's directory of entries and decides the name of
// each file.
func planned(z *zip.Reader, skip func(string, bool) bool) ([]member, error) {
	if len(z.File) > MaxFiles {
		return nil, archiveFault(crowded, MaxFiles)
	}
	var plan []member
	var total uint64
	var bad []string // why names are not allowed
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, "/")
		if err := named(name); err != nil && len(bad) < maxBadNames {
			bad = append(bad, fault.Of(err, fault.Path).Message)
		}
		if bad != nil {
			continue
		}
		if !f.Mode().IsDir() && !f.Mode().IsRegular() {
			return nil, archiveFault("%s is a link or a device", safeName(f.Name))
		}
		if f.Flags&encryptedFlags != 0 {
			return nil, archiveFault("%s is encrypted; pack it without a password", safeName(f.Name))
		}
		if f.Mode().IsDir() || strings.HasSuffix(f.Name, "/") {
			plan = append(plan, member{name, f, true})
			continue
		}
		if f.UncompressedSize64 > MaxFile {
			return nil, archiveFault("%s has %d bytes; a file may have at most %d", safeName(f.Name), f.UncompressedSize64, MaxFile)
		}
		if total += f.UncompressedSize64; total > maxBytes {
			return nil, archiveFault("its files have more than %d bytes", maxBytes)
		}
		plan = append(plan, member{name, f, false})
	}
	if bad != nil {
		return nil, archiveFault("%s", strings.Join(bad, "; "))
	}
	plan = unwrapped(slices.DeleteFunc(plan, func(m member) bool { return forMac(m.name) }))
	plan = slices.DeleteFunc(plan, func(m member) bool { return skip(m.name, m.dir) || secret(m.name) })
	if !slices.ContainsFunc(plan, func(m member) bool { return !m.dir }) {
		return nil, archiveFault("it has no files")
	}
	if why := collision(plan); why != "" {
		return nil, archiveFault("%s", why)
	}
	return plan, nil
}

// named returns E_PATH unless name is a relative path that works on every
// system.
func named(name string) error {
	if name == "" || !fs.ValidPath(name) || name == "." {
		return fault.New(fault.Path, "%s is not a valid path in a project", safeName(name))
	}
	return sandbox.ValidNew(name)
}

// unwrapped removes the common top directory if all files are in one, as in zip
// files of a folder.
func unwrapped(plan []member) []member {
	top := ""
	for _, m := range plan {
		first, _, nested := strings.Cut(m.name, "/")
		if !nested && !m.dir || top != "" && first != top {
			return plan
		}
		top = first
	}
	for _, inside := range []string{"workers", "tools", "prompts", "templates", "schemas", sandbox.StateDir} {
		if top == inside {
			return plan
		}
	}
	if InGit(top) { // without the name .git its files would be a bare repository with all settings
		return plan
	}
	out := make([]member, 0, len(plan))
	for _, m := range plan {
		if rest, inside := strings.CutPrefix(m.name, top+"/"); inside {
			out = append(out, member{rest, m.file, m.dir})
		}
	}
	return out
}

// isExcluded reports whether a file is never packed or unpacked: golem's state (.golem at
// the top), git's files (.git anywhere) and __MACOSX at the top.
func isExcluded(name string, _ bool) bool { return InGit(name) || stateful(name) }

func stateful(name string) bool {
	first, _, _ := strings.Cut(sandbox.Fold(name), "/")
	return first == sandbox.StateDir || forMac(name)
}

// forMac reports whether a file is in the directory that the Finder of macOS puts beside the
// folder in a zip file.
func forMac(name string) bool {
	first, _, _ := strings.Cut(sandbox.Fold(name), "/")
	return first == "__macosx"
}

func stays(name string, dir bool) bool { return !Travels(name, dir) }

// collision says which two names are equal or are the same file on systems that ignore
// case or Unicode form, which directory is spelled in two ways, or which name is used both
// for a file and for a directory; "" if none.
func collision(plan []member) string {
	seen := map[string]string{} // files by their name with case and Unicode form removed
	for _, m := range plan {
		if m.dir {
			continue
		}
		key := sandbox.Fold(m.name)
		if other, dup := seen[key]; dup {
			if other == m.name {
				return safeName(m.name) + " is in the archive twice"
			}
			return safeName(other) + " and " + safeName(m.name) + " are the same file on systems that ignore case"
		}
		seen[key] = m.name
	}
	dirs := map[string]string{}
	for _, m := range plan {
		dir := m.name
		if !m.dir {
			dir = path.Dir(m.name)
		}
		for ; dir != "."; dir = path.Dir(dir) {
			key := sandbox.Fold(dir)
			if file, there := seen[key]; there {
				return safeName(file) + " is both a file and the directory of " + safeName(m.name)
			}
			if other, there := dirs[key]; there && other != dir {
				return safeName(other) + " and " + safeName(dir) + " are the same directory on systems that ignore case"
			}
			dirs[key] = dir
		}
	}
	return ""
}

// read unpacks a member. It stops at the size that the archive declares.
func (m member) read() ([]byte, error) {
	r, err := m.file.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return nil, archiveFault("%s is compressed by a method that golem does not support (%d); use deflate", safeName(m.name), m.file.Method)
	}
	if err != nil {
		return nil, archiveFault("%s is damaged: the archive points to a wrong place for its content", safeName(m.name))
	}
	defer r.Close()
	said := int64(m.file.UncompressedSize64)
	data, err := io.ReadAll(io.LimitReader(r, said+1))
	switch {
	case errors.Is(err, zip.ErrChecksum), err == nil && int64(len(data)) == said && crc32.ChecksumIEEE(data) != m.file.CRC32:
		return nil, archiveFault("%s is damaged: its checksum is wrong", safeName(m.name))
	case err == nil && int64(len(data)) != said, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, zip.ErrFormat):
		return nil, archiveFault("the size of %s differs from the size in the archive", safeName(m.name))
	case err != nil:
		return nil, archiveFault("%s is damaged and cannot be unpacked", safeName(m.name))
	}
	return data, nil
}

// secret reports whether a file, or a directory that it is in, is .env or .env.*, which may
// contain keys. An export never contains such files, and an import writes none (SECURITY 15, 16).
func secret(name string) bool {
	for part := range strings.SplitSeq(sandbox.Fold(name), "/") {
		if part == ".env" || strings.HasPrefix(part, ".env.") {
			return true
		}
	}
	return false
}

func archiveFault(format string, args ...any) error {
	return fault.New(fault.Path, "the archive is not accepted: "+format, args...).
		Hinting("nothing was written; get the archive again, or make it anew")
}

// safeName returns a name in a form that is safe in a message.
func safeName(name string) string {
	if len(name) > 200 {
		name = name[:200]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x200b && r <= 0x202e || r == 0xfeff {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(name, "?"))
}
