package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golem/cmd/cli/shell/confine"
)

// Kernel says how the operating system can confine a command.
type Kernel = confine.Kernel

// Confines reports whether the kernel of this machine can confine commands to some
// directories.
func Confines() bool { return confine.Machine().Files }

// place is a directory or file in which commands may read files and run programs, and
// also write if Write is true.
type place = confine.Place

// confinement is what the commands of one worker may reach.
type confinement struct {
	kernel  Kernel
	places  []place
	network bool
}

// system are the places without which no program starts. They contain no files of the
// person: no home directory and no temporary files of other programs.
var system = []place{
	{Path: "/usr"}, {Path: "/bin"}, {Path: "/sbin"}, {Path: "/lib"}, {Path: "/lib32"}, {Path: "/lib64"}, {Path: "/opt"}, {Path: "/nix/store"}, {Path: "/gnu/store"},
	{Path: "/etc"}, {Path: "/proc"}, {Path: "/sys/devices/system/cpu"}, {Path: "/sys/fs/cgroup"}, {Path: "/run/systemd/resolve"},
	{Path: "/dev/null", Write: true}, {Path: "/dev/zero", Write: true}, {Path: "/dev/full", Write: true}, {Path: "/dev/random"}, {Path: "/dev/urandom"},
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
		out = append(out, place{Path: real})
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
