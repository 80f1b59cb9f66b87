package sandbox

import (
	"errors"
	"io/fs"
)

// StateIgnore is a file in StateDir with the content StateIgnored. It keeps everything
// there out of a git repository, itself included.
const (
	StateIgnore  = StateDir + "/.gitignore"
	StateIgnored = "*\n"
)

// MakeState creates the directory StateDir in a project's root, with StateIgnore in it. A
// directory that exists stays as it is: a person may have removed the file.
func MakeState(project FS) error {
	err := project.Mkdir(StateDir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return project.WriteFile(StateIgnore, []byte(StateIgnored))
}
