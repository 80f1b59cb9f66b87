package clearance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"golem/core/sandbox"
	"golem/core/sorting"
)

// Brought are the changes in staged mounts of a run on other files than those of the project,
// such as an item of a batch, whose files are in memory.
type Brought struct {
	Run     string // names the run: "BATCH/ITEM"
	Worker  string // the root worker
	Changes []BroughtChange
	// Again says that the run may have brought its changes before, and that golem ended then.
	Again bool
}

// BroughtChange is the change of one file.
type BroughtChange struct {
	Name    string // in the project
	Data    []byte
	Removed bool
	Base    string // the digest of the content that the run began with; "": there was no file
}

// Digest returns the digest of a file's content, as BroughtChange.Base has it.
func Digest(data []byte) string { return digest(data) }

// Bring makes an item of the changes, which waits for a person like those of a run in the
// project. With Again it finds the item that the run made before: nothing is made if it has the
// same changes, also if a person decided on it; if it has others, one that waits is replaced.
func Bring(ctx context.Context, s *Store, b Brought) error {
	release, err := s.shelf().lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	it := Item{State: Pending, Run: b.Run, Worker: b.Worker, Created: s.now()}
	bases := s.bases()
	for _, f := range b.Changes {
		c := Change{Source: ".", Path: f.Name, Base: f.Base}
		if !f.Removed {
			c.Size, c.Digest, c.Binary = int64(len(f.Data)), digest(f.Data), isBinary(f.Data)
		}
		c.Bases = bases(c)
		it.Changes = append(it.Changes, c)
	}
	sorting.By(it.Changes, inOrder)
	it.Type, it.Message = s.shelf().typeOf(it.Changes), oneLine(b.Run+": "+describe(it.Changes))
	if b.Again {
		old, same, err := broughtBefore(s, b.Run, changesSum(it.Changes))
		if err != nil || same {
			return err
		}
		it.Replaces = old
	}
	return closeBrought(s, it, b)
}

// closeBrought stores the contents and the item. The caller holds the lock of the store.
func closeBrought(s *Store, it Item, b Brought) (err error) {
	id, log, free, err := s.shelf().reserve(&journal{Commit: true, Run: it.Run, Worker: it.Worker, Created: it.Created})
	if err != nil {
		return err
	}
	defer free()
	it.ID = id
	for _, f := range b.Changes {
		if err == nil && !f.Removed {
			err = s.shelf().blob(id, digest(f.Data), f.Data)
		}
	}
	if err = errors.Join(err, log.Close()); err == nil {
		err = s.shelf().put(it)
	}
	if err != nil {
		return errors.Join(err, s.shelf().remove(id))
	}
	if it.Replaces != "" {
		return s.shelf().remove(it.Replaces)
	}
	return nil
}

// broughtBefore reports whether a run brought the same changes before, also if a person decided
// on them, and returns the item that waits with others. The caller holds the lock of the store.
func broughtBefore(s *Store, run, sum string) (waits string, same bool, err error) {
	ids, err := s.shelf().ids()
	if err != nil {
		return "", false, err
	}
	for _, id := range slices.Backward(ids) {
		old, err := s.shelf().load(id)
		if err != nil || old.Err != nil || old.Run != run || old.State == Open {
			continue
		}
		if changesSum(old.Changes) == sum {
			return "", true, nil
		}
		if waits == "" && (old.State == Pending || old.State == Deferred) {
			waits = old.ID
		}
	}
	notes, err := fs.ReadDir(s.State.Files, notesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return waits, false, nil
	}
	for _, e := range notes {
		name := path.Join(notesDir, e.Name())
		data, err := sandbox.ReadFile(s.State.Files, name, 1<<20)
		if err != nil {
			continue
		}
		var n note
		body, err := s.State.Unseal(noteFormat, name, data)
		if err == nil && json.Unmarshal(body, &n) == nil && n.Run == run && (n.Changes == sum || n.Changes == "") {
			return "", true, nil
		}
	}
	return waits, false, err
}

// changesSum returns a digest of the names, contents and bases of changes.
func changesSum(changes []Change) string {
	var b []byte
	for _, c := range changes {
		b = fmt.Appendf(b, "%q %s %s\n", c.Name(), c.Digest, c.Base)
	}
	return digest(b)
}

// Shared are items that wait and change one file.
type Shared struct {
	Name  string
	Items []Item
}

// ItemsOf returns the items of List that runs of a batch staged. The runs of a batch are named
// BATCH/ITEM.
func ItemsOf(s *Store, batch string) ([]Item, error) {
	all, err := s.List()
	return slices.DeleteFunc(all, func(it Item) bool { return path.Dir(it.Run) != batch }), err
}

// WaitingOf returns how many items wait that runs of a batch staged.
func WaitingOf(s *Store, batch string) (n int, err error) {
	waiting, err := s.Waiting()
	for _, it := range waiting {
		if path.Dir(it.Run) == batch {
			n++
		}
	}
	return n, err
}

// SharedFiles returns the files that several waiting items of a batch change in different ways, by
// name. A push of one item makes the push of the others E_CONFLICT.
func SharedFiles(s *Store, batch string) (out []Shared, err error) {
	items, err := s.List()
	if err != nil {
		return nil, err
	}
	by, first, differ := map[string][]Item{}, map[string]string{}, map[string]bool{}
	for _, it := range items {
		if path.Dir(it.Run) != batch || it.Err != nil {
			continue
		}
		for _, c := range it.Changes {
			name := c.Name()
			by[name] = append(by[name], it)
			if digest, known := first[name]; !known {
				first[name] = c.Digest
			} else if digest != c.Digest {
				differ[name] = true
			}
		}
	}
	for name, its := range by {
		if differ[name] {
			out = append(out, Shared{name, its})
		}
	}
	sorting.By(out, func(a, b Shared) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
