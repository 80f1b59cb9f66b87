//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// OnlyOurs reports whether only the person who runs golem can write to a file or directory.
func OnlyOurs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
