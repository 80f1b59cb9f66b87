//go:build unix

package toolhost

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs reports whether only the person who runs golem can write to a directory.
func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
