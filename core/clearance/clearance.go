// Package clearance stores staged changes until a person decides on them: the changes
// of workers are in .golem/clearance until a person pushes them to the real files,
// discards or defers them (SPEC §9; S4-18..21, S4-46..52). In a second store, .golem/undo,
// it keeps what direct writes of runs replaced, so that a person can undo a run.
//
// An item is a directory clearance/N of the project's state:
//
//	journal  a log: the staged changes, one by one, while the item is open
//	item     a sealed file: the closed item; writing it closes the item
//	HEX      the content of a file, named by its SHA-256
//
// Each step that changes what a person sees is one atomic write of "item", so that
// a golem that was killed leaves the state before the step or after it. Settle
// finishes a step that was begun and not finished.
package clearance

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golem/core/sandbox"
)

// Type is the origin of an item (S4-31).
type Type string

// An item of type StagedCommit is made by the tool stage. PendingExport and BinaryOutput
// have the changes of a run in staged mounts; BinaryOutput if any file is not text.
const (
	StagedCommit  Type = "staged_commit"
	PendingExport Type = "pending_export"
	BinaryOutput  Type = "binary_output"
	Replaced      Type = "replaced" // what a run's direct writes replaced, see Record
)

// State is the progress of an item.
type State string

// An open item still gets changes, because its run continues. A pushing item was being
// pushed when golem was stopped. Of a pushed or discarded item only a note is left. An
// item of type Replaced is pending until its run is undone; then it is undone.
const (
	Open      State = "open"
	Pending   State = "pending"
	Deferred  State = "deferred"
	Pushing   State = "pushing"
	Pushed    State = "pushed"
	Discarded State = "discarded"
	Undone    State = "undone"
)

// Item is a set of file changes of one run: staged changes that a person can push or
// discard, or, with the type Replaced, the old content that an undo writes back.
type Item struct {
	ID      string    `json:"id"` // a number; it is never used again for another snapshot
	Type    Type      `json:"type"`
	State   State     `json:"state"`
	Message string    `json:"message,omitempty"`
	Lines   string    `json:"lines,omitempty"` // the message with its line breaks, if it has some, for a commit
	Run     string    `json:"run,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	Created time.Time `json:"created"`
	Target  string    `json:"target,omitempty"` // name of the target; "": the own place of each file
	Changes []Change  `json:"changes"`

	Replaces string   `json:"replaces,omitempty"` // the item of the same run that this one continues
	Was      State    `json:"was,omitempty"`      // the state before Pushing
	Own      *string  `json:"own,omitempty"`      // while it is pushed to another target: its own one
	Made     []string `json:"made,omitempty"`     // directories that the push creates
	// For a push to a git repository: the target, the branch's last commit before the
	// push, and the commit that the push makes.
	To     *Target `json:"to,omitempty"`
	Tip    string  `json:"tip,omitempty"`
	Commit string  `json:"commit,omitempty"`

	// For an item of type Replaced: the files whose old content was not kept, and the
	// tools that may have changed files without golem seeing it.
	Lost  []string `json:"lost,omitempty"`
	Blind []string `json:"blind,omitempty"`

	replayed

	// Err says why the item can only be shown: it was not written on this machine, was
	// written by a newer golem, or is damaged. If it is nil, the item can be pushed.
	Err error `json:"-"`
}

// replayed is what a journal says of an item beyond its fields.
type replayed struct {
	had   map[string][]string // digests of everything that the run wrote, by name
	lost  map[string]*Change  // the files of Lost; Digest is their old content, "" if it is unknown
	stuck bool                // its run was killed, and it could not be closed; Err says why
}

// Change is one file of an item.
type Change struct {
	Source string `json:"source"`           // source of its mount: in the project, or absolute
	Path   string `json:"path"`             // below the mount
	Size   int64  `json:"size"`             // bytes of the staged content
	Digest string `json:"digest,omitempty"` // SHA-256 of the staged content, hex; "": the file is removed
	// Base is the digest of the file in its own place when it was staged; "" means that
	// it did not exist. Bases has, by the name of a target, the digest of the file in that
	// target or, for a branch, its last commit.
	Base   string            `json:"base,omitempty"`
	Bases  map[string]string `json:"bases,omitempty"`
	Binary bool              `json:"binary,omitempty"`
	// Perm are the permissions that the written file gets: those of a staged file that was
	// moved, or of a file that an undo puts back. BasePerm are those of the replaced file.
	// 0: unknown.
	Perm     fs.FileMode `json:"perm,omitempty"`
	BasePerm fs.FileMode `json:"base_perm,omitempty"`
	// Staged says that a file of the tool stage was a change of its run in a staged mount,
	// so that a run that continues the conversation still sees the change.
	Staged bool `json:"staged,omitempty"`
}

// Name returns the file's own place: its source and path.
func (c Change) Name() string { return path.Join(c.Source, c.Path) }

// Dir reports whether the change creates or removes a directory.
func (c Change) Dir() bool { return c.Digest == folder || c.Digest == "" && c.Base == folder }

// Files returns the number of changes of files, without directories.
func (i Item) Files() int {
	n := 0
	for _, c := range i.Changes {
		if !c.Dir() {
			n++
		}
	}
	return n
}

// takenBack sets the item to what it was before its push.
func (i *Item) takenBack() {
	if i.Own != nil {
		i.Target = *i.Own
	}
	i.State, i.Was, i.Own, i.Made, i.To, i.Tip, i.Commit = i.Was, "", nil, nil, nil, "", ""
}

// Digest returns a digest of the snapshot: its message, its target, and the places and
// contents of its files. A push names it to push exactly the item that was shown.
func (i Item) Digest() string {
	all := []any{i.ID, i.Message, i.Target, i.Changes}
	if i.Lines != "" {
		all = append(all, i.Lines)
	}
	data, _ := json.Marshal(all) // strings and numbers
	return digest(data)
}

// Target is a place to which items can be pushed: a directory, or a branch of a git
// repository, in the project or outside it.
type Target struct {
	Dir    string `json:"dir,omitempty"`
	Git    string `json:"git,omitempty"`
	Branch string `json:"branch,omitempty"`
	Remote string `json:"remote,omitempty"` // address to which a push also sends the branch
}

// root returns the directory in which the files of an item are written.
func (t Target) root() string { return cmp.Or(t.Git, t.Dir) }

// Below returns the name of a change's file below the target: where its mount's source lies
// in the target's directory, and otherwise its path below its mount (SPEC §9).
func (t Target) Below(c Change) string {
	root, name := path.Clean(t.root()), c.Name()
	switch {
	case isOutside(root) != isOutside(name):
	case root == ".":
		return name
	case strings.HasPrefix(name, strings.TrimSuffix(root, "/")+"/"):
		return name[len(strings.TrimSuffix(root, "/"))+1:]
	}
	return path.Clean(c.Path)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// folder is used instead of a digest for a directory.
const folder = "directory"

// digestOf returns the digest of a file, folder for a directory, or "" if the file does
// not exist.
func digestOf(open func() (fs.File, error)) (string, error) {
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, sandbox.ErrNotDir) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return folder, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digestAt returns digestOf for a file of a tree.
func digestAt(fsys fs.FS, name string) (string, error) {
	return digestOf(func() (fs.File, error) { return fsys.Open(name) })
}

// isBinary reports whether content is not text.
func isBinary(data []byte) bool { return !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 }

func byName(a, b Change) int { return strings.Compare(a.Name(), b.Name()) }

// inOrder compares changes by the order in which they must be made: first new
// directories, the outer before the inner one; then files by name; last the changes in
// whose place a directory was (it is removed, or a file replaces it), the inner before
// the outer one.
func inOrder(a, b Change) int {
	rank := func(c Change) int {
		switch {
		case c.Digest == folder:
			return 0
		case c.Base == folder:
			return 2
		}
		return 1
	}
	if r := rank(a); r != rank(b) || r < 2 {
		return cmp.Or(r-rank(b), byName(a, b))
	}
	return byName(b, a)
}
