package clearance

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"time"

	"golem/core/fault"
)

// Branch is a branch of a git repository. A platform that has repositories
// implements it. The store checks the arguments of its methods.
type Branch interface {
	// Tip returns the hash of the branch's last commit, or "" if it has none yet.
	Tip() string
	// Files returns the files of a commit. The commit "" has no files.
	Files(commit string) (fs.FS, error)
	// Accepts returns E_PATH if the branch takes no commit with one of these files,
	// because git would store the file in another form.
	Accepts(names []string) error
	// Commit makes a commit on top of Tip without moving the branch to it. It returns
	// E_CONFLICT if a working tree shows the branch and has other changes of these
	// files, and Tip if nothing changes.
	Commit(message string, when time.Time, files []Committed) (commit string, err error)
	// Advance moves the branch in one step from the commit from to the commit to, which
	// is on top of it, and updates the named files of a working tree that shows the branch.
	// If it is called again after a kill, it continues. After an error, back reports that
	// the branch is as it was before and that nothing is left to do.
	Advance(from, to string, names []string) (back bool, err error)
}

// Committed is a file of a commit.
type Committed struct {
	Name    string
	Content func() ([]byte, error) // nil: the file is removed
	Program bool                   // the file is executable; a file that was executable stays so
}

// ErrNoGit is the error of RealFiles.Branch on a platform without git repositories.
var ErrNoGit = fault.New(fault.Platform, "this platform has no git repositories").
	Hinting("push to a target that is a directory; the command line and the page of golem push to repositories")

// branch is a branch to which an item is pushed, or with which it is compared.
type branch struct {
	Branch
	now   fs.FS            // files of the last commit
	older map[string]fs.FS // files by commit
}

func branchOf(real RealFiles, to Target) (*branch, error) {
	b, err := real.Branch(to)
	if err != nil {
		return nil, err
	}
	now, err := b.Files(b.Tip())
	return &branch{b, now, map[string]fs.FS{b.Tip(): now, "": fs.FS(noFiles{})}}, err
}

// noFiles is the file tree of a branch without a commit.
type noFiles struct{}

// Open always returns fs.ErrNotExist.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// open finds a step's file in the branch. It sets the step's base to the digest of the
// file in the commit that was the last one when the file was staged.
func (b *branch) open(st *step, root string) error {
	st.fs, st.name, st.to = b.now, path.Clean(st.below), path.Join(root, st.below)
	if err := st.valid(); err != nil {
		return err
	}
	files, ok := b.older[st.base]
	if !ok {
		var err error
		if files, err = b.Files(st.base); err != nil {
			files = noFiles{} // the commit no longer exists; without a base nothing is overwritten
		}
		b.older[st.base] = files
	}
	var err error
	st.base, err = digestAt(files, st.name)
	return err
}

// tips returns the last commits of those targets that are branches, by name.
func (s *Store) tips() map[string]string {
	out := map[string]string{}
	for name, to := range s.Targets {
		if to.Git == "" {
			continue
		}
		if b, err := s.Real.Branch(to); err == nil {
			out[name] = b.Tip()
		}
	}
	return out
}

// commit pushes an item to a branch. The item is stored with the hash of the commit
// before the branch moves, so that Settle can find out whether the push was done.
func (s *Store) commit(it Item, to Target, steps []step) (Item, error) {
	b, err := s.Real.Branch(to)
	if err != nil {
		return it, err
	}
	var files []Committed
	for _, st := range steps {
		f := Committed{Name: st.name, Program: st.Perm&0o100 != 0}
		if st.want != "" {
			f.Content = func() ([]byte, error) { return s.shelf().content(it.ID, st.want) }
		}
		files = append(files, f)
	}
	now, err := b.Files(b.Tip())
	if err == nil {
		err = checkUnchanged(now, steps)
	}
	commit := ""
	if err == nil {
		commit, err = b.Commit(cmp.Or(it.Lines, it.Message), s.now(), files)
	}
	if err != nil {
		return it, err
	}
	it.Was, it.State, it.To, it.Tip, it.Commit = it.State, Pushing, &to, b.Tip(), commit
	if err := s.shelf().put(it); err != nil {
		return it, err
	}
	return s.advance(it)
}

// checkUnchanged returns E_CONFLICT if the branch has another commit than the one that was
// checked, and that commit changed files of the steps.
func checkUnchanged(now fs.FS, steps []step) error {
	for _, st := range steps {
		if sum, err := digestAt(now, st.name); err != nil {
			return err
		} else if sum != st.base && sum != st.want {
			return conflict(st)
		}
	}
	return nil
}

// advance moves the branch to the commit of a pushing item and finishes the push.
func (s *Store) advance(it Item) (Item, error) {
	var names []string
	for _, c := range it.Changes {
		names = append(names, it.To.Below(c))
	}
	back := false
	b, failed := s.Real.Branch(*it.To)
	if failed == nil && it.Commit != it.Tip {
		back, failed = b.Advance(it.Tip, it.Commit, names)
	} else if errors.Is(failed, fault.NotFound) {
		back = true // the branch no longer exists, so nothing is pushed
	}
	switch {
	case failed == nil:
		it.State = Pushed
		return it, s.desk().finish(it)
	case !back:
		return it, fault.Of(failed, fault.Conflict).Hinting("the push of item %s is half done: the next golem command in this project finishes it", it.ID)
	}
	it.takenBack()
	if err := s.shelf().put(it); err != nil {
		return it, fault.Of(failed, fault.Conflict).Hinting("the branch is as it was, and golem could not note that (%v): the next golem command in this project tries the push again", err)
	}
	return it, failed
}
