package shell

import (
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// Helper runs the command within its walls, and returns its exit code. The processes
// around it are those of confine.
func Helper() int { return command() }

// Private keeps golem's memory and variables, which have the person's keys, from other
// programs of the same user, also from commands that are not confined.
func Private() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// reporting gives the supervisor a pipe on which it says why a command could not be
// confined. wait returns that, or "", once the supervisor has ended; call it after Start,
// exactly once.
func reporting(cmd *exec.Cmd) (wait func() string, err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{to}
	return func() string {
		_ = to.Close()
		defer from.Close()
		why, _ := io.ReadAll(io.LimitReader(from, 4096))
		return string(why)
	}, nil
}
