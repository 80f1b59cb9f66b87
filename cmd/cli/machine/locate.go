package machine

import (
	"os/exec"
	"path/filepath"
	"strings"

	"golem/cmd/cli/disk"
)

// locate returns the absolute slash path of a program that PATH finds, or of an absolute
// path. It follows links, with last false all but that of the last element. What does not
// exist stays as it is.
func locate(name string, last bool) string {
	name = filepath.FromSlash(name)
	if !strings.ContainsAny(name, `/\`) {
		found, err := exec.LookPath(name)
		if err != nil {
			return ""
		}
		name = found
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	if last {
		return filepath.ToSlash(disk.Resolved(name))
	}
	return filepath.ToSlash(filepath.Join(disk.Resolved(filepath.Dir(name)), filepath.Base(name)))
}
