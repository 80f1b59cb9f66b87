package workspace

import (
	"errors"
	"maps"
	"slices"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/sandbox"
)

// ToolFiles replaces tool modules, their descriptions and tools.lock together: whenever
// the process is killed, the next Recover leaves all old files or all new ones
// (SECURITY 14). The new files first lie in .golem/replacing/, where no worker can write, with
// a sealed journal, so that one that came with a clone writes nothing. A caller must hold a
// lock, so that only one process at a time replaces or recovers.
type ToolFiles struct {
	Root sandbox.FS
	// Seal seals the journal. nil: this machine has no key; then Replace writes one file after
	// the other, tools.lock at the end, and Recover does nothing.
	Seal sandbox.Sealer
}

const replacingDir = sandbox.StateDir + "/replacing"

func (t ToolFiles) together() sandbox.Together {
	return sandbox.Together{Root: t.Root, Dir: replacingDir, Seal: t.Seal, Most: 1 << 30}
}

// Unfinished reports whether there is a journal, so that Recover may have something to do.
func (t ToolFiles) Unfinished() bool { return t.together().Unfinished() }

// Replace replaces files. After an error all files are the old ones, unless Unfinished;
// then the next Recover makes them the new ones.
func (t ToolFiles) Replace(files map[string][]byte) error {
	if t.Seal == nil {
		return t.put(files)
	}
	if err := t.together().Stage(files); err != nil {
		return err
	}
	return t.Recover()
}

// put writes files one after the other.
func (t ToolFiles) put(files map[string][]byte) error {
	var all []sandbox.NewFile
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != config.ToolLockFile {
			all = append(all, sandbox.NewFile{Name: name, Data: files[name]})
		}
	}
	if data, ok := files[config.ToolLockFile]; ok {
		all = append(all, sandbox.NewFile{Name: config.ToolLockFile, Data: data})
	}
	return t.together().Put(all)
}

// Recover finishes a replacement whose journal is genuine, and removes what is left of one that
// has no journal yet. It leaves any other journal where it is: it is of a clone. It writes only files of tools, whatever a journal says.
func (t ToolFiles) Recover() error {
	all := t.together()
	if t.Seal == nil {
		return nil
	}
	if !all.Unfinished() {
		return all.Clear()
	}
	files, err := all.Staged()
	if errors.Is(err, sandbox.ErrForeign) {
		return nil
	}
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
