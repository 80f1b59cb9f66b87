package reference

import (
	"fmt"
	"go/ast"
	"strings"
)

const callsHead = `# System calls

A [confined command](walls.md) can make these system calls. Others, such as ` + "`clone3` and `inotify_init1`" + `, do not exist for it (ENOSYS). A call of another ABI, such as the 32-bit one, ends the process.

| purpose | calls |
|---|---|
`

// callsJudged are the calls whose arguments decide, for which there is no table: see
// cmd/cli/shell/confine/filter_linux.go.
const callsJudged = "| its own processes | `clone` without namespaces, `personality`, `ioctl` and `fcntl` but for a few requests: no typing into a terminal, and no signals to others where golem judges them |\n" +
	"| signals | `kill`, `tkill`, `tgkill`, `rt_sigqueueinfo`, `rt_tgsigqueueinfo`, `pidfd_open`, `pidfd_send_signal`, which reach only the command's own processes |\n" +
	"| limits | `prlimit64` and `get_robust_list` for itself; `setpriority`, `ioprio_set`, `sched_set…` for itself, in a PID namespace for its own processes |\n" +
	"| sockets | `socketpair` of streams; with `network: true` also `socket` for IP and routes |\n"

// Calls returns the page of the system calls of a confined command, from the tables of its
// filter in the source below root.
func Calls(root string) (string, error) {
	const all, amd64 = "cmd/cli/shell/confine/calls_linux.go", "cmd/cli/shell/confine/arch_linux_amd64.go"
	s := newSource(root)
	var order []string
	purposes := map[string][]string{}
	for file, name := range map[string]string{all: "allowed", amd64: "older"} {
		groups, err := s.elements(file, name)
		if err != nil {
			return "", err
		}
		for _, group := range groups {
			parts := elements(group)
			if len(parts) != 2 {
				return "", fmt.Errorf("%s: %s is not a list of purposes", file, name)
			}
			if file == all {
				order = append(order, text(parts[0]))
				purposes[text(parts[0])] = append(callNames(elements(parts[1])), purposes[text(parts[0])]...)
			} else {
				purposes[text(parts[0])] = append(purposes[text(parts[0])], callNames(elements(parts[1]))...)
			}
		}
	}
	var b strings.Builder
	b.WriteString(callsHead)
	for _, purpose := range order {
		fmt.Fprintf(&b, "| %s | %s |\n", purpose, ticked(purposes[purpose]))
	}
	for _, row := range []struct{ head, name string }{{"network, with `network: true`", "networked"}, {"shared memory and queues, in an IPC namespace of its own", "shared"}} {
		list, err := s.elements(all, row.name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s |\n", row.head, ticked(callNames(list)))
	}
	refused, err := s.elements(all, "refused")
	if err != nil {
		return "", err
	}
	older, err := s.elements(amd64, "olderRefused")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%s| refused (EPERM) | %s |\n", callsJudged, ticked(append(callNames(refused), callNames(older)...)))
	return b.String(), nil
}

// callNames returns the names in a list of calls.
func callNames(list []ast.Expr) []string {
	var names []string
	for _, one := range list {
		if parts := elements(one); len(parts) > 0 {
			names = append(names, text(parts[0]))
		}
	}
	return names
}
