//go:build unix && !linux

package shell

import (
	"os/signal"
	"syscall"
	"time"
)

// grace is how long processes may take to end after SIGTERM.
const grace = 150 * time.Millisecond

// endAll sends SIGTERM to the helper's process group if politely is true. Processes
// that left the group are not found.
func endAll(politely bool) {
	signal.Ignore(syscall.SIGTERM)
	if politely {
		_ = syscall.Kill(0, syscall.SIGTERM)
		time.Sleep(grace)
	}
	// It sends no SIGKILL, which would end the helper before it returned the exit code.
	// golem sends SIGKILL to the group when the helper has ended.
}
