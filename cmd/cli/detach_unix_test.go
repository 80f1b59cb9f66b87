//go:build unix

package main

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// leaveTerminal makes sure that golem finds no terminal, even if the tests are
// run on one. It fails only where there is no session to leave.
func leaveTerminal() { syscall.Setsid() }

// gone reports whether a process has ended. A zombie counts as ended.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && strings.HasPrefix(state, "Z")
}
