package workspace

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/afero"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Zip packs a project, without .git, .golem, __MACOSX, .env and .env.*; empty directories are kept.
// Files are sorted and all have the same time, so the same files always give the
// same bytes. leave may be nil; it reports further files to leave out.
func Zip(tree afero.Fs, leave func(name string) bool) ([]byte, error) {
	return packed(tree, isExcluded, leave)
}

// ZipRepository packs a project as Zip does, but with those files of .git for which
// Travels returns true.
func ZipRepository(tree afero.Fs) ([]byte, error) { return packed(tree, stays, nil) }

func packed(tree afero.Fs, skip func(name string, dir bool) bool, leave func(name string) bool) ([]byte, error) {
	var out bytes.Buffer
	p := packing{src: afero.NewIOFS(tree), zip: zip.NewWriter(&out)}
	err := fs.WalkDir(p.src, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case skip(name, d.IsDir()) || secret(name) || leave != nil && leave(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return p.dir(name)
		case !d.Type().IsRegular():
			return nil
		}
		return p.file(name)
	})
	if err == nil {
		err = p.zip.Close()
	}
	if err == nil {
		err = p.accepted(out.Len())
	}
	if err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// packing is a zip file while it is written. It refuses what Unzip would not accept.
type packing struct {
	src     fs.FS
	zip     *zip.Writer
	members []member // also the directories, which have an entry only if they are empty
	entries int
	total   int64 // bytes of all files
}

func (p *packing) file(name string) error {
	if err := named(name); err != nil {
		return fault.New(fault.Path, "the project cannot be packed: %s", fault.Of(err, fault.Path).Message).Hinting("rename the file, or move it out of the project")
	}
	data, err := sandbox.ReadFile(p.src, name, MaxFile)
	if err != nil {
		return err
	}
	data = Travelling(name, data)
	if p.total += int64(len(data)); p.total > maxBytes {
		return fault.New(fault.Limit, "the project has more than %d bytes", int64(maxBytes))
	}
	p.members = append(p.members, member{name: name})
	f, err := p.entry(header(name, zip.Deflate, 0o644))
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return err
}

// dir adds an entry for a directory if it is empty, because a mount of a project may need
// it. Other directories need no entry, because unpacking their files creates them.
func (p *packing) dir(name string) error {
	p.members = append(p.members, member{name: name, dir: true})
	entries, err := fs.ReadDir(p.src, name)
	if err != nil || len(entries) > 0 || named(name) != nil {
		return err
	}
	_, err = p.entry(header(name+"/", zip.Store, fs.ModeDir|0o755))
	return err
}

func (p *packing) entry(h *zip.FileHeader) (io.Writer, error) {
	if p.entries++; p.entries > MaxFiles {
		return nil, fault.New(fault.Limit, "the project has more than %d files and empty directories", MaxFiles)
	}
	return p.zip.CreateHeader(h)
}

// accepted returns an error if Unzip would not accept the names, or the size in bytes.
func (p *packing) accepted(size int) error {
	if size > MaxArchive {
		return fault.New(fault.Limit, "the packed project has %d bytes; at most %d are allowed", size, MaxArchive)
	}
	if why := collision(p.members); why != "" {
		return fault.New(fault.Path, "the project cannot be packed: %s", why).Hinting("rename one of them")
	}
	return nil
}

func header(name string, method uint16, mode fs.FileMode) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Method: method, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	h.SetMode(mode)
	return h
}
