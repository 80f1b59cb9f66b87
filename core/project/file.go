package project

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// Exists reports whether there is a file, not a directory, of that name. It also
// returns true if golem cannot find that out: to read the file then gives the reason,
// and no other file is used instead.
func (t *Trees) Exists(l Location) bool {
	there, broken := t.look(l)
	return there || broken
}

// look reports whether a file is there, or whether that cannot be found out (broken).
func (t *Trees) look(l Location) (there, broken bool) {
	if !t.valid(l) {
		return false, false
	}
	info, err := fs.Lstat(t.TreeOf(l).FS, l.Name)
	if err != nil {
		return false, !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) && !notDirectory(err)
	}
	return !info.IsDir(), false
}

// notDirectory reports whether an error says that a parent of the name is a file.
// Systems have no common error for it.
func notDirectory(err error) bool { return strings.Contains(err.Error(), "not a directory") }

// read returns a file of at most limit bytes and remembers that it was opened.
func (t *Trees) read(l Location, limit int64) ([]byte, *fault.Fault) {
	data, f := t.readQuietly(l, limit)
	if f == nil {
		f = t.pinned(l, data)
	}
	if f == nil {
		t.opened.add(l.String())
		t.defining(l.String())
		return data, nil
	}
	if f.Where == nil {
		f = f.At(l.String(), 1, 1)
	}
	return nil, f
}

// ReadText reads a file that must be text. data has the file's bytes, text is the same
// without a byte order mark.
func (t *Trees) ReadText(l Location) (data []byte, text string, f *fault.Fault) {
	data, f = t.read(l, config.MaxFile)
	if f == nil {
		f = yamltree.CheckText(l.String(), data)
	}
	if f != nil {
		return nil, "", f
	}
	return data, string(bytes.TrimPrefix(data, []byte("\ufeff"))), nil
}

func (t *Trees) readQuietly(l Location, limit int64) ([]byte, *fault.Fault) {
	if !t.valid(l) {
		return nil, fault.New(fault.Path, "%s is not a valid path in the project", fault.Quoted(l.Name))
	}
	tree := t.TreeOf(l)
	real, inside := tree.follow(l.Name)
	switch {
	case !inside:
		return nil, leavesFault()
	case tree.secret(l.Name, real):
		return nil, fault.New(fault.Protected, "golem reads no part of a project from .env, .golem or .git, nor from a link to there").
			Hinting("put what the project needs into a file of its own")
	}
	if real != l.Name {
		t.linked(l)
	}
	return readRegular(tree.FS, l.Name, limit)
}

// secret reports whether a file is one that no worker may read (SPEC §8). Then its text
// must not get into a prompt, either. real is the name after symbolic links.
func (s *Tree) secret(name, real string) bool {
	if sandbox.Secret(real) {
		return true
	}
	id, ok := s.FS.(sandbox.Identifier)
	if !ok {
		return false
	}
	s.findDotEnvs.Do(func() { s.dotEnvs = sandbox.DotEnvs(s.FS) })
	if len(s.dotEnvs) == 0 {
		return false
	}
	info, err := fs.Stat(s.FS, name)
	return err == nil && slices.ContainsFunc(s.dotEnvs, func(env fs.FileInfo) bool { return id.SameFile(env, info) })
}

// readRegular reads a regular file of at most limit bytes.
func readRegular(fsys fs.FS, name string, limit int64) ([]byte, *fault.Fault) {
	file, f := openRegular(fsys, name)
	if f != nil {
		return nil, f
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, readFault(err)
	}
	if int64(len(data)) > limit {
		return nil, fault.New(fault.Config, "the file is longer than %d KB", limit>>10).Hinting("split it up")
	}
	return data, nil
}

// checkRegular returns a fault unless name is a regular file.
func checkRegular(fsys fs.FS, name string) *fault.Fault {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return readFault(err)
	}
	if !info.Mode().IsRegular() {
		return fault.New(fault.Path, "not a regular file")
	}
	return nil
}

// openRegular opens a regular file. It looks at the file before, because to open a FIFO
// could wait for ever, and again afterwards, because the file may be another one by
// then.
func openRegular(fsys fs.FS, name string) (fs.File, *fault.Fault) {
	if f := checkRegular(fsys, name); f != nil {
		return nil, f
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, readFault(err)
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		return file, nil
	}
	file.Close()
	if err != nil {
		return nil, readFault(err)
	}
	return nil, fault.New(fault.Path, "not a regular file")
}

func leavesFault() *fault.Fault {
	return fault.New(fault.Path, "this is a symbolic link that points outside the project").Hinting("copy the file into the project")
}

// readFault explains a failed read without the host's path.
func readFault(err error) *fault.Fault {
	var f *fault.Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.NotFound, "no such file")
	case strings.Contains(err.Error(), "escapes"): // os.Root has no sentinel for it
		return leavesFault()
	}
	return fault.New(fault.Config, "cannot be read: %s", reason(err))
}

// reason returns the text of an error without the path that a path error has.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fault.Brief(err.Error())
}

// leaves reports whether a name goes through a symbolic link that leads out of the root
// (S2-59). For file systems without links it returns false; those that confine names
// themselves refuse again when the file is opened.
func (s *Tree) leaves(name string) bool {
	links, ok := s.FS.(fs.ReadLinkFS)
	if !ok {
		return false
	}
	_, inside := s.followLinks(links, name)
	return !inside
}

// follow returns the path in its source's root to which a name leads through symbolic
// links. From the first element that does not exist, the rest of the name stays as it
// is. inside is false if a link leads out of the root. A file system that confines
// names itself reports that only when the file is opened.
func (s *Tree) follow(name string) (real string, inside bool) {
	switch tree := s.FS.(type) {
	case sandbox.Resolver:
		if real, err := tree.Resolve(name); err == nil {
			return real, true
		}
	case fs.ReadLinkFS:
		return s.followLinks(tree, name)
	}
	return name, true
}

// followLinks does the work of follow for a file system that can read links.
func (s *Tree) followLinks(links fs.ReadLinkFS, name string) (real string, inside bool) {
	rest, here := strings.Split(name, "/"), "."
	for hops := 0; len(rest) > 0; {
		element := rest[0]
		rest = rest[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			if here == "." {
				return "", false
			}
			here = path.Dir(here)
			continue
		}
		next := path.Join(here, element)
		if s.realDir.has(next) {
			here = next
			continue
		}
		info, err := links.Lstat(next)
		if err != nil {
			return path.Join(next, path.Join(rest...)), true // opening it tells why
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if info.IsDir() {
				s.realDir.add(next)
			}
			here = next
			continue
		}
		target, err := links.ReadLink(next)
		target = strings.ReplaceAll(target, "\\", "/")
		if hops++; err != nil || hops > 40 || path.IsAbs(target) || config.Drive(target) {
			return "", false
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return here, true
}

// filesIn returns the files of a directory that match, sorted; none if there is no such
// directory, or if it is reached through a link that leads out.
func (t *Trees) filesIn(dir Location, match func(name string) bool) []string {
	if !t.valid(dir) || t.TreeOf(dir).leaves(dir.Name) {
		return nil
	}
	entries, err := fs.ReadDir(t.TreeOf(dir).FS, dir.Name)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && match(e.Name()) {
			out = append(out, dir.In(path.Join(dir.Name, e.Name())).String())
		}
	}
	return out
}
