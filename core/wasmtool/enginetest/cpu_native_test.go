//go:build unix

package enginetest

import (
	"syscall"
	"time"
)

// rusage returns the processor time that this process has used.
func rusage() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
