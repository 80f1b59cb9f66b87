package main

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/sandbox/opfs"
)

// renamingDir has a file for each project whose renaming has begun and not ended: its name is
// the new name, its content the old one. If the tab dies meanwhile, some files of the project
// are at the old place and some at the new one; the next list of projects moves the rest.
const renamingDir = "renaming"

// firstNameFile is the name of a file in a project's directory in ownDir, which a project has
// after it was renamed. Its content is the project's first name: the MACs of its state are
// valid for that name.
const firstNameFile = "name"

// firstName returns the name under which a project was made.
func (s *stores) firstName(project string) string {
	if root, err := s.open(); err == nil {
		if id, err := readID(root, project); err == nil && id != "" {
			if name, err := fs.ReadFile(root, path.Join(ownDir, strings.TrimSuffix(id, moving), firstNameFile)); err == nil {
				return string(name)
			}
		}
	}
	return project
}

// rename gives a project another name. Its files, conversations, traces and undo go with it.
// What the person trusted, and the rules that they keep, hold for the old name only.
// It fails with E_BUSY while anything in this tab or another one uses the project.
func (s *stores) rename(name, to string) error {
	dir, err := s.project(name)
	if err != nil {
		return err
	}
	taken := fault.New(fault.Conflict, "a project named %q exists already", to).Hinting("choose another name")
	if _, err := s.project(to); err == nil {
		return taken
	} else if !errors.Is(err, fault.NotFound) {
		return err
	}
	root, own, err := s.personDirectory(name) // its files of an earlier version get their place
	if err != nil {
		return err
	}
	release, err := s.holdAt(dir, ".", true)
	if err != nil {
		return err
	}
	defer release()
	free, err := s.holdAt(root, path.Join(projectsDir, to), true)
	if err != nil {
		return err
	}
	defer free()
	if _, err := root.Stat(path.Join(projectsDir, to)); err == nil { // another tab was faster
		return taken
	}
	if err := errors.Join(s.disown(root, to), unpack(root, to)); err != nil { // what a deleted project may have left
		return err
	}
	s.forget(path.Join(idsDir, name))
	if err := root.WriteFile(path.Join(own, firstNameFile), []byte(s.firstName(name))); err != nil {
		return err
	}
	if err := root.WriteFile(path.Join(renamingDir, to), []byte(name)); err != nil {
		return err
	}
	return moveProject(root, name, to)
}

// moveProject moves what is still at the old place of a project, and removes the note that its
// renaming has begun. The caller holds both names.
func moveProject(root *opfs.FS, name, to string) error {
	for _, dir := range []string{idsDir, packedDir, projectsDir} {
		if err := moveRest(root, path.Join(dir, name), path.Join(dir, to)); err != nil {
			return err
		}
	}
	return root.Remove(path.Join(renamingDir, to))
}

// moveRest moves a file or directory of which a part can be at the new place already.
func moveRest(root *opfs.FS, from, to string) error {
	info, err := root.Stat(from)
	if err != nil {
		return ignoreMissing(err)
	}
	if _, err := root.Stat(to); err != nil || !info.IsDir() {
		return root.Rename(from, to)
	}
	entries, err := fs.ReadDir(root, from)
	for _, e := range entries {
		err = errors.Join(err, moveRest(root, path.Join(from, e.Name()), path.Join(to, e.Name())))
	}
	if err != nil {
		return err
	}
	return root.Remove(from)
}

// finishRenaming ends what tabs that died began to rename.
func (s *stores) finishRenaming(root *opfs.FS) {
	notes, err := fs.ReadDir(root, renamingDir)
	if err != nil {
		return // nothing was renamed yet
	}
	for _, note := range notes {
		to := note.Name()
		name, err := sandbox.ReadFile(root, path.Join(renamingDir, to), 1000)
		if err != nil || projectName(string(name)) != nil {
			continue
		}
		if release, err := s.holdAt(root, path.Join(projectsDir, string(name)), true); err == nil {
			if free, err := s.holdAt(root, path.Join(projectsDir, to), true); err == nil {
				_ = moveProject(root, string(name), to) // if it fails, the next list tries again
				free()
			}
			release()
		}
	}
}

func renameProject(c *call, n named) (any, []byte, error) {
	return nil, nil, c.server.stores.rename(n.Project, n.To)
}
