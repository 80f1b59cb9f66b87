package main

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
	"golem/core/workspace"
	"golem/sandbox/osfs"
)

func (h *host) libInstallCommand() *cobra.Command {
	return h.lib("install SOURCE", "install a library", `Installs a library from SOURCE:

  DIR                          a directory
  FILE.zip                     a zip file
  git+https://HOST/PATH@TAG    a tag or branch of a git repository
  git+file:///DIR@TAG          the same of a repository on this machine

The files are checked before anything is written: names that lead elsewhere or
that are the same on some systems, links, damaged archives, sizes. .git, .golem,
.env, node_modules and __pycache__ are left out. Installing the same files again
changes nothing; other files under the same name and version are refused.`, words(1, 1),
		func(cmd *cobra.Command, f *libFlags, words []string) error {
			return h.installLibrary(cmd.Context(), f, words[0])
		})
}

func (h *host) installLibrary(ctx context.Context, f *libFlags, source string) error {
	content, from, err := h.fetchLibrary(ctx, source)
	if err != nil {
		return err
	}
	s, err := h.ownShelf(f, true)
	if err != nil {
		return err
	}
	defer s.close()
	lib, fresh, err := s.libs.Install(content, from)
	if err != nil {
		return err
	}
	roots, err := h.libraries(&flags{lib: f.dirs()})
	if err != nil {
		return err
	}
	h.report(project.MissingLibraries(lib.Dependencies, roots))
	if !fresh {
		return h.print(lib.Dir + " is already installed, with the same files\n")
	}
	return h.print(lib.Dir + " installed in " + s.shown + leftText(content) + "\n")
}

func leftText(c workspace.Content) string {
	if len(c.Left) == 0 {
		return ""
	}
	return oneLine("; left out: " + strings.Join(c.Left[:min(len(c.Left), 10)], ", "))
}

// fetchLibrary reads a library from SOURCE, and returns the origin to record.
func (h *host) fetchLibrary(ctx context.Context, source string) (workspace.Content, workspace.Origin, error) {
	if strings.HasPrefix(source, gitPrefix) {
		return h.fetchGit(ctx, source)
	}
	if strings.Contains(source, "://") {
		return workspace.Content{}, workspace.Origin{}, usage("a library cannot be installed from %s", oneLine(source)).
			Hinting("use git+https://HOST/PATH@TAG, or download the zip file and install that")
	}
	at := h.path(source)
	from := workspace.Origin{From: filepath.ToSlash(at)}
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return workspace.Content{}, from, fault.New(fault.NotFound, "there is no directory or zip file %s", source).
			Hinting("give a directory, a zip file or git+https://HOST/PATH@TAG")
	case err != nil:
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, cause(err))
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
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, cause(err))
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, workspace.MaxArchive+1))
	if err != nil {
		return workspace.Content{}, from, fault.New(fault.Path, "%s cannot be read: %s", source, cause(err))
	}
	content, err := workspace.ZipContent(data)
	return content, from, err
}

func (h *host) libUpdateCommand() *cobra.Command {
	return h.lib("update [NAME[@VERSION]]", "install libraries again from where they came from", `Reads a library again from the directory, zip file or repository that it was
installed from, and puts the new files in the place of the old ones. It shows which
files changed. If the version is another one by now, the new version is installed
beside the old one. Without NAME it does so for every library.`, words(0, 1),
		func(cmd *cobra.Command, f *libFlags, words []string) error {
			return h.updateLibraries(cmd.Context(), f, words)
		})
}

func (h *host) updateLibraries(ctx context.Context, f *libFlags, words []string) error {
	s, err := h.ownShelf(f, false)
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
		h.report(faults)
	}
	var faults fault.List
	for _, lib := range libs {
		if err := h.updateLibrary(ctx, s, lib); err != nil {
			f := fault.Of(err, fault.Path)
			faults = append(faults, fault.New(f.Code, "%s was not updated: %s", lib.Dir, f.Message).Hinting("%s", f.Hint))
		}
	}
	if len(libs) == 0 {
		return h.print("no libraries are installed\n")
	}
	return faults.Err()
}

func (h *host) updateLibrary(ctx context.Context, s shelf, lib workspace.Library) error {
	if lib.Origin.From == "" {
		return fault.New(fault.NotFound, "golem did not record where the library came from").Hinting("install it again with golem lib install SOURCE")
	}
	content, from, err := h.fetchLibrary(ctx, lib.Origin.From)
	if err != nil {
		return err
	}
	now, changes, err := s.libs.Update(content, from)
	switch {
	case err != nil:
		return err
	case now.Dir != lib.Dir:
		return h.print(now.Dir + " installed; " + lib.Dir + " stays, golem lib remove " + lib.Dir + " removes it\n")
	case len(changes) == 0:
		return h.print(lib.Dir + " is up to date\n")
	}
	text := lib.Dir + " updated" + leftText(content) + "\n"
	for _, c := range changes {
		text += "  " + oneLine(c) + "\n"
	}
	return h.print(text)
}
