package workspace

import (
	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// ToolFiles replaces tool modules, their descriptions and tools.lock together: whenever
// the process is killed, the next Recover leaves all old files or all new ones
// (SECURITY 14). The new files first lie in .golem/replacing/, where no worker can write.
// A caller must hold a lock, so that only one process at a time replaces or recovers.
type ToolFiles struct{ Root sandbox.FS }

const replacingDir = sandbox.StateDir + "/replacing"

func (t ToolFiles) together() sandbox.Together {
	return sandbox.Together{Root: t.Root, Dir: replacingDir, Most: 1 << 30}
}

// Unfinished reports whether a replacement was killed, so that Recover has to finish it.
func (t ToolFiles) Unfinished() bool { return t.together().Unfinished() }

// Replace replaces files. After an error all files are the old ones, unless Unfinished;
// then the next Recover makes them the new ones.
func (t ToolFiles) Replace(files map[string][]byte) error {
	if err := t.together().Stage(files); err != nil {
		return err
	}
	return t.Recover()
}

// Recover finishes a replacement whose journal is complete, and removes what is left of
// any other. It writes only files of tools, whatever a journal says.
func (t ToolFiles) Recover() error {
	all := t.together()
	if !all.Unfinished() {
		return all.Clear()
	}
	files, err := all.Staged()
	for _, f := range files {
		if err == nil && !config.IsToolFile(f.Name) {
			err = fault.New(fault.Lock, "%s/journal.json names %s, which is not a file of a tool", replacingDir, fault.Quoted(f.Name))
		}
	}
	if err != nil {
		return fault.New(fault.Lock, "a replacement of tool modules was not finished, and it cannot be: %s", fault.Of(err, fault.Lock).Message).
			Hinting("remove the directory %s, then give the command again that replaced them: golem tool add or update", replacingDir)
	}
	return all.Put(files)
}
