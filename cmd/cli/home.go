package main

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// homeRule is what golem decided about $GOLEM_HOME: it counts only where neither a
// clone nor a worker of the run can write (SPEC §3). Once refused, it stays
// refused for the process. The zero value has decided nothing.
type homeRule struct {
	mu      sync.Mutex
	decided bool
	refused string        // why it does not count; "": it counts
	silent  bool          // say nothing, for completion
	account func() string // nil: accountHome
}

// namedHome returns the directory that the environment names as GOLEM_HOME, by default
// ~/.golem, whether it counts or not; "" if there is no home directory. No worker
// reaches it in either case.
func (h *host) namedHome() string {
	if v := h.setting("HOME"); v != "" {
		return h.path(v)
	}
	key := "HOME"
	if runtime.GOOS == "windows" {
		key = "USERPROFILE"
	}
	if v := h.env[key]; v != "" {
		return h.path(filepath.Join(v, ".golem"))
	}
	return ""
}

// home returns GOLEM_HOME; "" if there is none, or if it does not count: then nothing
// of it is read or written. Before a project is known, the current directory is judged
// if a project is there.
func (h *host) home() string {
	h.homes.mu.Lock()
	decided := h.homes.decided
	h.homes.mu.Unlock()
	if !decided {
		h.judgeHome(place{})
	}
	h.homes.mu.Lock()
	defer h.homes.mu.Unlock()
	if h.homes.refused != "" {
		return ""
	}
	return h.namedHome()
}

// judgeHome decides whether GOLEM_HOME counts for a project, and says once if not.
func (h *host) judgeHome(p place) {
	why := h.homeRefused(p)
	h.homes.mu.Lock()
	if !h.homes.decided && why == "" && h.namedHome() != "" {
		sweepHome(h.namedHome())
	}
	first := h.homes.refused == "" && why != ""
	h.homes.decided, h.homes.refused = true, cmp.Or(h.homes.refused, why)
	silent := h.homes.silent
	h.homes.mu.Unlock()
	if first && !silent {
		h.say("$GOLEM_HOME is not used, because %s: your configuration, trust, secrets and libraries there do not count, and nothing is kept, staged or resumed (set GOLEM_HOME to a directory elsewhere)", why)
	}
}

// homeRefused returns why GOLEM_HOME does not count for a project, or "" if it does.
func (h *host) homeRefused(p place) string {
	named := h.namedHome()
	if named == "" {
		return ""
	}
	home := resolved(named)
	roots, whole := h.writable(p)
	for _, root := range roots {
		in := insideDir(home, root)
		if !whole && !h.relativeHome() {
			in = sameDir(home, root) || sameDir(filepath.Dir(home), root)
		}
		switch {
		case in && h.atHome(p, root, home), !in && !whole:
		case in, sameDir(home, filepath.Join(root, sandbox.StateDir)):
			return "it lies in " + h.called(root) + ", where a clone brings files along and workers write"
		}
		if name := linkedInto(home, root); name != "" {
			return name + " in it leads into " + h.called(root) + ", where a clone brings files along and workers write"
		}
	}
	return ""
}

// relativeHome reports whether the environment names GOLEM_HOME by a relative path.
func (h *host) relativeHome() bool {
	named := cmp.Or(h.setting("HOME"), h.env["HOME"], h.env["USERPROFILE"])
	return !filepath.IsAbs(named)
}

// called returns a directory as messages name it.
func (h *host) called(root string) string {
	if sameDir(root, h.dir) {
		return "the current directory"
	}
	return "the project's directory"
}

// writable returns the directories that may belong to somebody else, or where workers
// write. A packed project and a command without a project have none of their own: then
// whole is false, and they are the current directory and that of the pack, if a project
// is there; only what looks like a part of such a project is judged by them.
func (h *host) writable(p place) (roots []string, whole bool) {
	switch {
	case p.pack != nil:
		roots = []string{h.dir, p.pack.dir}
	case p.root == "":
		roots = []string{h.dir}
	case p.work != "":
		return []string{p.work, p.root}, true
	default:
		return []string{p.root}, true
	}
	return slices.DeleteFunc(roots, func(dir string) bool { return dir == "" || !holdsProject(dir) }), false
}

// atHome reports whether the one exception of SPEC §3 holds: root is the home directory
// of the account by the user database, GOLEM_HOME is .golem in it, and TARGET is no
// project of that place.
func (h *host) atHome(p place, root, home string) bool {
	dir := h.homes.accountDir()
	if dir == "" || !sameDir(root, dir) || home != filepath.Join(resolved(dir), ".golem") {
		return false
	}
	return p.root == "" || p.work != "" && !sameDir(p.root, root) || !holdsProject(root)
}

func (r *homeRule) accountDir() string {
	if r.account != nil {
		return r.account()
	}
	return accountHome()
}

// accountHome returns the home directory of the account that runs golem, by the user
// database and not by the environment; "" if the database does not say.
func accountHome() string {
	if runtime.GOOS == "windows" {
		if u, err := user.Current(); err == nil { // the profile directory of the process's token
			return u.HomeDir
		}
		return ""
	}
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || !filepath.IsAbs(u.HomeDir) {
		return ""
	}
	return u.HomeDir
}

// maxListed is the most names that holdsProject reads of a directory.
const maxListed = 20_000

// holdsProject reports whether a directory has files with which golem would run: a
// manifest, workers, a packed project.
func holdsProject(dir string) bool {
	if project.HasManifest(os.DirFS(dir)) {
		return true
	}
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer d.Close()
	entries, err := d.ReadDir(maxListed)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name := strings.ToLower(e.Name())
		switch filepath.Ext(name) {
		case ".worker", ".golem":
			return name != sandbox.StateDir
		}
		return name == "workers" && e.IsDir()
	})
}

// homeFiles are the files and directories of GOLEM_HOME that golem uses.
var homeFiles = []string{
	"config.yaml", "trust.json", "secrets.json", "state.key", "cache", "cache/modules", "libs", "workers", "tools", "skills", "history", "runs",
}

// linkedInto returns the first of homeFiles that really lies in root and not in home,
// because a link leads there; "" if there is none.
func linkedInto(home, root string) string {
	for _, name := range homeFiles {
		at := resolved(filepath.Join(home, filepath.FromSlash(name)))
		if insideDir(at, root) && !insideDir(at, home) {
			return name
		}
	}
	return ""
}

// resolved returns a path without links. Of a path that does not exist, the part that
// exists is resolved.
func resolved(name string) string {
	rest := ""
	for at := name; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(at); err == nil { // a link to what does not exist yet
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(at), target)
			}
			return filepath.Join(target, rest)
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(name)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// insideDir reports whether a resolved path is dir or lies in it. It compares directories
// as the file system does, so that case, short names and bind mounts make no difference.
func insideDir(name, dir string) bool {
	if sandbox.Within(sandbox.Fold(filepath.ToSlash(name)), sandbox.Fold(filepath.ToSlash(resolved(dir)))) {
		return true
	}
	for at := name; ; at = filepath.Dir(at) {
		if sameDir(at, dir) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// homeless returns why something that needs GOLEM_HOME cannot be done.
func (h *host) homeless(what string) *fault.Fault {
	h.homes.mu.Lock()
	defer h.homes.mu.Unlock()
	if h.homes.refused != "" {
		return fault.New(fault.Config, "%s, because $GOLEM_HOME is not used here", what).
			Hinting("set GOLEM_HOME to a directory elsewhere")
	}
	return fault.New(fault.Config, "%s, because golem has no home directory", what).Hinting("set GOLEM_HOME")
}
