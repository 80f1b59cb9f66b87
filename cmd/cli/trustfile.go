package main

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/fault"
	"golem/core/project"
)

// trustFile is a file of the person in $GOLEM_HOME, such as trust.json, which keeps
// what they trusted in each project, or config.yaml.
type trustFile struct{ name string }

var _ consent.File = trustFile{}

// maxHomeFile is the size limit of a file of golem in GOLEM_HOME, in bytes.
const maxHomeFile = 4 << 20

// trusted returns the file in which the person's trust is kept; nil if there is no home
// directory.
func (h *host) trusted() consent.File {
	home := h.home()
	if home == "" {
		return nil
	}
	return trustFile{filepath.Join(home, "trust.json")}
}

// Read returns the file's content; nothing if there is none.
func (t trustFile) Read() ([]byte, error) { return readHomeFile(t.name) }

// Change replaces the file under a lock. The lock is released when its process ends
// (SECURITY 14).
func (t trustFile) Change(change func([]byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(t.name), 0o700); err != nil {
		return fault.New(fault.Config, "GOLEM_HOME cannot be created: %s", cause(err)).Hinting("%s", writeHint(err, "set GOLEM_HOME to a directory that you can write to"))
	}
	base := filepath.Base(t.name)
	lock := flock.New(t.name + ".lock")
	if err := lock.Lock(); err != nil {
		return fault.New(fault.Config, "%s in GOLEM_HOME cannot be locked: %s", base, cause(err)).Hinting("%s", writeHint(err, "make GOLEM_HOME writable"))
	}
	defer lock.Close()
	old, err := t.Read()
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil {
		return err
	}
	if err := t.write(data); err != nil {
		return fault.New(fault.Config, "%s in GOLEM_HOME cannot be written: %s", base, cause(err)).Hinting("%s", writeHint(err, "make GOLEM_HOME writable"))
	}
	return nil
}

// write replaces the file, or if it is a link the file to which it leads, and keeps its
// permissions.
func (t trustFile) write(data []byte) error {
	name := t.name
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	leftovers(filepath.Dir(name), filepath.Base(name))
	return replace(name, unfinishedName(name), data, func(f *os.File) error {
		if info, err := os.Stat(name); err == nil {
			if err := f.Chmod(info.Mode().Perm()); err != nil {
				return err
			}
		}
		return f.Sync()
	})
}

// rules returns the approval rules that the person keeps for a project, in config.yaml.
// Rules for a worker found on GOLEM_PATH hold only for this worker and the directory
// that it works on.
func (h *host) rules(p place) consent.Rules {
	r := consent.Rules{Key: realPath(p.sandbox()), Home: filepath.ToSlash(h.tilde(p))}
	if p.work != "" {
		r.Key += forWorker + h.pathWorker(p)
	}
	if home := h.home(); home != "" {
		r.File = trustFile{filepath.Join(home, "config.yaml")}
	}
	return r
}

// trustDigest returns the value of GOLEM_TRUST, and adds the prefix sha256: if it is
// missing.
func (h *host) trustDigest() string {
	d := h.setting("TRUST")
	if len(d) == 2*sha256.Size && !strings.Contains(d, ":") {
		return "sha256:" + d
	}
	return d
}

// forWorker separates a directory from a worker found on GOLEM_PATH in a key under
// projects: of config.yaml.
const forWorker = " for "

// pathWorker returns the name of a worker found on GOLEM_PATH for such a key: its file,
// or the directory of its project.
func (h *host) pathWorker(p place) string {
	name := filepath.Join(p.root, filepath.FromSlash(p.entry))
	if short := h.shorten(name); short != name {
		return short
	}
	return realPath(name)
}

// config reads the person's $GOLEM_HOME/config.yaml.
func (h *host) config() ([]byte, error) {
	home := h.home()
	if home == "" {
		return nil, nil
	}
	return readHomeFile(filepath.Join(home, "config.yaml"))
}

// userHome returns the person's home directory; "" if it is not known. A relative path
// counts as not known, because it would name another directory in each project.
func (h *host) userHome() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if v := h.env[name]; v != "" && filepath.IsAbs(v) {
			return v
		} else if v != "" {
			return ""
		}
	}
	return ""
}

// tilde returns the directory that ~ means in config.yaml. If the environment names a
// directory of the project as HOME, it is the account's home directory, so that a
// project does not become the one that the person meant.
func (h *host) tilde(p place) string {
	home := h.userHome()
	if home != "" && p.sandbox() != "" && insideDir(resolved(home), p.sandbox()) {
		return h.homes.accountDir()
	}
	return home
}

// realPath returns a directory as a slash path without symbolic links, so that a
// project has the same name however it is reached.
func realPath(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.ToSlash(filepath.Clean(dir))
}

// reach returns how far a project's own settings take effect (SPEC §3). A lone file, a
// worker on GOLEM_PATH, and a root at or above the home directory may pre-approve only
// reading.
func (h *host) reach(p place, noProject bool) approval.Reach {
	root := realPath(p.sandbox())
	if p.work != "" || p.file && strings.Count(strings.TrimPrefix(p.entry, "./"), "/") == 0 && (noProject || !project.HasManifest(os.DirFS(p.root))) {
		return approval.ReadOnly
	}
	for _, home := range []string{h.userHome(), h.homes.accountDir()} {
		if home != "" && insideDir(resolved(home), filepath.FromSlash(root)) {
			return approval.ReadOnly
		}
	}
	return approval.WithinSandbox
}
