package testcmd

import (
	"errors"
	"os"
	"path/filepath"

	"golem/core/fault"
	"golem/core/worktest"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// junitHint says what helps if a report cannot be written.
const junitHint = "name a file in an existing directory that you can write to"

// mayReport returns why the file of --junit cannot be written; nil if it can, or if there is
// none. It replaces only a report of golem.
func (f *flags) mayReport(c *console.Console) error {
	if f.junit == "" {
		return nil
	}
	name := c.Path(f.junit)
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return console.Usage("--junit %s is not a regular file", f.junit).Hinting("name a new file: golem test --junit report.xml")
	}
	if _, err := os.Stat(filepath.Dir(name)); err != nil {
		return console.Usage("--junit %s cannot be written: %s", f.junit, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, junitHint))
	}
	err := disk.MayReplace(name, f.junit, disk.JUnitKind)
	if errors.Is(err, fault.Conflict) {
		return fault.Of(err, fault.Conflict).Hinting("--junit takes the name of a new file: golem test --junit report.xml; golem replaces only reports that it wrote itself")
	}
	return err
}

// writeReport writes the file of --junit, if there is one.
func (f *flags) writeReport(c *console.Console, r worktest.Report) error {
	if err := f.mayReport(c); f.junit == "" || err != nil {
		return err
	}
	if err := disk.Replace(c.Path(f.junit), ".golem-junit-*", r.JUnit(), func(*os.File) error { return nil }); err != nil {
		return console.Usage("--junit %s cannot be written: %s", f.junit, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, junitHint))
	}
	return nil
}
