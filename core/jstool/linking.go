package jstool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"sync"
	"time"

	"golem/core/fault"
)

// Engines has the JavaScript engine of a platform, which may have to fetch it.
type Engines interface {
	Engine(ctx context.Context) (Engine, error)
}

// Machine runs modules, and keeps values between processes.
type Machine interface {
	// Ungranted is a Run.
	Ungranted(ctx context.Context, module []byte, export string, input []byte, answer Answering) ([]byte, error)
	Kept(key string) ([]byte, bool)
	Keep(key string, value []byte)
}

// Linking links the sources of a project, and links one again only if it or a file that it
// imports has changed. It is safe for concurrent use.
type Linking struct {
	mu    sync.Mutex
	known map[string]linkedAs // by entry
}

// linkedAs is a linked source, with the key under which the machine keeps it.
type linkedAs struct {
	key string
	linked
	until time.Time // when linking is tried again; zero: only if the files have changed
}

// counts reports whether what was linked is still what linking a folder would give.
func (l *linkedAs) counts(key string, folder fs.FS) bool {
	return l.key == key && (l.until.IsZero() || time.Now().Before(l.until)) && l.fits(folder)
}

// Link does what Engine.Link does.
func (k *Linking) Link(ctx context.Context, from Engines, by Machine, entry string, folder fs.FS) ([]byte, error) {
	e, err := from.Engine(ctx)
	if err != nil {
		return nil, err
	}
	k.mu.Lock() // two workers that use a tool link it once
	defer k.mu.Unlock()
	return e.built(k.find(ctx, e, by, entry, folder), entry)
}

// find returns what linking a source gives: as before if its files have not changed. The
// caller has locked mu.
func (k *Linking) find(ctx context.Context, e Engine, by Machine, entry string, folder fs.FS) linked {
	text, err := readSource(folder, path.Base(entry))
	if err != nil {
		return e.link(ctx, by.Ungranted, entry, folder) // it says what is wrong
	}
	key := e.key(path.Base(entry), text)
	if l, ok := k.known[entry]; ok && l.counts(key, folder) {
		return l.linked
	}
	l := linkedAs{key: key}
	if data, ok := by.Kept(key); !ok || json.Unmarshal(data, &l.linked) != nil || !l.fits(folder) {
		l.linked = e.link(ctx, by.Ungranted, entry, folder)
		switch {
		case errors.Is(l.err, fault.Timeout): // whoever needs the tool next must not wait as long again
			l.until = time.Now().Add(linkTime)
		case passing(l.err):
			return l.linked
		case l.err == nil:
			if data, err := json.Marshal(l.linked); err == nil {
				by.Keep(key, data)
			}
		}
	}
	if k.known == nil {
		k.known = map[string]linkedAs{}
	}
	k.known[entry] = l
	return l.linked
}

// key returns the key of what an engine makes of a source whose imports are not known.
func (e Engine) key(name string, text []byte) string {
	h := sha256.New()
	for _, part := range []string{e.Version, name, string(text)} {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return "linked-" + hex.EncodeToString(h.Sum(nil))
}

// fits reports whether the files that were linked are those of a folder.
func (l *linked) fits(folder fs.FS) bool {
	s := new(Sources)
	return json.Unmarshal(l.Sources, s) == nil && len(s.Files) > 0 && s.Fit(folder)
}

// passing reports whether linking the same files again may end in another way.
func passing(err error) bool {
	if err == nil {
		return false
	}
	switch fault.Of(err, fault.ToolModule).Code {
	case fault.Interrupted, fault.Platform, fault.Network, fault.ToolMemory:
		return true
	}
	return false
}
