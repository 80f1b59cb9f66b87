package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// maxPinned bounds a module that is held in memory to compare its digest.
const maxPinned = 64 << 20

// pins is the result of reading golem.lock, once.
type pins struct {
	once  sync.Once
	lock  *config.Lock // nil: there is none
	fault *fault.Fault // it cannot be used: nothing that it would pin may be used
}

// Lock returns what golem.lock says; nil if there is none. With a fault, nothing that it
// would pin may be used.
func (t *Trees) Lock() (*config.Lock, *fault.Fault) {
	t.pins.once.Do(func() {
		l := Location{Name: config.LockFile}
		if t.setup.NoLock || !t.Exists(l) {
			return
		}
		data, f := t.read(l, config.MaxLock)
		if f == nil {
			t.pins.lock, f = config.DecodeLock(data)
		}
		if f != nil {
			c := *f
			c.Code = fault.Lock
			t.pins.lock, t.pins.fault = nil, LockAgain(&c, "write it again")
		}
	})
	return t.pins.lock, t.pins.fault
}

// binding returns the lock as it binds what is read. A check reports the fault of a lock
// once, and looks at the files all the same.
func (t *Trees) binding() (*config.Lock, *fault.Fault) {
	lock, f := t.Lock()
	if t.setup.Part {
		return lock, nil
	}
	return lock, f
}

// pinned compares a file that was read with golem.lock, before anything of it is used.
// It checks files of libraries and the descriptions of modules; pinnedModule checks
// modules.
func (t *Trees) pinned(l Location, data []byte) *fault.Fault {
	lib := t.TreeOf(l).Library
	if lib == "" && (!l.InProject() || !strings.HasSuffix(l.Name, config.ToolSidecar)) {
		return nil
	}
	sum := sha256.Sum256(data)
	return t.Compare(lib, l.Name, l.String(), hex.EncodeToString(sum[:]))
}

// Compare returns a fault if golem.lock has another digest for a file, or none. It
// finds a file of a library by its name in the library, and any other file (lib is "")
// by its path.
func (t *Trees) Compare(lib, name, shown, digest string) *fault.Fault {
	lock, f := t.binding()
	if lock == nil {
		return f
	}
	files := lock.Modules
	if lib != "" {
		locked, ok := lock.Libraries[lib]
		if !ok {
			return LockAgain(fault.New(fault.Lock, "the library %s is not in %s", fault.Quoted(lib), config.LockFile).At(shown, 1, 1), ifTrusted)
		}
		files = locked.Files
	}
	switch want := files[name]; want {
	case digest:
		return nil
	case "":
		return LockAgain(fault.New(fault.Lock, "%s is not in %s", shown, config.LockFile).At(shown, 1, 1), ifTrusted)
	default:
		return LockAgain(fault.New(fault.Lock, "%s has changed: %s has sha256 %s, the file has %s", shown, config.LockFile, want, digest).At(shown, 1, 1), ifTrusted)
	}
}

const ifTrusted = "if you trust the file as it is, update " + config.LockFile

// LockAgain returns f with the hint to write golem.lock again, which the page offers to do.
func LockAgain(f *fault.Fault, hint string) *fault.Fault {
	out := f.Hinting("%s with golem lib lock", hint)
	out.Page = &fault.PageWords{Hint: hint, Do: "lock"}
	return out
}

// pinnedModule compares the file of a module with golem.lock. If there is a lock, it
// reads the file into memory, so that golem uses the bytes that were compared.
func (ms *Modules) pinnedModule(m Module, l Location, file fs.File) (fs.File, *fault.Fault) {
	lock, f := ms.trees.binding()
	if lock == nil && f == nil {
		return file, nil
	}
	defer file.Close()
	if f != nil {
		return nil, f
	}
	info, err := file.Stat()
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(file, maxPinned+1))
	}
	switch {
	case err != nil:
		return nil, readFault(err).At(m.Path, 1, 1)
	case len(data) > maxPinned:
		return nil, fault.New(fault.ToolModule, "the module has more than %d bytes", int64(maxPinned)).At(m.Path, 1, 1)
	}
	name := l.Name
	if m.FromHome() {
		name = m.Path
	}
	sum := sha256.Sum256(data)
	if f := ms.trees.Compare(ms.trees.TreeOf(l).Library, name, m.Path, hex.EncodeToString(sum[:])); f != nil {
		return nil, f
	}
	return &pinnedFile{bytes.NewReader(data), info}, nil
}

// pinnedFile is a file whose content is in memory.
type pinnedFile struct {
	*bytes.Reader
	info fs.FileInfo
}

// Stat describes the file as it was read.
func (f *pinnedFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close does nothing.
func (f *pinnedFile) Close() error { return nil }

// NewLock returns a lock for every file of the libraries that the project uses, and for
// the given modules with their descriptions. Modules of libraries are among the
// libraries' files. It reads all these files and writes none.
func (ms *Modules) NewLock(modules []Module) (config.Lock, error) {
	lock := config.Lock{Libraries: map[string]config.LockedLibrary{}, Modules: map[string]string{}}
	for _, s := range ms.trees.all {
		if s.Library == "" {
			continue
		}
		files, f := s.Digests()
		if f != nil {
			return lock, f
		}
		lock.Libraries[s.Library] = config.LockedLibrary{Version: s.Manifest.Version, Files: files}
	}
	for _, m := range modules {
		fsys, l, home := ms.fileOf(m)
		if ms.trees.TreeOf(l).Library != "" {
			continue
		}
		if m.IsSource() {
			digest, err := ms.Digest(m, maxPinned)
			if err != nil {
				return lock, err
			}
			lock.Modules[m.Path] = digest
			continue
		}
		for _, suffix := range []string{".wasm", config.ToolSidecar} {
			name, shown := strings.TrimSuffix(l.Name, ".wasm")+suffix, strings.TrimSuffix(m.Path, ".wasm")+suffix
			if !home && ms.trees.TreeOf(l).leaves(name) {
				return lock, leavesFault().At(shown, 1, 1)
			}
			digest, f := digestOf(fsys, name)
			if f != nil && f.Code == fault.NotFound && suffix == config.ToolSidecar {
				continue
			}
			if f != nil {
				return lock, f.At(shown, 1, 1)
			}
			lock.Modules[shown] = digest
		}
	}
	return lock, nil
}

// Digests returns the digest of each file of a library that golem may use.
func (s *Tree) Digests() (map[string]string, *fault.Fault) {
	files := map[string]string{}
	var bad *fault.Fault
	err := fs.WalkDir(s.FS, ".", func(name string, e fs.DirEntry, err error) error {
		switch l := (Location{s.Name, name}); {
		case err != nil:
			bad = readFault(err).At(l.String(), 1, 1)
			return fs.SkipAll
		case name != "." && (slices.Contains(config.AlwaysIgnored, path.Base(name)) || sandbox.Secret(name)):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || s.leaves(name) || path.Base(name) == libraryOrigin:
			return nil
		default:
			if files[name], bad = digestOf(s.FS, name); bad != nil {
				bad = bad.At(l.String(), 1, 1)
				return fs.SkipAll
			}
			return nil
		}
	})
	if bad == nil && err != nil {
		bad = readFault(err).At(s.Name+".", 1, 1)
	}
	return files, bad
}

// libraryOrigin is what golem lib install writes into a library's directory.
const libraryOrigin = ".golem-origin.json"

// digestOf returns the SHA-256 of a regular file, in hex.
func digestOf(fsys fs.FS, name string) (string, *fault.Fault) {
	file, f := openRegular(fsys, name)
	if f != nil {
		return "", f
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", readFault(err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Used returns the modules of the project, and their descriptions, that the lock
// or a worker that was asked for names; sorted.
func (ms *Modules) Used(lock *config.Lock) []string {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	names := map[string]bool{}
	for name := range lock.Modules {
		names[name] = true
	}
	for _, d := range ms.found {
		for _, m := range d.modules {
			if ms.trees.Location(m.Path).InProject() {
				names[m.Path], names[config.ModuleStem(m.Path)+config.ToolSidecar] = true, true
			}
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return strings.HasPrefix(name, config.HomePrefix) })
	return slices.Sorted(maps.Keys(names))
}
