package disk

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nameless opens a new file in dir that has no name, and returns a function that gives it
// one. The kernel removes the file if the process ends before. It fails where the file
// system has no such files.
func nameless(dir string) (file *os.File, give func(name string) error, err error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, nil, err
	}
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	if _, err := os.Lstat(self); err != nil { // without /proc it cannot get a name
		return nil, nil, errors.Join(err, unix.Close(fd))
	}
	give = func(name string) error {
		return unix.Linkat(unix.AT_FDCWD, self, unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
	}
	return os.NewFile(uintptr(fd), dir+namelessFile), give, nil
}
