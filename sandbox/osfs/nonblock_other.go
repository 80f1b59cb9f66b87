//go:build !unix

package osfs

// nonblock is 0, because opening a file never waits on this system.
const nonblock = 0

func isQuota(error) bool { return false }
