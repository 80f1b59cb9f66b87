// Package clearance is the room for decisions taken after the fact: what workers
// staged lies in .golem/clearance until a person pushes it to the real files,
// discards it or defers it (SPEC §9; S4-18..21, S4-46..52).
//
// An item is a directory clearance/N of the project's state:
//
//	journal  a log: what is staged, change by change, while the item is open
//	item     a sealed file: the closed item; writing it is what closes an item
//	HEX      the content of a file, named by its SHA-256
//
// Each step that changes what a person sees is one atomic write of "item", so that
// a golem that was killed leaves the state before the step or after it. What
// begins there and was not finished is finished by Settle.
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
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golem/core/sandbox"
	"golem/core/state"
)

// Type is what an item came from (S4-31).
type Type string

// StagedCommit is made by the tool stage. The others have what a run changed in
// staged mounts: BinaryOutput if any of it is not text.
const (
	StagedCommit  Type = "staged_commit"
	PendingExport Type = "pending_export"
	BinaryOutput  Type = "binary_output"
	Replaced      Type = "replaced" // what a run's direct writes replaced, see Record
)

// State is where an item stands.
type State string

// An open item still grows: its run goes on. A pushing item was being pushed when
// golem was stopped. Of a pushed or discarded one only a note is left. What a run replaced is
// pending until it was put back, and undone then.
const (
	Open      State = "open"
	Pending   State = "pending"
	Deferred  State = "deferred"
	Pushing   State = "pushing"
	Pushed    State = "pushed"
	Discarded State = "discarded"
	Undone    State = "undone"
)

// Item is a snapshot that waits for a person.
type Item struct {
	ID      string    `json:"id"` // a number; it never stands for another snapshot
	Type    Type      `json:"type"`
	State   State     `json:"state"`
	Message string    `json:"message,omitempty"`
	Lines   string    `json:"lines,omitempty"` // the message with its line breaks, if it has some, for a commit
	Run     string    `json:"run,omitempty"`
	Worker  string    `json:"worker,omitempty"`
	Created time.Time `json:"created"`
	Target  string    `json:"target,omitempty"` // name of the target; "": each file's own place
	Changes []Change  `json:"changes"`

	Replaces string   `json:"replaces,omitempty"` // the item of the same run that this one continues
	Was      State    `json:"was,omitempty"`      // before Pushing
	Made     []string `json:"made,omitempty"`     // directories that the push makes
	// Of a push to a git repository: where it goes, the branch's last commit before
	// it, and the commit that the push makes.
	To     *Target `json:"to,omitempty"`
	Tip    string  `json:"tip,omitempty"`
	Commit string  `json:"commit,omitempty"`

	// Of an item that undoes a run: the files whose old content was not kept, and the
	// tools that can have changed files which golem does not see.
	Lost  []string `json:"lost,omitempty"`
	Blind []string `json:"blind,omitempty"`

	had map[string][]string // of an open one: all that the run wrote, by name

	// Err says why the item is only shown: it was not written on this machine, or
	// by a newer golem, or it is damaged. nil: it can be pushed.
	Err error `json:"-"`
}

// Change is one file of an item.
type Change struct {
	Source string `json:"source"` // of its mount: in the project, or absolute
	Path   string `json:"path"`   // below the mount, and below a target
	Size   int64  `json:"size"`
	Digest string `json:"digest,omitempty"` // SHA-256 of the staged content, hex; "": the file is removed
	// Base is the digest of the file in its own place when it was staged; "": there
	// was none. Bases has that of each target, by name; of a branch its last commit.
	Base   string            `json:"base,omitempty"`
	Bases  map[string]string `json:"bases,omitempty"`
	Binary bool              `json:"binary,omitempty"`
	// Perm are the permissions of what is staged, if it was moved, and of what an undo
	// puts back; BasePerm those of what is replaced. 0: unknown.
	Perm     fs.FileMode `json:"perm,omitempty"`
	BasePerm fs.FileMode `json:"base_perm,omitempty"`
	// Staged says of a file of the tool stage that its run had changed it in a staged
	// mount: whoever goes on with the run sees it so.
	Staged bool `json:"staged,omitempty"`
}

// Name is the file's own place.
func (c Change) Name() string { return path.Join(c.Source, c.Path) }

// Dir tells whether the change makes or removes a directory.
func (c Change) Dir() bool { return c.Digest == folder || c.Digest == "" && c.Base == folder }

// Files is how many of the changes are of files.
func (i Item) Files() int {
	n := 0
	for _, c := range i.Changes {
		if !c.Dir() {
			n++
		}
	}
	return n
}

// Digest identifies the snapshot: where its files go and what is in them.
func (i Item) Digest() string {
	all := []any{i.ID, i.Message, i.Target, i.Changes}
	if i.Lines != "" {
		all = append(all, i.Lines)
	}
	data, _ := json.Marshal(all) // strings and numbers
	return digest(data)
}

// Target is where items can be pushed to: a directory, or a branch of a git
// repository. Both lie in the project, or outside it.
type Target struct {
	Dir    string `json:"dir,omitempty"`
	Git    string `json:"git,omitempty"`
	Branch string `json:"branch,omitempty"`
}

// root is the directory that the files of an item are named from.
func (t Target) root() string { return cmp.Or(t.Git, t.Dir) }

// formats of the files.
var (
	itemFormat    = state.Format{Kind: "clearance-item", Version: 1}
	journalFormat = state.Format{Kind: "clearance-journal", Version: 1}
	noteFormat    = state.Format{Kind: "clearance-note", Version: 1}
	nextFormat    = state.Format{Kind: "clearance-next", Version: 1}
)

const (
	notesDir    = "clearance/notes"
	nextFile    = "next" // the number of the next item
	itemFile    = "item"
	journalFile = "journal"
	maxItem     = 64 << 20 // bytes of a file item or journal
)

// dir is where the items of a store are, and the name of its lock.
func (s *Store) dir() string {
	if s.Undo {
		return "undo"
	}
	return "clearance"
}

func (s *Store) at(id string, name ...string) string {
	return path.Join(append([]string{s.dir(), id}, name...)...)
}

func (s *Store) lockOf(slot int) string { return s.dir() + "-" + strconv.Itoa(slot) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// folder stands for the content of a directory.
const folder = "directory"

// digestOf reads a file to its end; "" if there is none.
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

// digestAt is digestOf a file of a tree.
func digestAt(fsys fs.FS, name string) (string, error) {
	return digestOf(func() (fs.File, error) { return fsys.Open(name) })
}

// isBinary reports whether content is not text.
func isBinary(data []byte) bool { return !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 }

// typeOf is the type of what a run changed.
func (s *Store) typeOf(changes []Change) Type {
	if s.Undo {
		return Replaced
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Binary }) {
		return BinaryOutput
	}
	return PendingExport
}

func byName(a, b Change) int { return strings.Compare(a.Name(), b.Name()) }

// inOrder is the order in which changes are made: directories first, the outer one
// before the inner; then files by name; then the directories that go, the inner one
// before the outer, and last what takes the place of a directory.
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
