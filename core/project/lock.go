package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
)

// LockFile is the name of the file that pins what a project uses of others: its
// libraries with all their files, and the modules of tools with their descriptions
// (SPEC §4, §16).
const LockFile = "golem.lock"

// maxLock bounds golem.lock, in bytes: some 80,000 files.
const maxLock = 8 << 20

// maxPinned bounds a module that is held in memory to compare its digest.
const maxPinned = 64 << 20

// Lock is the content of golem.lock. Digests are SHA-256 in hex.
type Lock struct {
	Libraries map[string]LockedLibrary `json:"libraries"` // by name
	Modules   map[string]string        `json:"modules"`   // by path: NAME.wasm and NAME.tools.yaml, of the project and of $GOLEM_HOME/tools
}

// LockedLibrary is a library in golem.lock.
type LockedLibrary struct {
	Version string            `json:"version,omitempty"`
	Files   map[string]string `json:"files"` // by path in the library
}

// lockKind and lockVersion begin the file (SPEC §16).
const (
	lockKind    = "lock"
	lockVersion = 1
)

// Encode returns the text of the file. The same lock gives the same bytes.
func (l Lock) Encode() ([]byte, error) {
	if l.Libraries == nil {
		l.Libraries = map[string]LockedLibrary{}
	}
	if l.Modules == nil {
		l.Modules = map[string]string{}
	}
	data, err := json.MarshalIndent(struct {
		Golem string `json:"golem"`
		V     int    `json:"v"`
		Lock
	}{lockKind, lockVersion, l}, "", "  ")
	return append(data, '\n'), err
}

// pins is the result of reading golem.lock.
type pins struct {
	lock  *Lock        // nil: there is none
	fault *fault.Fault // it cannot be used: nothing that it would pin may be used
}

// golemLock reads golem.lock once. p.mu must be held.
func (p *Project) golemLock() (*Lock, *fault.Fault) {
	p.readGolemLock()
	if p.src.Part { // a check reports the fault once, and looks at the files all the same
		return p.pins.lock, nil
	}
	return p.pins.lock, p.pins.fault
}

// readGolemLock reads golem.lock unless it was read before.
func (p *Project) readGolemLock() {
	if p.pins != nil {
		return
	}
	p.pins = &pins{}
	l := location{name: LockFile}
	if p.src.NoLock || !p.exists(l) {
		return
	}
	data, f := p.read(l, maxLock)
	if f == nil {
		p.pins.lock, f = decodeLock(data)
	}
	if f != nil {
		c := *f
		c.Code = fault.Lock
		p.pins.lock, p.pins.fault = nil, c.Hinting("write it again with golem lib lock")
	}
}

// pinned compares a file that was read with golem.lock, before anything of it is used.
// It checks files of libraries and the descriptions of modules; pinnedModule checks
// modules.
func (p *Project) pinned(l location, data []byte) *fault.Fault {
	lib := p.sourceOf(l).library
	if lib == "" && (!l.inProject() || !strings.HasSuffix(l.name, toolSidecar)) {
		return nil
	}
	sum := sha256.Sum256(data)
	return p.compare(lib, l.name, l.String(), hex.EncodeToString(sum[:]))
}

// compare returns a fault if golem.lock has another digest for a file, or none. It
// finds a file of a library by its name in the library, and any other file (lib is "")
// by its path.
func (p *Project) compare(lib, name, shown, digest string) *fault.Fault {
	lock, f := p.golemLock()
	if lock == nil {
		return f
	}
	files := lock.Modules
	if lib != "" {
		locked, ok := lock.Libraries[lib]
		if !ok {
			return unlocked(fault.New(fault.Lock, "the library %s is not in %s", fault.Quoted(lib), LockFile).At(shown, 1, 1))
		}
		files = locked.Files
	}
	switch want := files[name]; want {
	case digest:
		return nil
	case "":
		return unlocked(fault.New(fault.Lock, "%s is not in %s", shown, LockFile).At(shown, 1, 1))
	default:
		return unlocked(fault.New(fault.Lock, "%s has changed: %s has sha256 %s, the file has %s", shown, LockFile, want, digest).At(shown, 1, 1))
	}
}

func unlocked(f *fault.Fault) *fault.Fault {
	return f.Hinting("if you trust the file as it is, update %s with golem lib lock", LockFile)
}

// pinnedModule compares the file of a module with golem.lock. If there is a lock, it
// reads the file into memory, so that golem uses the bytes that were compared.
func (p *Project) pinnedModule(m Module, l location, file fs.File) (fs.File, *fault.Fault) {
	lock, f := p.golemLock()
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
	name := l.name
	if m.FromHome() {
		name = m.Path
	}
	sum := sha256.Sum256(data)
	if f := p.compare(p.sourceOf(l).library, name, m.Path, hex.EncodeToString(sum[:])); f != nil {
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
func (p *Project) NewLock(modules []Module) (Lock, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	lock := Lock{Libraries: map[string]LockedLibrary{}, Modules: map[string]string{}}
	for _, s := range p.sources {
		if s.library == "" {
			continue
		}
		files, f := p.digests(&s)
		if f != nil {
			return lock, f
		}
		lock.Libraries[s.library] = LockedLibrary{s.manifest.Version, files}
	}
	for _, m := range modules {
		fsys, l, home := p.tree(m)
		if p.sourceOf(l).library != "" {
			continue
		}
		for _, suffix := range []string{".wasm", toolSidecar} {
			name, shown := strings.TrimSuffix(l.name, ".wasm")+suffix, strings.TrimSuffix(m.Path, ".wasm")+suffix
			if !home && p.leaves(l.at(name)) {
				return lock, leavesFault().At(shown, 1, 1)
			}
			digest, f := digestOf(fsys, name)
			if f != nil && f.Code == fault.NotFound && suffix == toolSidecar {
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

// digests returns the digest of each file of a library that golem may use. p.mu must be
// held.
func (p *Project) digests(s *source) (map[string]string, *fault.Fault) {
	files := map[string]string{}
	var bad *fault.Fault
	err := fs.WalkDir(s.fs, ".", func(name string, e fs.DirEntry, err error) error {
		switch l := (location{s.name, name}); {
		case err != nil:
			bad = readFault(err).At(l.String(), 1, 1)
			return fs.SkipAll
		case name != "." && (slices.Contains(alwaysIgnored, path.Base(name)) || sandbox.Secret(name)):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || p.leaves(l) || path.Base(name) == libraryOrigin:
			return nil
		default:
			if files[name], bad = digestOf(s.fs, name); bad != nil {
				bad = bad.At(l.String(), 1, 1)
				return fs.SkipAll
			}
			return nil
		}
	})
	if bad == nil && err != nil {
		bad = readFault(err).At(s.name+".", 1, 1)
	}
	return files, bad
}

// libraryOrigin is what golem lib install writes into a library's directory.
const libraryOrigin = ".golem-origin.json"

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

// staleLock returns the differences between golem.lock and what the project uses:
// errors for files that a run would refuse, warnings for what the lock lists in vain.
// It reads every file of the libraries. p.mu must be held.
func (p *Project) staleLock() fault.List {
	lock, f := p.golemLock()
	if f != nil {
		return fault.List{f}
	}
	if lock == nil {
		return nil
	}
	var faults fault.List
	vain := func(format string, args ...any) {
		faults = append(faults, fault.Warn(fault.Lock, format, args...).At(LockFile, 1, 1).Hinting("update %s with golem lib lock", LockFile))
	}
	used := map[string]bool{}
	for _, s := range p.sources {
		if s.library == "" {
			continue
		}
		used[s.library] = true
		files, f := p.digests(&s)
		if f != nil {
			faults = append(faults, f)
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if f := p.compare(s.library, name, s.name+name, files[name]); f != nil {
				if faults = append(faults, f); lock.Libraries[s.library].Files == nil {
					break // one line for a library that is not in the lock
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(lock.Libraries[s.library].Files)) {
			if files[name] == "" {
				vain("%s lists %s, and there is no such file", LockFile, fault.Quoted(s.name+name))
			}
		}
	}
	missing := slices.ContainsFunc(p.faults, func(f *fault.Fault) bool { return f.Code == fault.LibraryNotFound })
	for _, name := range slices.Sorted(maps.Keys(lock.Libraries)) {
		if !used[name] && !missing { // otherwise it may be the missing library, or one that that library needs
			vain("%s lists the library %s, which the project does not use", LockFile, fault.Quoted(name))
		}
	}
	for _, name := range p.modulesUsed(lock) {
		digest, f := digestOf(p.src.FS, name)
		switch {
		case f == nil:
			if f := p.compare("", name, name, digest); f != nil {
				faults = append(faults, f)
			}
		case f.Code == fault.NotFound && lock.Modules[name] != "":
			vain("%s lists %s, and there is no such file", LockFile, fault.Quoted(name))
		}
	}
	return faults
}

// modulesUsed returns the modules of the project, and their descriptions, that the lock
// or a loaded worker names; sorted.
func (p *Project) modulesUsed(lock *Lock) []string {
	names := map[string]bool{}
	for name := range lock.Modules {
		names[name] = true
	}
	for _, got := range p.workers {
		if got.discovered == nil {
			continue
		}
		for _, m := range got.discovered.modules {
			if p.place(m.Path).inProject() {
				names[m.Path], names[strings.TrimSuffix(m.Path, ".wasm")+toolSidecar] = true, true
			}
		}
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return strings.HasPrefix(name, homePrefix) })
	return slices.Sorted(maps.Keys(names))
}
