package toolhost

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
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

	"golem/cmd/cli/disk"
)

// Limits of $GOLEM_HOME/cache. Beyond them the oldest entries are removed.
const (
	cacheBytes   = 512 << 20
	cacheEntries = 500
	// cacheEntry is the size limit of an entry that is read. A guarded module is a
	// little larger than the original, whose size the guard limits.
	cacheEntry = 64 << 20
)

// toolCache keeps guarded modules, compiled code and descriptions in
// $GOLEM_HOME/cache/modules. Compiled code is executed as it is read, so each entry
// begins with a MAC of its name and content under this machine's state key, and an entry
// that golem did not write here is none (SPEC §3). The directory must also belong to
// the person who runs golem and be writable by nobody else. Several processes may use
// it: files appear complete, by a rename, and only one process at a time removes old
// entries. Without a usable directory nothing is cached, and everything else works.
type toolCache struct {
	Dir  string                           // $GOLEM_HOME/cache; "": there is no home
	warn func(format string, args ...any) // called once with the reason if nothing can be cached; may be nil
	// secret returns the state key of this machine.
	secret func() ([]byte, error)

	maxBytes   int64 // 0: cacheBytes
	maxEntries int   // 0: cacheEntries

	once   sync.Once
	usable bool
	key    []byte // of the MACs
}

var _ wasmtool.Cache = (*toolCache)(nil)

var errNoCache = errors.New("there is no cache directory")

// open creates the directory at the first call, and reports whether it can be used.
func (c *toolCache) open() bool {
	c.once.Do(func() {
		err := errNoCache
		if c.Dir != "" {
			err = c.prepare()
		}
		c.usable = err == nil
		if err != nil && c.warn != nil {
			c.warn("warning: compiled tools cannot be cached: %s", disk.Cause(err))
		}
	})
	return c.usable
}

// prepare creates the directory, and tests that a file can be made in it.
func (c *toolCache) prepare() error {
	if err := os.MkdirAll(c.entries(), 0o700); err != nil {
		return err
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return err
	}
	if !disk.OnlyOurs(info) {
		return errors.New("other users can write to the cache directory")
	}
	tmp, err := os.CreateTemp(c.entries(), tempPrefix+"*")
	if err != nil {
		return err
	}
	if err = errors.Join(tmp.Close(), os.Remove(tmp.Name())); err != nil {
		return err
	}
	secret, err := c.secret()
	if err != nil {
		return err
	}
	c.key = digest(secret, []byte("golem cache 1"))
	return nil
}

// digest returns the HMAC-SHA-256 of parts, each preceded by its length.
func digest(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}

const tempPrefix = ".tmp-"

func (c *toolCache) entries() string { return filepath.Join(c.Dir, "modules") }

// cacheKey matches the keys of entries, which golem makes.
var cacheKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)
})

// Get returns an entry, and marks it as used. ok is false if there is none that golem
// wrote on this machine under this key.
func (c *toolCache) Get(key string) ([]byte, bool) {
	if !cacheKey().MatchString(key) || !c.open() {
		return nil, false
	}
	name := filepath.Join(c.entries(), key)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > cacheEntry {
		return nil, false
	}
	file, err := os.ReadFile(name)
	if err != nil || len(file) < sha256.Size {
		return nil, false
	}
	data := file[sha256.Size:]
	if !hmac.Equal(file[:sha256.Size], digest(c.key, []byte(key), data)) {
		return nil, false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > time.Hour {
		_ = os.Chtimes(name, now, now) // an entry that cannot be marked can still be used
	}
	return data, true
}

// Put writes an entry, completely or not at all.
func (c *toolCache) Put(key string, data []byte) error {
	if !cacheKey().MatchString(key) {
		return errors.New("not a key of the cache")
	}
	if !c.open() {
		return errNoCache
	}
	if len(data) > cacheEntry-sha256.Size {
		return errors.New("too large for the cache")
	}
	unsynced := func(*os.File) error { return nil } // an entry lost in a crash is made again
	return disk.Replace(filepath.Join(c.entries(), key), tempPrefix+"*", append(digest(c.key, []byte(key), data), data...), unsynced)
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
	lock := flock.New(filepath.Join(c.Dir, "lock"), flock.SetPermissions(0o600))
	if got, err := lock.TryLock(); err != nil || !got {
		return
	}
	defer lock.Unlock()
	c.removeUnsealed()
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

// removeUnsealed removes the directories in which wazero kept compiled code without a
// MAC for older versions of golem.
func (c *toolCache) removeUnsealed() {
	dirs, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	for _, d := range dirs {
		if d.IsDir() && strings.HasPrefix(d.Name(), "wazero-") {
			_ = os.RemoveAll(filepath.Join(c.Dir, d.Name())) // what stays is never read
		}
	}
}

// files returns the files in the cache's directories. It removes temporary files that
// killed processes left.
func (c *toolCache) files() []cachedFile {
	var out []cachedFile
	dirs, err := os.ReadDir(c.Dir)
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		dir := filepath.Join(c.Dir, d.Name())
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
				if time.Since(info.ModTime()) > disk.StaleTemp {
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
