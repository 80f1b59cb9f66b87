package libcmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/ui"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/githost"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/secretstore"
)

func installCommand(c *console.Console) *cobra.Command {
	return lib("install SOURCE", "install a library", `Installs a library from SOURCE:

  DIR                          a directory
  FILE.zip                     a zip file
  git+https://HOST/PATH@TAG    a tag or branch of a git repository
  git+file:///DIR@TAG          the same of a repository on this machine

The files are checked before anything is written: names that lead elsewhere or
that are the same on some systems, links, damaged archives, sizes. .git, .golem,
.env, node_modules and __pycache__ are left out. Installing the same files again
changes nothing; other files under the same name and version are refused.`, console.Words(1, 1),
		func(cmd *cobra.Command, f *libFlags, words []string) error {
			return installLibrary(cmd.Context(), c, f, words[0])
		})
}

func installLibrary(ctx context.Context, c *console.Console, f *libFlags, source string) error {
	content, from, err := fetchLibrary(ctx, c, source)
	if err != nil {
		return err
	}
	s, err := ownShelf(c, f, true)
	if err != nil {
		return err
	}
	defer s.close()
	lib, fresh, err := s.libs.Install(content, from)
	if err != nil {
		return err
	}
	roots, err := machine.Libraries(c, f.dirs())
	if err != nil {
		return err
	}
	c.Report(project.MissingLibraries(lib.Dependencies, roots))
	if !fresh {
		return c.Print(lib.Dir + " is already installed, with the same files\n")
	}
	return c.Print(lib.Dir + " installed in " + s.shown + leftText(content) + "\n")
}

func leftText(c workspace.Content) string {
	if len(c.Left) == 0 {
		return ""
	}
	return ui.OneLine("; left out: " + strings.Join(c.Left[:min(len(c.Left), 10)], ", "))
}

// fetchLibrary reads a library from SOURCE, and returns the origin to record.
func fetchLibrary(ctx context.Context, c *console.Console, source string) (workspace.Content, workspace.Origin, error) {
	if strings.HasPrefix(source, githost.Prefix) {
		return githost.Fetch(ctx, c, source, secretstore.Secrets(c))
	}
	if strings.Contains(source, "://") {
		return workspace.Content{}, workspace.Origin{}, console.Usage("a library cannot be installed from %s", ui.OneLine(source)).
			Hinting("use git+https://HOST/PATH@TAG, or download the zip file and install that")
	}
	at := c.Path(source)
	from := workspace.Origin{From: filepath.ToSlash(at)}
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return workspace.Content{}, from, fault.New(fault.NotFound, "there is no directory or zip file %s", source).
			Hinting("give a directory, a zip file or git+https://HOST/PATH@TAG")
	case err != nil:
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, disk.Cause(err))
	case info.IsDir():
		files, err := osfs.Open(at)
		if err != nil {
			return workspace.Content{}, from, fault.Of(err, fault.Path)
		}
		defer files.Close()
		content, err := workspace.DirContent(files)
		return content, from, err
	case !info.Mode().IsRegular():
		return workspace.Content{}, from, fault.New(fault.Path, "%s is neither a directory nor a zip file", source)
	}
	file, err := os.Open(at)
	if err != nil {
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, disk.Cause(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, workspace.MaxArchive+1))
	if err != nil {
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, disk.Cause(err))
	}
	content, err := workspace.ZipContent(data)
	return content, from, err
}

func updateCommand(c *console.Console) *cobra.Command {
	return lib("update [NAME[@VERSION]]", "install libraries again from where they came from", `Reads a library again from the directory, zip file or repository that it was
installed from, and replaces the old files. It shows which
files changed. If the version is another one by now, the new version is installed
beside the old one. It never replaces another library: if the source now has another
name, or a version that is installed from elsewhere, the error is E_CONFLICT.
Without NAME it does so for every library.`, console.Words(0, 1),
		func(cmd *cobra.Command, f *libFlags, words []string) error {
			return updateLibraries(cmd.Context(), c, f, words)
		})
}

func updateLibraries(ctx context.Context, c *console.Console, f *libFlags, words []string) error {
	s, err := ownShelf(c, f, false)
	if err != nil {
		return err
	}
	defer s.close()
	var libs []workspace.Library
	if len(words) == 1 {
		lib, err := s.libs.Find(words[0])
		if err != nil {
			return err
		}
		libs = []workspace.Library{lib}
	} else {
		var faults fault.List
		if libs, faults, err = s.libs.List(); err != nil {
			return err
		}
		c.Report(faults)
	}
	var faults fault.List
	for _, lib := range libs {
		if err := updateLibrary(ctx, c, s, lib); err != nil {
			f := fault.Of(err, fault.Path)
			faults = append(faults, fault.New(f.Code, "%s was not updated: %s", lib.Dir, f.Message).Hinting("%s", f.Hint))
		}
	}
	if len(libs) == 0 {
		return c.Print("no libraries are installed\n")
	}
	return faults.Err()
}

func updateLibrary(ctx context.Context, c *console.Console, s shelf, lib workspace.Library) error {
	if lib.Origin.From == "" {
		return fault.New(fault.NotFound, "golem did not record where the library came from").Hinting("install it again with golem lib install SOURCE")
	}
	content, from, err := fetchLibrary(ctx, c, lib.Origin.From)
	if err != nil {
		return err
	}
	now, fresh, changes, err := s.libs.Update(lib.Dir, content, from)
	if err != nil {
		return err
	}
	what := "updated" + leftText(content)
	switch {
	case fresh:
		what = "installed" + leftText(content)
	case len(changes) == 0 && now.Dir == lib.Dir:
		what = "is up to date"
	case len(changes) == 0:
		what = "is installed already"
	}
	if now.Dir != lib.Dir {
		what += "; " + lib.Dir + " stays, golem lib remove " + lib.Dir + " removes it"
	}
	text := now.Dir + " " + what + "\n"
	for _, change := range changes {
		text += "  " + ui.OneLine(change) + "\n"
	}
	return c.Print(text)
}
