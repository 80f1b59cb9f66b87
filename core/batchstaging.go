package core

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
)

// BatchStaging says what becomes of the changes that the items of a batch make in staged mounts:
// an item works on files of its own, and at its end these changes become an item of clearance of
// the project that was packed. Make one with StagingHere or StagingElsewhere.
type BatchStaging struct {
	store  *clearance.Store // nil: the machine that began the batch makes the item of clearance
	entry  string
	base   fs.FS // the files of the pack
	mounts []project.Mount
}

// StagingHere returns what becomes of staged changes where their item of clearance is made: store
// is that of the project that was packed. A worker that stages is E_PLATFORM if nothing can be
// kept for a person: store is nil or keeps nothing, the mount is outside the project, or the
// worker has the tool stage, which takes snapshots.
func StagingHere(i *Instance, store *clearance.Store) (BatchStaging, error) {
	s := BatchStaging{store: store}
	err := s.find(i, store.Kept())
	return s, err
}

// StagingElsewhere returns what becomes of staged changes on a machine that works for a batch of
// another one: they are left in batch.Result.Staged. Its errors are those of StagingHere.
func StagingElsewhere(i *Instance) (BatchStaging, error) {
	var s BatchStaging
	err := s.find(i, true)
	return s, err
}

// find finds the staged mounts of the workers that a batch of the project runs. kept says that
// what they stage is kept for a person.
func (s *BatchStaging) find(i *Instance, kept bool) error {
	entry, err := i.Entry()
	if err != nil {
		return err
	}
	closure, err := i.project.Workers.Closure(entry)
	if err != nil {
		return err
	}
	s.entry = entry.ID
	for _, w := range closure {
		for _, t := range w.Toolsets {
			if t.Name == "clearance" {
				return fault.New(fault.Platform, "%s uses the toolset clearance, and the items of a batch take no snapshots: their files are in memory", w.ID).At(t.File, t.Line, 0).
					Hinting("use a mount with mode: staged: what an item changes there waits for you after its end")
			}
		}
		for _, m := range w.Sandbox.Mounts {
			switch {
			case m.Mode != sandbox.Staged:
			case !kept:
				return fault.New(fault.Platform, "%s has the mount %s with mode: staged (%s), and nothing here keeps what the items stage", w.ID, m.Target, m.Origin).
					Hinting("run the batch in the project's directory; a packed project has none: use mode: rw, and what items write is in the directory of outputs")
			case outsideProject(m.Source):
				return fault.New(fault.Platform, "%s has the mount %s with mode: staged (%s) outside the project, and the items of a batch see only the packed project", w.ID, m.Target, m.Origin).
					Hinting("stage in a directory of the project")
			default:
				s.mounts = append(s.mounts, m)
			}
		}
	}
	s.base, err = i.platform.Files.Mount(".")
	return err
}

func outsideProject(source string) bool {
	return strings.HasPrefix(source, "/") || source == ".." || strings.HasPrefix(source, "../") || len(source) > 1 && source[1] == ':'
}

// contains reports whether a file is in a staged mount.
func (s BatchStaging) contains(name string) bool {
	return slices.ContainsFunc(s.mounts, func(m project.Mount) bool { return shows(m, name) })
}

func shows(m project.Mount, name string) bool {
	return m.Source == "." || name == m.Source || strings.HasPrefix(name, m.Source+"/")
}

// Check returns E_TRUST for changes that no item of this project can make: a machine that works
// for the batch is not trusted with them.
func (s BatchStaging) Check(changes []batch.Change) error {
	seen := map[string]bool{}
	for _, c := range changes {
		key := sandbox.Fold(c.Name)
		if err := s.possible(c); err != nil || seen[key] {
			return fault.New(fault.Trust, "a machine that works for the batch says that its item changed %s, which no item of this project can stage", fault.Quoted(c.Name)).
				Hinting("somebody changed what a machine with the token of the batch sends: begin another batch with --name, and give its token only to machines that you trust").Because(err)
		}
		seen[key] = true
	}
	return nil
}

// possible returns why the sandbox of no worker lets a change pass.
func (s BatchStaging) possible(c batch.Change) error {
	valid := sandbox.ValidNew
	if c.Removed {
		valid = sandbox.Valid
	}
	if err := valid(c.Name); err != nil {
		return err
	}
	if _, err := s.store.Real.Guard(c.Name); err != nil {
		return err
	}
	for _, m := range s.mounts {
		if !shows(m, c.Name) || m.MaxFileBytes > 0 && int64(len(c.Data)) > m.MaxFileBytes {
			continue
		}
		if c.Removed || len(m.Suffixes) == 0 || slices.ContainsFunc(m.Suffixes, func(end string) bool { return strings.HasSuffix(strings.ToLower(c.Name), end) }) {
			return nil
		}
	}
	return fault.New(fault.Path, "it is in no staged mount of the project")
}

// Bring makes an item of clearance of what an item of the batch staged. Without changes, or where
// StagingElsewhere made s, it does nothing.
func (s BatchStaging) Bring(ctx context.Context, l *batch.Lease, name string, changes []batch.Change) error {
	if len(changes) == 0 || s.store == nil {
		return nil
	}
	b := clearance.Brought{Run: name + "/" + l.Item.Dir(), Worker: s.entry, Again: l.Attempt > 1}
	for _, c := range changes {
		one := clearance.BroughtChange{Name: c.Name, Data: c.Data, Removed: c.Removed}
		old, err := fs.ReadFile(s.base, c.Name)
		switch {
		case err == nil:
			one.Base = clearance.Digest(old)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		b.Changes = append(b.Changes, one)
	}
	return clearance.Bring(context.WithoutCancel(ctx), s.store, b)
}
