package main

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"

	"golem/core/sandbox"
	"golem/core/sorting"
)

// toolCache is a cache of guarded modules and descriptions, in a directory beside the
// projects. The browser or a person may delete it at any time.
type toolCache struct {
	stores *stores
	mu     sync.Mutex // one write at a time in this tab
}

const (
	cacheDir   = "cache"
	cacheBytes = 128 << 20 // limit of all entries together, in bytes
	cacheFile  = 48 << 20  // limit of one entry, in bytes
)

func cacheName(key string) string { return path.Join(cacheDir, strings.ReplaceAll(key, ":", "-")) }

// Get returns an entry, and false if it is missing or cannot be read.
func (c *toolCache) Get(key string) ([]byte, bool) {
	root, err := c.stores.open()
	if err != nil {
		return nil, false
	}
	data, err := sandbox.ReadFile(root, cacheName(key), cacheFile)
	return data, err == nil
}

// Put writes an entry, and first removes the oldest entries so that all together stay below
// cacheBytes. It does not keep an entry larger than cacheFile, which is no error.
func (c *toolCache) Put(key string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	root, err := c.stores.open()
	if err != nil {
		return err
	}
	if len(data) > cacheFile {
		return nil // it would not be read again
	}
	if err := root.Mkdir(cacheDir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := c.sweep(root, int64(len(data))); err != nil {
		return err
	}
	return root.WriteFile(cacheName(key), data)
}

// sweep removes the oldest entries until room more bytes fit into cacheBytes.
func (c *toolCache) sweep(root sandbox.FS, room int64) error {
	entries, err := fs.ReadDir(root, cacheDir)
	if err != nil {
		return err
	}
	var infos []fs.FileInfo
	total := room
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			infos = append(infos, info)
			total += info.Size()
		}
	}
	sorting.By(infos, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range infos {
		if total <= cacheBytes {
			break
		}
		if err := root.Remove(path.Join(cacheDir, info.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= info.Size()
	}
	return nil
}
