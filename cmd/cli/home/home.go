// Package home is GOLEM_HOME, the directory of the person: where it is and whether it
// counts, its files with trust and configuration, and the key of this machine.
package home

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

	"golem/cmd/cli/disk"
)

// Home is GOLEM_HOME of this process. It counts only where neither a clone nor a worker
// of the run can write (SPEC §3). Once refused, it stays refused for the process.
type Home struct {
	env  Env
	dir  string            // the working directory
	warn func(text string) // says once why it does not count; nil: nobody is told

	mu      sync.Mutex
	decided bool
	refused string // why it does not count; "": it counts
	account func() string
}

// New returns the GOLEM_HOME that an environment names, for a process in dir. warn gets
// the reason if it does not count; nil: nobody is told. account returns the home
// directory of the account that runs golem; nil: by the user database.
func New(env Env, dir string, warn func(text string), account func() string) *Home {
	if account == nil {
		account = accountHome
	}
	return &Home{env: env, dir: dir, warn: warn, account: account}
}

// Ground is where a command works: GOLEM_HOME counts only outside it. The zero value is
// a command without a project.
type Ground struct {
	Root   string // the project's directory; "": there is none
	Work   string // the directory that a worker found on GOLEM_PATH works on
	Packed bool   // a packed project, which has no directory
	Pack   string // the directory of the packed file; "": it came from an address
}

// Named returns the directory that the environment names as GOLEM_HOME, by default
// ~/.golem, whether it counts or not; "" if there is no home directory. No worker
// reaches it in either case.
func (h *Home) Named() string {
	if v := h.env.Setting("HOME"); v != "" {
		return disk.Abs(h.dir, v)
	}
	key := "HOME"
	if runtime.GOOS == "windows" {
		key = "USERPROFILE"
	}
	if v := h.env[key]; v != "" {
		return disk.Abs(h.dir, filepath.Join(v, ".golem"))
	}
	return ""
}

// Dir returns GOLEM_HOME; "" if there is none, or if it does not count: then nothing
// of it is read or written. Before a project is known, the current directory is judged
// if a project is there.
func (h *Home) Dir() string {
	h.mu.Lock()
	decided := h.decided
	h.mu.Unlock()
	if !decided {
		h.Judge(Ground{})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused != "" {
		return ""
	}
	return h.Named()
}

// Judge decides whether GOLEM_HOME counts for a project, and says once if not.
func (h *Home) Judge(g Ground) {
	why := h.refusal(g)
	h.mu.Lock()
	if !h.decided && why == "" && h.Named() != "" {
		sweep(h.Named())
	}
	first := h.refused == "" && why != ""
	h.decided, h.refused = true, cmp.Or(h.refused, why)
	h.mu.Unlock()
	if first && h.warn != nil {
		h.warn("$GOLEM_HOME is not used, because " + why + ": your configuration, trust, secrets and libraries there do not count, and nothing is kept, staged or resumed (set GOLEM_HOME to a directory elsewhere)")
	}
}

// refusal returns why GOLEM_HOME does not count for a project, or "" if it does.
func (h *Home) refusal(g Ground) string {
	named := h.Named()
	if named == "" {
		return ""
	}
	home := disk.Resolved(named)
	roots, whole := h.writable(g)
	for _, root := range roots {
		in := disk.Inside(home, root)
		if !whole && !h.relative() {
			in = disk.SameDir(home, root) || disk.SameDir(filepath.Dir(home), root)
		}
		switch {
		case in && h.atHome(g, root, home), !in && !whole:
		case in, disk.SameDir(home, filepath.Join(root, sandbox.StateDir)):
			return "it lies in " + h.called(root) + ", where a clone brings files along and workers write"
		}
		if name := linkedInto(home, root); name != "" {
			return name + " in it leads into " + h.called(root) + ", where a clone brings files along and workers write"
		}
	}
	return ""
}

// relative reports whether the environment names GOLEM_HOME by a relative path.
func (h *Home) relative() bool {
	named := cmp.Or(h.env.Setting("HOME"), h.env["HOME"], h.env["USERPROFILE"])
	return !filepath.IsAbs(named)
}

// called returns a directory as messages name it.
func (h *Home) called(root string) string {
	if disk.SameDir(root, h.dir) {
		return "the current directory"
	}
	return "the project's directory"
}

// writable returns the directories that may belong to somebody else, or where workers
// write. A packed project and a command without a project have none of their own: then
// whole is false, and they are the current directory and that of the pack, if a project
// is there; only what looks like a part of such a project is judged by them.
func (h *Home) writable(g Ground) (roots []string, whole bool) {
	switch {
	case g.Packed:
		roots = []string{h.dir, g.Pack}
	case g.Root == "":
		roots = []string{h.dir}
	case g.Work != "":
		return []string{g.Work, g.Root}, true
	default:
		return []string{g.Root}, true
	}
	return slices.DeleteFunc(roots, func(dir string) bool { return dir == "" || !holdsProject(dir) }), false
}

// atHome reports whether the one exception of SPEC §3 holds: root is the home directory
// of the account by the user database, GOLEM_HOME is .golem in it, and TARGET is no
// project of that place.
func (h *Home) atHome(g Ground, root, home string) bool {
	dir := h.account()
	if dir == "" || !disk.SameDir(root, dir) || home != filepath.Join(disk.Resolved(dir), ".golem") {
		return false
	}
	return g.Root == "" || g.Work != "" && !disk.SameDir(g.Root, root) || !holdsProject(root)
}

// Account returns the home directory of the account that runs golem, by the user
// database and not by the environment; "" if the database does not say.
func (h *Home) Account() string { return h.account() }

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
	"config.yaml", "trust.json", "secrets.json", "state.key", "worker.key", "signers.json", "cache", "cache/modules", "libs", "workers", "tools", "skills", "history", "runs", "dirs",
}

// linkedInto returns the first of homeFiles that really lies in root and not in home,
// because a link leads there; "" if there is none.
func linkedInto(home, root string) string {
	for _, name := range homeFiles {
		at := disk.Resolved(filepath.Join(home, filepath.FromSlash(name)))
		if disk.Inside(at, root) && !disk.Inside(at, home) {
			return name
		}
	}
	return ""
}

// Missing returns why something that needs GOLEM_HOME cannot be done.
func (h *Home) Missing(what string) *fault.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused != "" {
		return fault.New(fault.Config, "%s, because $GOLEM_HOME is not used here", what).
			Hinting("set GOLEM_HOME to a directory elsewhere")
	}
	return fault.New(fault.Config, "%s, because golem has no home directory", what).Hinting("set GOLEM_HOME")
}
