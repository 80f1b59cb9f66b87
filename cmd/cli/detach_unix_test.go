//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// leaveTerminal makes sure that golem finds no terminal, even if the tests are
// run on one. It fails only where there is no session to leave.
func leaveTerminal() { syscall.Setsid() }

// gone reports whether a process that works below dir has ended. pid may be its number in a
// PID namespace of its own. A zombie counts as ended.
func gone(pid int, dir string) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range all {
		status, err := os.ReadFile(name)
		_, numbers, _ := strings.Cut(string(status), "\nNSpid:")
		numbers, _, _ = strings.Cut(numbers, "\n")
		cwd, bad := os.Readlink(filepath.Join(filepath.Dir(name), "cwd"))
		if f := strings.Fields(numbers); err == nil && bad == nil && len(f) > 0 && f[len(f)-1] == strconv.Itoa(pid) && strings.HasPrefix(cwd, dir) && !strings.Contains(string(status), "\nState:\tZ") {
			return false
		}
	}
	return len(all) > 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
