package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"golem/core/sorting"
	"golem/core/wasmtool"
)

// Bounds of $GOLEM_HOME/cache. Beyond them the oldest entries go.
const (
	cacheBytes   = 512 << 20
	cacheEntries = 500
	// cacheEntry bounds what is read back: a guarded module is a little larger
	// than the module, which the guard bounds.
	cacheEntry = 64 << 20
)

// staleTemp is how old an unfinished file must be to count as left behind by a
// process that was killed.
const staleTemp = time.Hour

// toolCache keeps guarded modules and descriptions in $GOLEM_HOME/cache/modules,
// beside the directory of compiled code that the engine keeps there itself.
// Compiled code is run as it is read, so the directory must belong to the
// person who runs golem and be writable by nobody else. Several processes may
// use it: files appear whole, by a rename, and only one process sweeps. Without
// a usable directory nothing is kept, and everything works.
type toolCache struct {
	dir  string                           // $GOLEM_HOME/cache; "": there is no home
	warn func(format string, args ...any) // told once why nothing is kept; nil: nobody is

	maxBytes   int64 // 0: cacheBytes
	maxEntries int   // 0: cacheEntries

	once   sync.Once
	usable bool
}

var _ wasmtool.Cache = (*toolCache)(nil)

var errNoCache = errors.New("there is no cache directory")

// open makes the directory and says whether it can be used.
func (c *toolCache) open() bool {
	c.once.Do(func() {
		err := errNoCache
		if c.dir != "" {
			err = c.prepare()
		}
		c.usable = err == nil
		if err != nil && c.warn != nil {
			c.warn("warning: compiled tools cannot be cached: %s", cause(err))
		}
	})
	return c.usable
}

// prepare makes the directory, and a file in it, as each use will.
func (c *toolCache) prepare() error {
	if err := os.MkdirAll(c.entries(), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(c.dir)
	if err != nil {
		return err
	}
	if !ownedByUs(info) {
		return errors.New("other users can write to the cache directory")
	}
	tmp, err := os.CreateTemp(c.entries(), tempPrefix+"*")
	if err != nil {
		return err
	}
	err = tmp.Close()
	return errors.Join(err, os.Remove(tmp.Name()))
}

const tempPrefix = ".tmp-"

func (c *toolCache) entries() string { return filepath.Join(c.dir, "modules") }

// compiled is where the engine keeps compiled code; "" where it cannot.
func (c *toolCache) compiled() string {
	if !c.open() {
		return ""
	}
	return c.dir
}

// cacheKey is what an entry may be called: keys are made by golem.
var cacheKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

// Get reads an entry, and marks it as used.
func (c *toolCache) Get(key string) ([]byte, bool) {
	if !cacheKey.MatchString(key) || !c.open() {
		return nil, false
	}
	name := filepath.Join(c.entries(), key)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheEntry {
		return nil, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Hour {
		_ = os.Chtimes(name, now, now) // who cannot mark it may still use it
	}
	return data, true
}

// Put writes an entry, whole or not at all.
func (c *toolCache) Put(key string, data []byte) error {
	if !cacheKey.MatchString(key) {
		return errors.New("not a key of the cache")
	}
	if !c.open() {
		return errNoCache
	}
	unsynced := func(*os.File) error { return nil } // what a crash loses is made again
	return replace(filepath.Join(c.entries(), key), tempPrefix+"*", data, unsynced)
}

// A cached file, of whichever directory of the cache.
type cachedFile struct {
	name string
	size int64
	used time.Time
}

// sweep brings the cache back within its bounds. One process does it at a
// time; who finds the lock taken leaves it to the other.
func (c *toolCache) sweep() {
	if !c.open() {
		return
	}
	lock := flock.New(filepath.Join(c.dir, "lock"), flock.SetPermissions(0o600))
	if got, err := lock.TryLock(); err != nil || !got {
		return
	}
	defer lock.Unlock()
	files := c.files()
	sorting.By(files, func(a, b cachedFile) int {
		return cmp.Or(b.used.Compare(a.used), strings.Compare(a.name, b.name))
	})
	var bytes int64
	for i, f := range files {
		if bytes += f.size; bytes > cmp.Or(c.maxBytes, cacheBytes) || i >= cmp.Or(c.maxEntries, cacheEntries) {
			_ = os.Remove(f.name) // another process may have it open; the next sweep tries again
		}
	}
}

// files lists what the cache holds, one level deep; what processes that were
// killed have left unfinished is removed.
func (c *toolCache) files() []cachedFile {
	var out []cachedFile
	dirs, err := os.ReadDir(c.dir)
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		dir := filepath.Join(c.dir, d.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			name := filepath.Join(dir, e.Name())
			if unfinished(info) {
				if time.Since(info.ModTime()) > staleTemp {
					_ = os.Remove(name)
				}
				continue
			}
			out = append(out, cachedFile{name, info.Size(), info.ModTime()})
		}
	}
	return out
}

// unfinished says whether a file waits for its rename: golem's or the engine's.
func unfinished(info fs.FileInfo) bool {
	return strings.HasPrefix(info.Name(), tempPrefix) || strings.HasSuffix(info.Name(), ".tmp")
}
