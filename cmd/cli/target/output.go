package target

import (
	"errors"
	"io/fs"
	"os"

	"golem/core/fault"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// EmptyOutput checks before the run that the directory of --output is empty or does not
// exist, so that the files of the run do not mix with others.
func EmptyOutput(c *console.Console, output string, p Place) error {
	if output == "" {
		return nil
	}
	if p.Pack == nil {
		return console.Usage("--output is for packed projects").Hinting("a project directory is where its workers write; leave --output out")
	}
	entries, err := os.ReadDir(c.Path(output))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return console.Usage("--output %s: %s", output, disk.Cause(err)).Hinting("name a directory that does not exist yet")
	case len(entries) > 0:
		return fault.New(fault.Conflict, "the directory %s of --output has files already", output).Hinting("name a new directory; nothing was run")
	}
	return nil
}

// KeepWritten copies what a packed project wrote to the directory of --output. Without
// the flag it prints that the files are lost.
func KeepWritten(c *console.Console, output string, p Place) error {
	if p.Pack == nil {
		return nil
	}
	names, err := workspace.Written(p.Pack.Project, p.Pack.Work)
	if err != nil || len(names) == 0 {
		if err == nil && output != "" {
			c.Say("the run wrote nothing, so %s was not made", output)
		}
		return err
	}
	if output == "" {
		c.Say("the run wrote %s, in memory only; with --output DIR golem writes them there", fault.Count(len(names), "file"))
		return nil
	}
	err = os.MkdirAll(c.Path(output), 0o755)
	var dir *osfs.FS
	if err == nil {
		dir, err = osfs.Open(c.Path(output))
	}
	if err == nil {
		defer dir.Close()
		err = workspace.Copy(workspace.Over(dir), p.Pack.Work, names)
	}
	if err != nil {
		var bad *fault.Fault
		if !errors.As(err, &bad) {
			bad = fault.New(fault.Usage, "%s", disk.Cause(err))
		}
		c.Say("%s could not be written to %s: %s", fault.Count(len(names), "file"), output, bad.Error())
		return console.ExitCode(console.ExitFailed)
	}
	c.Say("what the run wrote is in %s: %s", output, fault.Count(len(names), "file"))
	return nil
}
