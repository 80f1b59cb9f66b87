package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// minABI is the first Landlock version that can also forbid truncating files: that of
// Linux 6.2. With an older one, a command could empty files outside its places.
const minABI = 3

// capped makes the kernel look older, for tests: "abi=5", "abi=5,spaces=none",
// "spaces=mounts". Only the linker sets it; no file and no environment does.
var capped string

// cap returns the value of name in capped; "" if it has none.
func capOf(name string) string {
	for _, part := range strings.Split(capped, ",") {
		if value, ok := strings.CutPrefix(part, name+"="); ok {
			return value
		}
	}
	return ""
}

// abi returns the version of Landlock; 0 if there is none.
func abi() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	if limit, err := strconv.Atoi(capOf("abi")); err == nil {
		return min(int(n), limit)
	}
	return int(n)
}

// Machine returns how the kernel of this machine can confine commands. It starts a
// process the first time, which tries the walls.
var Machine = sync.OnceValue(func() Kernel {
	k := Kernel{ABI: abi()}
	switch {
	case k.ABI == 0:
		k.Lacks = "this Linux has no Landlock, or it is turned off"
		return k
	case k.ABI < minABI:
		k.Lacks = "the Landlock of this Linux is too old (6.2 is needed)"
		return k
	case auditArch == 0:
		k.Fails = "seccomp: golem has no list of system calls for this processor"
		return k
	}
	lent, err := probe(k.ABI)
	if err != nil {
		k.Fails = "golem could not find out what this kernel gives: " + err.Error()
		return k
	}
	k.Spaces, k.Fails = lent.Spaces, lent.Fails
	k.Files, k.Network = k.Fails == "", k.Fails == ""
	return k
})

// probe lets a supervisor try which namespaces the kernel lends.
func probe(version int) (Lent, error) {
	program, err := Self()
	if err != nil {
		return Lent{}, err
	}
	var out bytes.Buffer
	order := Order{Dir: "/", Probe: true, Walls: &Walls{ABI: version, Places: []Place{{Path: "/"}}}}
	cmd := &exec.Cmd{Path: program, Args: []string{Name}, Dir: "/", Env: Environment([]string{}), Stdout: &out, Stderr: &out}
	control, err := cmd.StdinPipe()
	if err != nil {
		return Lent{}, err
	}
	defer control.Close()
	if err := cmd.Start(); err != nil {
		return Lent{}, err
	}
	_, failed := control.Write(encoded(order))
	if err := errors.Join(failed, cmd.Wait()); err != nil {
		return Lent{}, err
	}
	var lent Lent
	return lent, json.Unmarshal(out.Bytes(), &lent)
}

// combinations are the sets of namespaces, the best first. Where golem runs as root, the
// kernel may lend the others without a user namespace.
func combinations() []Spaces {
	all := []Spaces{
		{User: true, Procs: true, Mounts: true, IPC: true},
		{Procs: true, Mounts: true, IPC: true},
		{User: true, Mounts: true, IPC: true}, // where /proc cannot be mounted, as in many containers
		{Mounts: true, IPC: true},
	}
	var out []Spaces
	for _, s := range all {
		limit := capOf("spaces")
		if limit == "none" || limit == "mounts" && s.Procs || limit == "root" && s.User || !s.User && os.Geteuid() != 0 {
			continue
		}
		out = append(out, s)
	}
	return append(out, Spaces{})
}

// Self returns the path of golem's own program. The link in /proc is right even if the
// file was replaced meanwhile.
func Self() (string, error) {
	if _, err := os.Stat(selfLink); err == nil {
		return selfLink, nil
	}
	return os.Executable()
}

const selfLink = "/proc/self/exe"
