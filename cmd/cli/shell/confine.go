package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kernel is what the operating system can confine a command to.
type Kernel struct {
	Files   bool   // to some directories (Landlock)
	Network bool   // to no network (seccomp)
	Lacks   string // why not to directories, for people
	abi     int    // of Landlock
}

// Confines reports whether the kernel of this machine can confine commands to some
// directories.
func Confines() bool { return machine().Files }

// place is a directory or file that commands may read and run programs from, and
// write if it says so.
type place struct {
	path  string
	write bool
	list  bool // its names may be listed, and nothing read
	exact bool // the path has no links; if it has some by now, it is not the place that was meant
}

// confinement is what the commands of one worker are confined to.
type confinement struct {
	kernel  Kernel
	places  []place
	network bool
}

// system are the places without which no program starts. They hold nothing of the
// person: no home, no temporary files of others.
var system = []place{
	{path: "/usr"}, {path: "/bin"}, {path: "/sbin"}, {path: "/lib"}, {path: "/lib32"}, {path: "/lib64"}, {path: "/opt"}, {path: "/nix/store"}, {path: "/gnu/store"},
	{path: "/etc"}, {path: "/proc"}, {path: "/sys/devices/system/cpu"}, {path: "/sys/fs/cgroup"}, {path: "/run/systemd/resolve"},
	{path: "/dev/null", write: true}, {path: "/dev/zero", write: true}, {path: "/dev/full", write: true}, {path: "/dev/random"}, {path: "/dev/urandom"},
}

// programs are the directories of PATH in which a command's programs are looked
// for: absolute ones, and none that contains a home or golem's own directory.
func programs(pathVar string, never []string) []place {
	var out []place
	for _, dir := range filepath.SplitList(pathVar) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || slices.ContainsFunc(never, func(n string) bool { return overlap(real, n) == outer }) {
			continue
		}
		out = append(out, place{path: real})
	}
	return out
}

// The ways in which two places can lie.
const (
	apart = iota
	outer // the first contains the second, or is it
	inner // the first is in the second
)

func overlap(a, b string) int {
	in := func(dir, p string) bool {
		rel, err := filepath.Rel(dir, p)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(os.PathSeparator))
	}
	switch {
	case in(a, b):
		return outer
	case in(b, a):
		return inner
	}
	return apart
}
