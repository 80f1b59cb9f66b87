//go:build unix

package osfs

import (
	"errors"
	"syscall"
)

// nonblock makes opening a pipe return at once instead of waiting for a writer.
const nonblock = syscall.O_NONBLOCK

func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) }
