//go:build unix

package disk

import "golang.org/x/sys/unix"

// OpenNonblock is the flag with which opening a FIFO does not wait for its other end.
const OpenNonblock = unix.O_NONBLOCK
