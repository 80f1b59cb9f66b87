package gitrepo

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/sorting"
)

// The modes of entries in a directory of git.
const (
	Dir       = "40000"
	Plain     = "100644"
	Program   = "100755"
	Link      = "120000"
	Submodule = "160000"
)

// gitEntry is an entry of a directory.
type gitEntry struct {
	mode, name string
	hash       plumbing.Hash
}

// parseTree parses the content of a directory object. ok is false if it is damaged.
func parseTree(data []byte) (out []gitEntry, ok bool) {
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !found || !named || len(rest) < len(plumbing.ZeroHash) {
			return nil, false
		}
		out = append(out, gitEntry{mode, name, plumbing.Hash(rest[:len(plumbing.ZeroHash)])})
		data = rest[len(plumbing.ZeroHash):]
	}
	return out, true
}

// maxHeld is the most bytes of directory objects in the cache Branch.trees.
const maxHeld = 32 << 20

// tree returns the entries of the directory with a hash in hex; "" is an empty directory.
func (b *Branch) tree(name string) ([]gitEntry, error) {
	if name == "" {
		return nil, nil
	}
	h := plumbing.NewHash(name)
	if got, ok := b.fresh[h]; ok {
		return got, nil
	}
	if got, ok := b.trees[h]; ok {
		return got, nil
	}
	data, err := b.object(plumbing.TreeObject, name)
	if err != nil {
		return nil, gitMissing(err)
	}
	got, ok := parseTree(data)
	if !ok {
		return nil, b.refused("the list of files %s is damaged", name)
	}
	if b.held += int64(len(data)); b.held > maxHeld {
		b.held = int64(len(data))
		clear(b.trees)
	}
	b.trees[h] = got
	return got, nil
}

// lookup returns the entry of a file below a directory, or nil if there is none. If the
// name is not a regular file, or a part of its path is not a directory, lookup returns
// E_PATH.
func (b *Branch) lookup(root, name string) (*gitEntry, error) {
	elems := strings.Split(name, "/")
	for n, elem := range elems {
		entries, err := b.tree(root)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(entries, func(e gitEntry) bool { return e.name == elem })
		if at < 0 {
			return nil, nil
		}
		e, last := entries[at], n == len(elems)-1
		if last && (e.mode == Plain || e.mode == Program) {
			return &e, nil
		}
		if last || e.mode != Dir {
			return nil, b.notPlain(path.Join(elems[:n+1]...), e.mode)
		}
		root = e.hash.String()
	}
	return nil, nil
}

func (b *Branch) notPlain(name, mode string) error {
	kind := map[string]string{Dir: "a directory", Link: "a symbolic link", Submodule: "a submodule", Plain: "a file, not a directory", Program: "a file, not a directory"}[mode]
	return fault.New(fault.Path, "%s in %s is %s", ShownName(name), b.place, cmp.Or(kind, "of a kind that golem does not know")).
		Hinting("%s", cmp.Or(b.remedy, "push to another target, or discard the item"))
}

// gitNode is a directory that is being changed.
type gitNode struct {
	entries []gitEntry
	subs    map[string]*gitNode // the directories among entries that are changed too
	folded  map[string]string   // names by folded name; nil until a name is added
}

// node returns a directory to be changed.
func (b *Branch) node(name string) (*gitNode, error) {
	entries, err := b.tree(name)
	return &gitNode{entries: slices.Clone(entries), subs: map[string]*gitNode{}}, err
}

// twin returns another name in the directory that is the same file as name on some disks,
// or "" if there is none. It also stores name.
func (n *gitNode) twin(name string) string {
	if n.folded == nil {
		n.folded = map[string]string{}
		for _, e := range n.entries {
			n.folded[sandbox.Fold(e.name)] = e.name
		}
	}
	key := sandbox.Fold(name)
	other := n.folded[key]
	n.folded[key] = name
	return other
}

// set puts a file into a directory; a zero hash removes it. The file's name is its path
// below the directory, and its mode is Plain or Program. A file that was a program stays
// one. dir is the path of the directory, for messages. A new name that is the same file as
// another one on some disks is E_PATH.
func (b *Branch) set(n *gitNode, dir string, file gitEntry) error {
	first, rest, deeper := strings.Cut(file.name, "/")
	full := path.Join(dir, first)
	if sandbox.Secret(first) {
		return fault.New(fault.Protected, "golem does not write %s into a repository: .env, .golem and .git are protected", ShownName(full)).Hinting("discard the item")
	}
	at := slices.IndexFunc(n.entries, func(e gitEntry) bool { return e.name == first })
	if at < 0 {
		if file.hash.IsZero() {
			return nil
		}
		if twin := n.twin(first); twin != "" && twin != first {
			return fault.New(fault.Path, "%s and %s of %s would be one file on some disks", ShownName(full), ShownName(twin), b.place).
				Hinting("let the worker use the name that is there")
		}
		at = len(n.entries)
		n.entries = append(n.entries, gitEntry{Plain, first, file.hash})
		if deeper {
			n.entries[at] = gitEntry{Dir, first, plumbing.ZeroHash}
			n.subs[first] = &gitNode{subs: map[string]*gitNode{}}
		}
	}
	e := &n.entries[at]
	if !deeper {
		if e.mode != Plain && e.mode != Program {
			return b.notPlain(full, e.mode)
		}
		if file.mode == Program {
			e.mode = Program
		}
		if e.hash = file.hash; e.hash.IsZero() {
			n.entries = slices.Delete(n.entries, at, at+1)
		}
		return nil
	}
	if e.mode != Dir {
		return b.notPlain(full, e.mode)
	}
	if n.subs[first] == nil {
		sub, err := b.node(e.hash.String())
		if err != nil {
			return err
		}
		n.subs[first] = sub
	}
	file.name = rest
	return b.set(n.subs[first], full, file)
}

// gitObject is an object that is to be written.
type gitObject struct {
	kind plumbing.ObjectType
	data []byte
	hash plumbing.Hash
}

func newObject(kind plumbing.ObjectType, data []byte) gitObject {
	return gitObject{kind, data, plumbing.ComputeHash(kind, data)}
}

// encode returns the objects of a changed directory and the changed directories in it;
// its own object is the last. Directories that became empty are removed.
func (n *gitNode) encode() (out []gitObject) {
	var kept []gitEntry
	for _, e := range n.entries {
		if sub := n.subs[e.name]; sub != nil {
			made := sub.encode()
			if len(sub.entries) == 0 {
				continue
			}
			out = append(out, made...)
			e.hash = made[len(made)-1].hash
		}
		kept = append(kept, e)
	}
	n.entries = kept
	key := func(e gitEntry) string {
		if e.mode == Dir {
			return e.name + "/"
		}
		return e.name
	}
	sorting.By(n.entries, func(a, b gitEntry) int { return strings.Compare(key(a), key(b)) })
	var data []byte
	for _, e := range n.entries {
		data = append(fmt.Appendf(data, "%s %s\x00", e.mode, e.name), e.hash[:]...)
	}
	return append(out, newObject(plumbing.TreeObject, data))
}

// Commit makes a commit as clearance.Branch describes.
func (b *Branch) Commit(message string, when time.Time, files []clearance.Committed) (commit string, err error) {
	defer recovered(&err)
	root, err := b.root(b.tip)
	if err != nil {
		return "", err
	}
	top, err := b.node(root)
	if err != nil {
		return "", err
	}
	names, writes, content := make([]string, len(files)), []string(nil), map[string]func() ([]byte, error){}
	for _, f := range files {
		if content[f.Name] = f.Content; f.Content != nil {
			writes = append(writes, f.Name)
		}
	}
	if err := b.plain(writes, content); err != nil {
		return "", err
	}
	for _, adding := range []bool{false, true} { // removals first, to make room for new names
		for n, f := range files {
			names[n] = f.Name
			entry := gitEntry{mode: Plain, name: f.Name}
			if f.Program {
				entry.mode = Program
			}
			if adding != (f.Content != nil) {
				continue
			}
			if f.Content != nil {
				data, err := f.Content()
				if err != nil {
					return "", err
				}
				entry.hash = plumbing.ComputeHash(plumbing.BlobObject, data)
			}
			if err := b.set(top, "", entry); err != nil {
				return "", err
			}
		}
	}
	objects := top.encode()
	tree := objects[len(objects)-1].hash.String()
	if tree == root {
		return b.tip, nil
	}
	made := newObject(plumbing.CommitObject, b.commitText(tree, message, when))
	b.fresh = map[plumbing.Hash][]gitEntry{}
	for _, o := range objects {
		b.fresh[o.hash], _ = parseTree(o.data)
	}
	if _, _, err := b.follow(b.tip, tree, names, true); err != nil {
		return "", err
	}
	for _, f := range files {
		if f.Content == nil {
			continue
		}
		data, err := f.Content()
		if err == nil {
			err = b.write(newObject(plumbing.BlobObject, data))
		}
		if err != nil {
			return "", err
		}
	}
	for _, o := range append(objects, made) {
		if err := b.write(o); err != nil {
			return "", err
		}
	}
	return made.hash.String(), nil
}

func (b *Branch) commitText(tree, message string, when time.Time) []byte {
	at := max(when.Unix(), 0) // the clock may be wrong, and git accepts no negative time
	var out strings.Builder
	fmt.Fprintf(&out, "tree %s\n", tree)
	if b.tip != "" {
		fmt.Fprintf(&out, "parent %s\n", b.tip)
	}
	message = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(message, "?"), "\x00", ""))
	fmt.Fprintf(&out, "author %s %d +0000\ncommitter %s %d +0000\n\n%s\n", b.who, at, b.who, at, cmp.Or(message, "Staged changes"))
	return []byte(out.String())
}

// write writes a loose object. If the repository already has the object, write only reads
// and checks it.
func (b *Branch) write(o gitObject) error {
	name := o.hash.String()
	_, err := b.object(o.kind, name)
	if !errors.Is(err, plumbing.ErrObjectNotFound) {
		return err
	}
	data, err := gitDeflate(o)
	if err != nil {
		return err
	}
	return b.git.WriteFile("objects/"+name[:2]+"/"+name[2:], data)
}
