package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// ToolFiles replaces tool modules, their descriptions and tools.lock together: whenever
// the process is killed, the next Recover leaves all old files or all new ones
// (SECURITY 14). The new files first lie in .golem/replacing/, where no worker can write;
// then a journal there names them with their digests. A caller must hold a lock, so that
// only one process at a time replaces or recovers.
type ToolFiles struct{ Root sandbox.FS }

const (
	replacingDir     = ".golem/replacing"
	replacingJournal = replacingDir + "/journal.json"
	maxJournal       = 1 << 20
	maxToolFile      = 1 << 30
)

// journal lists what is to be replaced. The new content of Files[n] is in the file n of
// replacingDir.
type journal struct {
	Golem string         `json:"golem"` // "replacing"
	V     int            `json:"v"`
	Files []replacedFile `json:"files"`
}

type replacedFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Unfinished reports whether a replacement was killed, so that Recover has to finish it.
func (t ToolFiles) Unfinished() bool {
	_, err := fs.Stat(t.Root, replacingJournal)
	return err == nil
}

// Replace replaces files. After an error all files are the old ones, unless Unfinished;
// then the next Recover makes them the new ones.
func (t ToolFiles) Replace(files map[string][]byte) error {
	if err := t.clear(); err != nil { // what a damaged journal names is replaced, or refused by tools.lock
		return err
	}
	j := journal{Golem: "replacing", V: 1}
	for n, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		j.Files = append(j.Files, replacedFile{name, hex.EncodeToString(sum[:])})
		if err := t.Root.WriteFile(staged(n), files[name]); err != nil {
			return errors.Join(err, t.clear())
		}
	}
	data, err := json.Marshal(j)
	if err == nil {
		err = t.Root.WriteFile(replacingJournal, append(data, '\n'))
	}
	if err != nil {
		return errors.Join(err, t.clear())
	}
	return t.Recover()
}

func staged(n int) string { return path.Join(replacingDir, strconv.Itoa(n)) }

// Recover finishes a replacement whose journal is complete, and removes what is left of
// any other. It writes only files of tools, whatever a journal says.
func (t ToolFiles) Recover() error {
	if !t.Unfinished() {
		return t.clear()
	}
	j, contents, err := t.read()
	if err != nil {
		return fault.New(fault.Lock, "a replacement of tool modules was not finished, and it cannot be: %s", fault.Of(err, fault.Lock).Message).
			Hinting("remove the directory %s, then give the command again that replaced them: golem tool add or update", replacingDir)
	}
	for n, f := range j.Files {
		if err := t.Root.WriteFile(f.Name, contents[n]); err != nil {
			return err
		}
	}
	return t.clear()
}

// read returns the journal and the new contents, if they are what Replace wrote.
func (t ToolFiles) read() (j journal, contents [][]byte, err error) {
	data, err := sandbox.ReadFile(t.Root, replacingJournal, maxJournal)
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err != nil || j.Golem != "replacing" || j.V != 1 {
		return j, nil, fault.New(fault.Lock, "%s is damaged", replacingJournal)
	}
	for n, f := range j.Files {
		if !project.IsToolFile(f.Name) {
			return j, nil, fault.New(fault.Lock, "%s names %s, which is not a file of a tool", replacingJournal, fault.Quoted(f.Name))
		}
		data, err := sandbox.ReadFile(t.Root, staged(n), maxToolFile)
		sum := sha256.Sum256(data)
		if err != nil || hex.EncodeToString(sum[:]) != f.SHA256 {
			return j, nil, fault.New(fault.Lock, "the new content of %s is damaged", fault.Quoted(f.Name))
		}
		contents = append(contents, data)
	}
	return j, contents, nil
}

// clear removes the journal and then the contents.
func (t ToolFiles) clear() error {
	if err := t.Root.Remove(replacingJournal); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := fs.ReadDir(t.Root, replacingDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err := t.Root.Remove(path.Join(replacingDir, e.Name())); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return t.Root.Remove(replacingDir)
}
