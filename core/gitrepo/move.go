package gitrepo

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// gitDeflate returns an object in the form of a loose object's file.
func gitDeflate(o gitObject) ([]byte, error) {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.data))
	if err == nil {
		_, err = z.Write(o.data)
	}
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// workEdit is a change of a file of the working tree.
type workEdit struct {
	name string
	want *gitEntry // the new content; nil removes the file
}

// isCheckedOut reports whether the working tree shows the branch. It returns E_CONFLICT if a
// rebase or merge of the branch is not finished, or if another working tree shows it.
func (b *Branch) isCheckedOut() (bool, error) {
	busy := func(what string) error {
		return fault.New(fault.Conflict, "nothing was written: %s %s", b.place, what).Hinting("finish that first, or push to another branch")
	}
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name"} {
		if text, err := b.small(name); err != nil || text == b.ref {
			return false, errors.Join(err, busy("is in the middle of a rebase of this branch"))
		}
	}
	others, err := fs.ReadDir(b.git, "worktrees")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, e := range others {
		if text, err := b.small("worktrees/" + e.Name() + "/HEAD"); err != nil || strings.TrimSpace(strings.TrimPrefix(text, "ref:")) == b.ref {
			return false, errors.Join(err, busy("has another working tree that shows this branch, "+ShownName(e.Name())))
		}
	}
	head, err := b.head()
	if err != nil || b.work == nil || head != b.ref {
		return false, err
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := fs.Stat(b.git, name); err == nil {
			return true, busy("is in the middle of a merge (" + name + ")")
		}
	}
	return true, nil
}

// follow returns the new index (nil: unchanged) and the changes of files with which the
// working tree shows the named files of the directory to instead of those of the commit
// from. If the working tree shows another branch, it returns nothing. With strict, a file
// with uncommitted changes is E_CONFLICT; otherwise such a file stays as it is.
func (b *Branch) follow(from, to string, names []string, strict bool) (index []byte, edits []workEdit, err error) {
	shown, err := b.isCheckedOut()
	if err != nil && strict || !shown {
		return nil, nil, err
	}
	old, err := b.root(from)
	if err != nil {
		return nil, nil, err
	}
	list, err := b.readIndex()
	if err != nil {
		return nil, nil, err
	}
	same := func(a, b *gitEntry) bool {
		return a == nil && b == nil || a != nil && b != nil && a.hash == b.hash && a.mode == b.mode
	}
	changed, dirty := false, []string(nil)
	for _, name := range names {
		base, err := b.lookup(old, name)
		if err != nil {
			return nil, nil, err
		}
		want, err := b.lookup(to, name)
		if err != nil {
			return nil, nil, err
		}
		if list.collapsed(name) {
			return nil, nil, b.refused("its sparse index has the directory of %s as one entry; git sparse-checkout reapply --no-sparse-index expands it", ShownName(name))
		}
		has, at, merging := list.get(name)
		skip := list.skips(at, has != nil)
		clean := !merging && (same(has, base) || same(has, want))
		if clean && !same(has, want) {
			list.set(name, at, has != nil, want)
			changed = true
		}
		now, plain := b.inWork(name)
		switch {
		case skip && plain && now.IsZero(): // it is in no working tree, before and after
		case plain && now == hashOf(want) && isProgram(want) == isProgram(base):
		case plain && (now == hashOf(want) || now == hashOf(base)):
			edits = append(edits, workEdit{name, want})
		default:
			clean = false
		}
		if !clean {
			dirty = append(dirty, name)
		}
	}
	if strict && len(dirty) > 0 {
		return nil, nil, fault.New(fault.Conflict, "nothing was written: %s shows the branch, and these files have changes that are not committed: %s", b.place, strings.Join(dirty, ", ")).
			Hinting("commit or undo them, or switch to another branch")
	}
	if changed {
		index = list.encode()
	}
	return index, edits, nil
}

// hashOf returns the hash of an entry, or zero for nil.
func hashOf(e *gitEntry) plumbing.Hash {
	if e == nil {
		return plumbing.ZeroHash
	}
	return e.hash
}

func isProgram(e *gitEntry) bool { return e != nil && e.mode == Program }

// inWork returns the hash of a file in the working tree, or zero if it does not exist.
// plain is false if it is not a regular file or its path contains a link.
func (b *Branch) inWork(name string) (hash plumbing.Hash, plain bool) {
	if r, ok := b.work.(sandbox.Resolver); ok {
		if real, err := r.Resolve(name); err == nil && real != name {
			return hash, false
		}
	}
	data, err := sandbox.ReadFile(b.work, name, maxGitFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hash, true
	case err != nil:
		return hash, false
	}
	return plumbing.ComputeHash(plumbing.BlobObject, data), true
}

// Advance moves the branch as clearance.Branch describes. Renaming the lock file to the
// file of the branch is the atomic step. Meanwhile git's own lock files prevent other
// programs from changing the branch and the index.
func (b *Branch) Advance(from, to string, names []string) (back bool, err error) {
	defer recovered(&err)
	tree, err := b.root(to)
	if err != nil {
		return false, gitMissing(err)
	}
	moved := b.tip == to
	if !moved && b.tip != from && b.tip != "" {
		if moved, err = b.leadsTo(to); err != nil {
			return false, err
		}
	}
	if !moved {
		if back, err = b.move(from, to, tree, names); err != nil {
			return back, err
		}
	} else if err := b.drop(b.ref+".lock", []byte(to+"\n")); err != nil {
		return false, err
	}
	// Files that somebody has changed with a later commit are not updated.
	now, err := b.root(b.tip)
	if err != nil {
		return false, err
	}
	var still []string
	for _, name := range names {
		want, err := b.lookup(tree, name)
		is, err2 := b.lookup(now, name)
		if err == nil && err2 == nil && hashOf(want) == hashOf(is) {
			still = append(still, name)
		}
	}
	return false, b.bring(from, tree, still)
}

// move takes the locks, checks everything again and moves the branch. After an error, back
// reports that the branch is as it was and none of its locks is left.
func (b *Branch) move(from, to, tree string, names []string) (back bool, err error) {
	index, _, err := b.follow(from, tree, names, true)
	if err == nil && b.tip != from {
		err = b.movedMeanwhile()
	}
	if err == nil && index != nil {
		err = b.lock("index.lock", index)
	}
	if err == nil {
		err = b.lock(b.ref+".lock", []byte(to+"\n"))
	}
	if err == nil {
		if b.tip, err = b.readRef(); err == nil && b.tip != from {
			err = b.movedMeanwhile()
		}
	}
	if err == nil {
		if err = b.git.Rename(b.ref+".lock", b.ref); err == nil {
			b.tip = to
			return false, nil
		}
	}
	if index == nil {
		index, _, _ = b.follow(from, tree, names, false)
	}
	if left := errors.Join(b.drop(b.ref+".lock", []byte(to+"\n")), b.drop("index.lock", index)); left != nil {
		return false, fault.Of(errors.Join(err, left), fault.Conflict)
	}
	return true, err
}

// movedMeanwhile returns the error for a branch that got another commit meanwhile.
func (b *Branch) movedMeanwhile() error {
	return fault.New(fault.Conflict, "nothing was written: %s got another commit meanwhile", b.ref).Hinting("look at the item again, then push it again")
}

// bring updates the index and the named files of the working tree to the branch.
func (b *Branch) bring(from, tree string, names []string) error {
	index, edits, err := b.follow(from, tree, names, false)
	if err != nil {
		return err
	}
	if index != nil {
		if err := b.lock("index.lock", index); err != nil {
			return err
		}
		if err := b.git.Rename("index.lock", "index"); err != nil {
			return err
		}
	}
	for _, e := range edits { // removals first, so that a new file can take the place of a directory
		if e.want != nil {
			continue
		}
		if err := b.work.Remove(e.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for d := path.Dir(e.name); d != "." && b.work.Remove(d) == nil; d = path.Dir(d) {
			continue // remove empty directories, because git has none
		}
	}
	for _, e := range edits {
		if e.want == nil {
			continue
		}
		data, err := b.object(plumbing.BlobObject, e.want.hash.String())
		if err == nil {
			err = b.put(e, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put writes a file of the working tree. Whoever may read a program may then execute it, as
// git does it.
func (b *Branch) put(e workEdit, data []byte) error {
	if err := b.work.WriteFile(e.name, data); err != nil || !isProgram(e.want) {
		return err
	}
	perm := sandbox.PermOf(b.work, e.name)
	if perm == 0 || perm&0o100 != 0 {
		return nil
	}
	return sandbox.WritePerm(b.work, e.name, data, perm|perm&0o444>>2)
}

// creating is a tree with atomic creation of new files: if the name exists, Create
// returns fs.ErrExist.
type creating interface {
	Create(name string, data []byte) error
}

// lock takes one of git's locks: a file with the content that its owner is about to
// write. If it exists with the same content, it is golem's own, from before a kill;
// otherwise lock returns E_BUSY.
func (b *Branch) lock(name string, data []byte) error {
	c, ok := b.git.(creating)
	if !ok {
		return fault.New(fault.Platform, "%s lies where golem cannot lock it", b.place).Hinting("keep it on a local disk")
	}
	err := c.Create(name, data)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if has, err := sandbox.ReadFile(b.git, name, maxGitFile); err == nil && bytes.Equal(has, data) {
		return nil
	}
	return fault.New(fault.Busy, "another program works in %s: it has the file %s", b.place, name).
		Hinting("wait until it has finished; if no git is running, remove the file")
}

// drop removes a lock if it has this content and is therefore golem's own.
func (b *Branch) drop(name string, data []byte) error {
	if has, err := sandbox.ReadFile(b.git, name, maxGitFile); err != nil || data == nil || !bytes.Equal(has, data) {
		return nil
	}
	return b.git.Remove(name)
}

// maxHistory is the most commits that leadsTo looks at.
const maxHistory = 100_000

// leadsTo reports whether a commit is in the branch's history.
func (b *Branch) leadsTo(commit string) (bool, error) {
	seen := map[string]bool{}
	for queue := []string{b.tip}; len(queue) > 0 && len(seen) < maxHistory; queue = queue[1:] {
		at := queue[0]
		if at == commit {
			return true, nil
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		data, err := b.object(plumbing.CommitObject, at)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue // a shallow clone ends here
		}
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(string(data)) {
			if parent, ok := strings.CutPrefix(strings.TrimSpace(line), "parent "); ok {
				queue = append(queue, parent)
			} else if strings.TrimSpace(line) == "" {
				break
			}
		}
	}
	return false, nil
}
