//go:build !linux

package shell

import (
	"os"
	"runtime"
)

// machine tells that golem cannot confine commands here.
func machine() Kernel {
	return Kernel{Lacks: "golem confines commands on Linux only, and this is " + runtime.GOOS}
}

func (c *confinement) startConfined(start func() error) error { return start() }

func shield(start func() error) error { return start() }

// self is golem's own program.
func self() (string, error) { return os.Executable() }
