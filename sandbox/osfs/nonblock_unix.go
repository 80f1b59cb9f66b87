//go:build unix

package osfs

import (
	"errors"
	"syscall"
)

// nonblock keeps an open of a pipe from waiting for a writer.
const nonblock = syscall.O_NONBLOCK

func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) }
