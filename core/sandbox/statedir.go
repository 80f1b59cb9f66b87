package sandbox

import (
	"errors"
	"io/fs"

	"golem/core/fault"
)

// StateIgnore is a file in StateDir with the content StateIgnored. It keeps everything
// there out of a git repository, itself included.
const (
	StateIgnore  = StateDir + "/.gitignore"
	StateIgnored = "*\n"
)

// MakeState creates the directory StateDir in a project's root, with StateIgnore in it. A
// directory that exists stays as it is: a person may have removed the file. A link or a
// file of that name is E_PATH.
func MakeState(project FS) error {
	err := project.Mkdir(StateDir, 0o700)
	switch {
	case err == nil:
		return project.WriteFile(StateIgnore, []byte(StateIgnored))
	case !errors.Is(err, fs.ErrExist):
		return stateError(err)
	}
	info, err := fs.Stat(project, StateDir)
	if err == nil && !info.IsDir() {
		err = ErrNotDir
	}
	return stateError(err)
}

// stateError returns the error of opening or making StateDir. Of a link and of a file it
// says what to do with them.
func stateError(err error) error {
	if !errors.Is(err, fault.Path) && !errors.Is(err, ErrNotDir) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fault.New(fault.Path, "golem keeps nothing of this project, because its directory %s cannot be used: it is a link or a file", StateDir).
		Hinting("replace %s by a directory, or remove it: golem makes a new one", StateDir)
}
