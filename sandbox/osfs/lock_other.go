//go:build !windows

package osfs

import "os"

func lockFile(file *os.File) (free, known bool) { return Hold(file) }
