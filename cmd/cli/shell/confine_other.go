//go:build !linux

package shell

import (
	"os"
	"runtime"
)

// machine returns that golem cannot confine commands on this system.
func machine() Kernel {
	return Kernel{Lacks: "golem confines commands on Linux only, and this is " + runtime.GOOS}
}

func (c *confinement) startConfined(start func() error) error { return start() }

func shield(start func() error) error { return start() }

// self returns the path of golem's own program.
func self() (string, error) { return os.Executable() }
