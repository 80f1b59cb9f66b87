//go:build unix && !linux

package shell

import (
	"os/signal"
	"syscall"
	"time"
)

// adopt does nothing: only Linux hands orphans to another process.
func adopt() {}

// endAll ends the process group. What has left it is not found here.
func endAll(politely bool) {
	signal.Ignore(syscall.SIGTERM)
	if politely {
		_ = syscall.Kill(0, syscall.SIGTERM)
		time.Sleep(grace)
	}
	// SIGKILL to the group would end the helper before it told the exit code:
	// golem sends it when the helper has ended.
}
