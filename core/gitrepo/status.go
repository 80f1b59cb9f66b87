package gitrepo

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// status implements git_status.
func (r *reader) status(Args) (string, error) {
	head, base, err := r.headFiles("")
	if err != nil {
		return "", err
	}
	now, err := r.currentFiles(base, "", true)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "on %s\n", head)
	clean, absent := b.Len(), 0
	for _, file := range slices.Sorted(maps.Keys(now.files)) {
		if r.ctx.Err() != nil {
			return "", r.ctx.Err()
		}
		t := now.files[file]
		e, had := base[file]
		line, err := r.state(file, e, had, t)
		if err != nil {
			return "", err
		}
		if b.WriteString(line); t.skip && !r.inWorkingTree(file) {
			absent++
		}
	}
	names := map[string]string{}
	for file := range now.untracked {
		names[file] = "untracked: "
	}
	for file := range now.nested {
		names[file] = "untracked, a repository of its own: "
	}
	for _, file := range slices.Sorted(maps.Keys(names)) {
		name, _ := r.name(file)
		b.WriteString(names[file] + name + "\n")
	}
	if b.Len() == clean {
		b.WriteString("nothing differs from the last commit\n")
	}
	for _, file := range slices.Sorted(maps.Keys(now.files)) {
		if e := base[file]; now.files[file].submodule(e) && e.mode == Submodule && now.files[file].index.hash == e.hash {
			name, _ := r.name(file)
			fmt.Fprintf(&b, "submodule: %s\n", name)
		}
	}
	if absent > 0 {
		fmt.Fprintf(&b, "sparse checkout: %d files are not in the working tree\n", absent)
	}
	return clip(b.String(), "use git_diff with path") + r.leftOut(), nil
}

// state returns the lines of git_status about a file: e is its entry in the last commit,
// if it had one there.
func (r *reader) state(file string, e gitEntry, had bool, t *tracked) (string, error) {
	name, _ := r.name(file)
	switch {
	case t.stages > 0:
		return fmt.Sprintf("conflict: %s (%s)\n", name, conflicts[t.stages]), nil
	case t.submodule(e) || e.mode == Submodule:
		return t.module(name, e, had), nil
	case e.mode == Link || t.index.mode == Link:
		r.leave(file, notLinks)
		return "", nil
	case t.skip && !r.inWorkingTree(file):
		return t.absent(name, e, had), nil
	case t.gone:
		return "removed: " + name + "\n", nil
	}
	data, there := r.text(file)
	if !there && r.tooLarge(file) {
		return r.large(file, name, e, had)
	}
	mark := ""
	if t.skip {
		mark = "skip-worktree, "
	}
	switch {
	case had && !there:
		return mark + "removed: " + name + "\n", nil
	case !had && there:
		return mark + "new: " + name + "\n", nil
	case !there:
		return "", nil
	}
	line := modeChanged(name, e.mode, r.mode(file, e))
	if !sameContent(data, e.hash) {
		clean, known, err := r.cleanLFS(file, e)
		if err != nil {
			return "", err
		}
		if !clean || !known {
			line = mark + "changed: " + name + "\n" + line
		}
	}
	return line, nil
}

// module returns the line about a submodule that differs from the last commit, or "".
func (t *tracked) module(name string, e gitEntry, had bool) string {
	switch {
	case t.index.mode == "":
		return "submodule: " + name + ", removed\n"
	case t.index.mode != Submodule:
		return "submodule: " + name + ", now a file\n"
	case !had:
		return "submodule: " + name + ", new\n"
	case e.hash != t.index.hash:
		return "submodule: " + name + ", another commit\n"
	}
	return ""
}

// absent returns the line about a file that git does not expect in the working tree: its
// entry in the index may differ from the last commit.
func (t *tracked) absent(name string, e gitEntry, had bool) string {
	switch {
	case !had:
		return "new: " + name + "\n"
	case e.hash != t.index.hash:
		return "changed: " + name + "\n"
	}
	return modeChanged(name, e.mode, t.index.mode)
}

// large returns the line about a file that is too large to be compared, except as a file
// of Git LFS.
func (r *reader) large(file, name string, e gitEntry, had bool) (string, error) {
	clean, known, err := r.cleanLFS(file, e)
	switch {
	case err != nil:
		return "", err
	case clean && known:
		return modeChanged(name, e.mode, r.mode(file, e)), nil
	case known:
		return "changed: " + name + "\n", nil
	case !had:
		return "new: " + name + "\n", nil
	}
	return "not compared, too large: " + name + "\n", nil
}

// sameContent reports whether a file has the content of a blob, also if git has written the
// line ends as CRLF into the working tree.
func sameContent(data []byte, hash plumbing.Hash) bool {
	return plumbing.ComputeHash(plumbing.BlobObject, data) == hash ||
		bytes.Contains(data, []byte("\r\n")) && plumbing.ComputeHash(plumbing.BlobObject, bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) == hash
}

// diffNow returns the diff between the files of a commit and the files as they are now.
func (r *reader) diffNow(before map[string]gitEntry, only string) (string, error) {
	now, err := r.currentFiles(before, only, false)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, file := range slices.Sorted(maps.Keys(now.files)) {
		if r.ctx.Err() != nil || b.Len() > maxText {
			break
		}
		e, had := before[file]
		text, err := r.change(file, e, had, now.files[file])
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return gitNone(b.String(), "nothing differs") + r.leftOut(), nil
}

// change returns the diff between a file of a commit and the file as it is now.
func (r *reader) change(file string, e gitEntry, had bool, t *tracked) (string, error) {
	name, _ := r.name(file)
	switch {
	case t.submodule(e) || e.mode == Submodule:
		return t.module(name, e, had), nil
	case e.mode == Link || t.index.mode == Link:
		r.leave(file, notLinks)
		return "", nil
	case t.gone:
		old, err := r.blob(e)
		return r.patch(file, old, nil, true, false), err
	}
	data, there := r.text(file)
	modes := ""
	switch {
	case t.skip && !r.inWorkingTree(file):
		if had && e.hash == t.index.hash {
			return modeChanged(name, e.mode, t.index.mode), nil
		}
		var err error
		if data, err = r.blob(t.index); err != nil {
			return "", err
		}
		there, modes = true, modeChanged(name, e.mode, t.index.mode)
	case had && r.inWorkingTree(file):
		modes = modeChanged(name, e.mode, r.mode(file, e))
		if there && sameContent(data, e.hash) {
			return modes, nil
		}
		if p, is, err := r.pointer(e); err != nil {
			return "", err
		} else if is && !isPointer(data) {
			now, ok := r.sum(r.ctx, file)
			if ok && now == p {
				return modes, nil
			}
			if data, there = now.text(), ok; ok {
				modes += "Git LFS: " + name + ", compared by its pointer\n"
			}
		}
	}
	if !there && r.tooLarge(file) {
		return modes + "not compared, too large: " + name + "\n", nil
	}
	if !had && !there {
		return "", nil
	}
	var old []byte
	if had {
		var err error
		if old, err = r.blob(e); err != nil {
			return "", err
		}
	}
	if !there {
		data = nil
	}
	return modes + r.patch(file, old, data, had, there), nil
}
