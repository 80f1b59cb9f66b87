package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kernel says how the operating system can confine a command.
type Kernel struct {
	Files   bool   // to given directories (Landlock)
	Network bool   // without network (seccomp)
	Lacks   string // why it cannot confine to directories, as a text for people
	abi     int    // the version of Landlock
}

// Confines reports whether the kernel of this machine can confine commands to some
// directories.
func Confines() bool { return machine().Files }

// place is a directory or file in which commands may read files and run programs, and
// also write if write is true.
type place struct {
	path  string
	write bool
	list  bool // only its names may be listed, no file read
	exact bool // the path has no links; if it has some by now, it is not the place that was meant
}

// confinement is what the commands of one worker may reach.
type confinement struct {
	kernel  Kernel
	places  []place
	network bool
}

// system are the places without which no program starts. They contain no files of the
// person: no home directory and no temporary files of other programs.
var system = []place{
	{path: "/usr"}, {path: "/bin"}, {path: "/sbin"}, {path: "/lib"}, {path: "/lib32"}, {path: "/lib64"}, {path: "/opt"}, {path: "/nix/store"}, {path: "/gnu/store"},
	{path: "/etc"}, {path: "/proc"}, {path: "/sys/devices/system/cpu"}, {path: "/sys/fs/cgroup"}, {path: "/run/systemd/resolve"},
	{path: "/dev/null", write: true}, {path: "/dev/zero", write: true}, {path: "/dev/full", write: true}, {path: "/dev/random"}, {path: "/dev/urandom"},
}

// programs returns the directories of PATH as places in which a command finds its
// programs. It leaves out relative ones, and those that contain one of the places in
// never, such as a home directory or $GOLEM_HOME.
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

// Results of overlap.
const (
	apart = iota
	outer // the first contains the second, or both are the same
	inner // the first lies inside the second
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
