//go:build !unix

package osfs

// nonblock is for systems whose opens can wait on a pipe.
const nonblock = 0

func isQuota(error) bool { return false }
