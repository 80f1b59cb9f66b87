package toolhost

import (
	"context"
	"errors"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/workspace"

	"golem/cmd/cli/disk"
)

// replacing is the lock of a project in which tool modules are replaced, and the kind of its journal.
const replacing = "replacing"

func toolFiles(store *state.Store, files sandbox.FS) workspace.ToolFiles {
	return workspace.ToolFiles{Root: files, Seal: store.Sealer(state.Format{Kind: replacing, Version: 1}, replacing)}
}

// Replace replaces files of tools together, with a lock against other golem processes. store is
// the state of the project.
func Replace(ctx context.Context, store *state.Store, files sandbox.FS, now map[string][]byte) error {
	if store.Kept() {
		release, err := store.Hold(ctx, replacing)
		if err != nil {
			return err
		}
		defer release()
	}
	return toolFiles(store, files).Replace(now)
}

// Recover finishes a replacement of tool modules that was killed. While another
// process replaces them, there is nothing to finish.
func Recover(store *state.Store, files sandbox.FS) error {
	t := toolFiles(store, files)
	if t.Seal == nil || !t.Unfinished() {
		return nil
	}
	release, err := store.TryHold(replacing)
	if errors.Is(err, fault.Busy) {
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
