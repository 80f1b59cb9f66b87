//go:build !linux

package confine

import (
	"os"
	"runtime"
)

// Machine returns that golem cannot confine commands on this system.
func Machine() Kernel {
	return Kernel{Lacks: "golem confines commands on Linux only, and this is " + runtime.GOOS}
}

// Self returns the path of golem's own program.
func Self() (string, error) { return os.Executable() }
