package sandbox

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
)

// Together writes several files of a tree together: the new contents first lie in Dir, in
// files named 0, 1, 2, and so on; then the file journal.json there names them with their
// digests. So whenever the process is killed, what Staged returns is nothing, or all files.
// A caller must hold a lock, so that only one process at a time uses Dir.
type Together struct {
	Root FS
	Dir  string // such as .golem/replacing
	Seal Sealer // of the journal, if only this machine may write it; nil: no seal
	Most int64  // bytes of one file
}

// Sealer marks what this machine wrote. Unseal fails for anything else.
type Sealer interface {
	Seal(data []byte) ([]byte, error)
	Unseal(data []byte) ([]byte, error)
}

// NewFile is one file that is to be written.
type NewFile struct {
	Name string
	Data []byte
}

type stagedJournal struct {
	Golem string       `json:"golem"` // "replacing"
	V     int          `json:"v"`
	Files []stagedFile `json:"files"`
}

type stagedFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

const mostJournal = 1 << 20

func (t Together) journal() string { return path.Join(t.Dir, "journal.json") }

func (t Together) content(n int) string { return path.Join(t.Dir, strconv.Itoa(n)) }

// Unfinished reports whether there is a journal.
func (t Together) Unfinished() bool {
	_, err := fs.Stat(t.Root, t.journal())
	return err == nil
}

// Stage prepares files, by name. After an error nothing is staged.
func (t Together) Stage(files map[string][]byte) error {
	err := t.Clear()
	j := stagedJournal{Golem: "replacing", V: 1}
	for n, name := range slices.Sorted(maps.Keys(files)) {
		if err == nil {
			err = MkdirAll(t.Root, t.Dir, 0o700)
		}
		if err == nil {
			err = t.Root.WriteFile(t.content(n), files[name])
		}
		j.Files = append(j.Files, stagedFile{name, digestOf(files[name])})
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(j)
	}
	if err == nil && t.Seal != nil {
		data, err = t.Seal.Seal(data)
	}
	if err == nil {
		err = t.Root.WriteFile(t.journal(), append(data, '\n'))
	}
	if err != nil {
		return errors.Join(err, t.Clear())
	}
	return nil
}

// ErrForeign is the error of Staged for a journal that this machine did not write.
var ErrForeign = errors.New("the journal is not of this machine")

// Staged returns the files that Stage prepared, sorted by name. It fails with ErrForeign if the
// journal has no genuine seal, and with E_LOCK if the files are not what Stage wrote.
func (t Together) Staged() ([]NewFile, error) {
	data, err := ReadFile(t.Root, t.journal(), mostJournal)
	if err == nil && t.Seal != nil {
		if data, err = t.Seal.Unseal(data[:max(0, len(data)-1)]); err != nil {
			return nil, ErrForeign
		}
	}
	var j stagedJournal
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err != nil || j.Golem != "replacing" || j.V != 1 {
		return nil, fault.New(fault.Lock, "%s is damaged", t.journal())
	}
	var out []NewFile
	for n, f := range j.Files {
		data, err := ReadFile(t.Root, t.content(n), t.Most)
		if err != nil || digestOf(data) != f.SHA256 {
			return nil, fault.New(fault.Lock, "the new content of %s is damaged", fault.Quoted(f.Name))
		}
		out = append(out, NewFile{f.Name, data})
	}
	return out, nil
}

// Put writes files that were staged, and then removes what is staged. After an error it can be
// repeated.
func (t Together) Put(files []NewFile) error {
	for _, f := range files {
		if err := MkdirAll(t.Root, path.Dir(f.Name), 0o755); err != nil {
			return err
		}
		if err := t.Root.WriteFile(f.Name, f.Data); err != nil {
			return err
		}
	}
	return t.Clear()
}

// Clear removes the journal, and then the contents.
func (t Together) Clear() error {
	if err := t.Root.Remove(t.journal()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := fs.ReadDir(t.Root, t.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err := t.Root.Remove(path.Join(t.Dir, e.Name())); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	return t.Root.Remove(t.Dir)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
