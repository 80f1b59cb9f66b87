package disk

import (
	"os"
	"runtime"
)

// OpenDir opens a directory. What is no directory, such as a FIFO, is an error at once.
func OpenDir(name string) (*os.File, error) { return os.Open(onlyDir(name)) }

// OpenRoot opens a directory as os.OpenRoot does. What is no directory, such as a FIFO, is an
// error at once.
func OpenRoot(name string) (*os.Root, error) { return os.OpenRoot(onlyDir(name)) }

// onlyDir returns the path of a directory in a form that leads to nothing else: to open a
// FIFO would wait for its other end. Windows has no FIFOs in the file system.
func onlyDir(name string) string {
	if runtime.GOOS == "windows" {
		return name
	}
	return name + "/."
}
