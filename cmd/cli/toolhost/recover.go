package toolhost

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"

	"golem/cmd/cli/disk"
)

// LockReplacing locks the replacement of a project's tool modules against other golem
// processes. Without wait, release is nil if another process holds the lock.
func LockReplacing(root string, wait bool) (release func(), err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := dir.MkdirAll(".golem", 0o700); err != nil { // not through a link that leads out
		return nil, err
	}
	lock := flock.New(filepath.Join(root, ".golem", "replacing.lock"))
	held := true
	if wait {
		err = lock.Lock()
	} else {
		held, err = lock.TryLock()
	}
	if err != nil || !held {
		return nil, err
	}
	return func() { lock.Close() }, nil
}

// Recover finishes a replacement of tool modules that was killed. While another
// process replaces them, there is nothing to finish.
func Recover(root string, files sandbox.FS) error {
	t := workspace.ToolFiles{Root: files}
	if !t.Unfinished() {
		return nil
	}
	release, err := LockReplacing(root, false)
	if err == nil && release == nil {
		return nil
	}
	if err == nil {
		defer release()
		err = t.Recover()
	}
	if f := (*fault.Fault)(nil); err == nil || errors.As(err, &f) && f.Code == fault.Lock {
		return err
	}
	return disk.NotWritten("the tool modules whose replacement was not finished", err, "make the project's directory writable, with tools and .golem in it")
}
