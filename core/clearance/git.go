package clearance

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"time"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Branch is a branch of a git repository. A platform that has repositories
// implements it; what it is called with was checked by the store.
type Branch interface {
	// Tip names the branch's last commit; "": it has none yet.
	Tip() string
	// Files shows the files of a commit; "": none.
	Files(commit string) (fs.FS, error)
	// Commit makes a commit on top of Tip, which nobody sees yet. It fails with
	// E_CONFLICT if a working tree shows the branch and has other changes of these
	// files, and returns Tip if nothing changes.
	Commit(message string, when time.Time, files []Committed) (commit string, err error)
	// Advance makes to, a commit on top of from, the last commit of the branch, in one
	// step, and brings the named files of a working tree that shows the branch up to it.
	// Called again after a kill, it goes on. After an error, back says that the branch
	// is as it was, with nothing left to do.
	Advance(from, to string, names []string) (back bool, err error)
}

// Committed is a file of a commit.
type Committed struct {
	Name    string
	Content func() ([]byte, error) // nil: the file is removed
}

func noGit() error {
	return fault.New(fault.Platform, "this platform has no git repositories").
		Hinting("push to a target that is a directory; the command line and the page of golem push to repositories")
}

// branch is a branch that an item is pushed to or compared with.
type branch struct {
	Branch
	now   fs.FS
	older map[string]fs.FS // by commit
}

func (s *Store) branch(to Target) (*branch, error) {
	if s.Git == nil {
		return nil, noGit()
	}
	b, err := s.Git(to)
	if err != nil {
		return nil, err
	}
	now, err := b.Files(b.Tip())
	return &branch{b, now, map[string]fs.FS{b.Tip(): now, "": fs.FS(noFiles{})}}, err
}

// noFiles is a branch without a commit.
type noFiles struct{}

// Open finds nothing.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// open finds a step's file in the branch. What the step replaces is the file in the
// commit that was the last one when it was staged.
func (b *branch) open(st *step, root string) error {
	st.fs, st.name, st.to = b.now, path.Clean(st.Path), path.Join(root, st.Path)
	if err := sandbox.ValidNew(st.name); err != nil {
		return fault.Of(err, fault.Path)
	}
	files, ok := b.older[st.base]
	if !ok {
		var err error
		if files, err = b.Files(st.base); err != nil {
			files = noFiles{} // rewritten and gone since: nothing is overwritten
		}
		b.older[st.base] = files
	}
	var err error
	st.base, err = digestAt(files, st.name)
	return err
}

// tips are the last commits of the branches among the targets, by name.
func (s *Store) tips() map[string]string {
	out := map[string]string{}
	for name, to := range s.Targets {
		if to.Git == "" || s.Git == nil {
			continue
		}
		if b, err := s.Git(to); err == nil {
			out[name] = b.Tip()
		}
	}
	return out
}

// commit pushes an item to a branch. The journal names the commit before the branch
// does, so that Settle can tell whether it got there.
func (s *Store) commit(it Item, to Target, steps []step) (Item, error) {
	b, err := s.Git(to)
	if err != nil {
		return it, err
	}
	var files []Committed
	for _, st := range steps {
		f := Committed{Name: st.name}
		if st.want != "" {
			f.Content = func() ([]byte, error) { return s.content(it.ID, st.want) }
		}
		files = append(files, f)
	}
	now, err := b.Files(b.Tip())
	if err == nil {
		err = unchanged(now, steps)
	}
	commit := ""
	if err == nil {
		commit, err = b.Commit(cmp.Or(it.Lines, it.Message), s.now(), files)
	}
	if err != nil {
		return it, err
	}
	it.Was, it.State, it.To, it.Tip, it.Commit = it.State, Pushing, &to, b.Tip(), commit
	if err := s.put(it); err != nil {
		return it, err
	}
	return s.advance(it)
}

// unchanged refuses a commit on top of another one than that which was judged, if it
// has other files.
func unchanged(now fs.FS, steps []step) error {
	for _, st := range steps {
		if sum, err := digestAt(now, st.name); err != nil {
			return err
		} else if sum != st.base && sum != st.want {
			return conflict(st)
		}
	}
	return nil
}

// advance carries out the push of an item whose commit is made.
func (s *Store) advance(it Item) (Item, error) {
	var names []string
	for _, c := range it.Changes {
		names = append(names, path.Clean(c.Path))
	}
	back := false
	b, failed := s.Git(*it.To)
	if failed == nil && it.Commit != it.Tip {
		back, failed = b.Advance(it.Tip, it.Commit, names)
	} else if errors.Is(failed, fault.NotFound) {
		back = true // the branch is gone, and with it what may have been pushed
	}
	switch {
	case failed == nil:
		it.State = Pushed
		return it, s.finish(it)
	case !back:
		return it, fault.Of(failed, fault.Conflict).Hinting("the push of item %s is half done: the next golem command in this project finishes it", it.ID)
	}
	it.State, it.Was, it.To, it.Tip, it.Commit = it.Was, "", nil, "", ""
	if err := s.put(it); err != nil {
		return it, fault.Of(failed, fault.Conflict).Hinting("the branch is as it was, and golem could not note that (%v): the next golem command in this project tries the push again", err)
	}
	return it, failed
}
