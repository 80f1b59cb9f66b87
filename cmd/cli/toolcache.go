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

// Limits of $GOLEM_HOME/cache. Beyond them the oldest entries are removed.
const (
	cacheBytes   = 512 << 20
	cacheEntries = 500
	// cacheEntry is the size limit of an entry that is read. A guarded module is a
	// little larger than the original, whose size the guard limits.
	cacheEntry = 64 << 20
)

// staleTemp is the age from which on a temporary file counts as left by a process that
// was killed.
const staleTemp = time.Hour

// toolCache keeps guarded modules and descriptions in $GOLEM_HOME/cache/modules, beside
// the directory in which the engine itself keeps compiled code. Compiled code is
// executed as it is read, so the directory must belong to the person who runs golem and
// be writable by nobody else. Several processes may use it: files appear complete, by a
// rename, and only one process at a time removes old entries. Without a usable
// directory nothing is cached, and everything else works.
type toolCache struct {
	dir  string                           // $GOLEM_HOME/cache; "": there is no home
	warn func(format string, args ...any) // called once with the reason if nothing can be cached; may be nil

	maxBytes   int64 // 0: cacheBytes
	maxEntries int   // 0: cacheEntries

	once   sync.Once
	usable bool
}

var _ wasmtool.Cache = (*toolCache)(nil)

var errNoCache = errors.New("there is no cache directory")

// open creates the directory at the first call, and reports whether it can be used.
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

// prepare creates the directory, and tests that a file can be made in it.
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

// compiled returns the directory in which the engine keeps compiled code; "" if there
// is none.
func (c *toolCache) compiled() string {
	if !c.open() {
		return ""
	}
	return c.dir
}

// cacheKey matches the keys of entries, which golem makes.
var cacheKey = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

// Get returns an entry, and marks it as used. ok is false if there is none.
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
		_ = os.Chtimes(name, now, now) // an entry that cannot be marked can still be used
	}
	return data, true
}

// Put writes an entry, completely or not at all.
func (c *toolCache) Put(key string, data []byte) error {
	if !cacheKey.MatchString(key) {
		return errors.New("not a key of the cache")
	}
	if !c.open() {
		return errNoCache
	}
	unsynced := func(*os.File) error { return nil } // an entry lost in a crash is made again
	return replace(filepath.Join(c.entries(), key), tempPrefix+"*", data, unsynced)
}

// cachedFile is a file in one of the directories of the cache.
type cachedFile struct {
	name string
	size int64
	used time.Time
}

// sweep removes the oldest files beyond the limits of the cache. If another process is
// doing it, sweep returns at once.
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

// files returns the files in the cache's directories. It removes temporary files that
// killed processes left.
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

// unfinished reports whether a file is a temporary one, of golem or of the engine, that
// waits for its rename.
func unfinished(info fs.FileInfo) bool {
	return strings.HasPrefix(info.Name(), tempPrefix) || strings.HasSuffix(info.Name(), ".tmp")
}
