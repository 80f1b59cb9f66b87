package target

import (
	"os"
	"path/filepath"
	"strings"

	"golem/core/approval"
	"golem/core/consent"
	"golem/core/project"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/home"
)

// Rules returns the approval rules that the person keeps for a project, in config.yaml.
// Rules for a worker found on GOLEM_PATH hold only for this worker and the directory
// that it works on.
func Rules(c *console.Console, p Place) consent.Rules {
	r := consent.Rules{Key: disk.RealPath(p.Sandbox()), Home: filepath.ToSlash(Tilde(c, p))}
	if p.Work != "" {
		r.Key += ForWorker + pathWorker(c, p)
	}
	if dir := c.Home.Dir(); dir != "" {
		r.File = home.File{Name: filepath.Join(dir, "config.yaml")}
	}
	return r
}

// ForWorker separates a directory from a worker found on GOLEM_PATH in a key under
// projects: of config.yaml.
const ForWorker = " for "

// pathWorker returns the name of a worker found on GOLEM_PATH for such a key: its file,
// or the directory of its project.
func pathWorker(c *console.Console, p Place) string {
	if p.Assistant {
		return Assistant
	}
	name := filepath.Join(p.Root, filepath.FromSlash(p.Entry))
	if short := Shorten(c, name); short != name {
		return short
	}
	return disk.RealPath(name)
}

// Tilde returns the directory that ~ means in config.yaml. If the environment names a
// directory of the project as HOME, it is the account's home directory, so that a
// project does not become the one that the person meant.
func Tilde(c *console.Console, p Place) string {
	home := c.Env.User()
	if home != "" && p.Sandbox() != "" && disk.Inside(disk.Resolved(home), p.Sandbox()) {
		return c.Home.Account()
	}
	return home
}

// Reach returns how far a project's own settings take effect (SPEC §3). A lone file, a
// worker on GOLEM_PATH, and a root at or above the home directory may pre-approve only
// reading.
func Reach(c *console.Console, p Place, noProject bool) approval.Reach {
	root := disk.RealPath(p.Sandbox())
	if p.Work != "" || p.File && strings.Count(strings.TrimPrefix(p.Entry, "./"), "/") == 0 && (noProject || !project.HasManifest(os.DirFS(p.Root))) {
		return approval.ReadOnly
	}
	for _, home := range []string{c.Env.User(), c.Home.Account()} {
		if home != "" && disk.Inside(disk.Resolved(home), filepath.FromSlash(root)) {
			return approval.ReadOnly
		}
	}
	return approval.WithinSandbox
}
