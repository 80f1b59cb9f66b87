// Package libcmd is golem lib: installing, updating, listing and locking libraries.
package libcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/target"
)

// libFlags are the flags of the golem lib commands.
type libFlags struct {
	root string // --lib
	json bool
}

// dirs returns the value of --lib in the form that the flags of a run have.
func (f *libFlags) dirs() []string {
	if f.root == "" {
		return nil
	}
	return []string{f.root}
}

// Command returns golem lib, the commands for installed libraries (SPEC §4, §12).
func Command(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lib",
		Short: "install, list and remove libraries",
		Long: `A library is a directory with lib.yaml, or with a project file that has name: and
exports:. Installed libraries are in $GOLEM_HOME/libs, or in the directory of --lib.

  golem lib install SOURCE   install from a directory, a zip file or a git repository
  golem lib list             list what is installed
  golem lib info NAME        show what a library exports and needs
  golem lib update [NAME]    install again from where it came from
  golem lib remove NAME      remove a library
  golem lib lock [DIR]       pin a project's libraries and modules, in golem.lock

Only install and update use the network, and only for a git+https address.`,
		Args: cobra.NoArgs,
		RunE: console.Alone,
	}
	cmd.AddCommand(installCommand(c), libListCommand(c), libInfoCommand(c), updateCommand(c), libRemoveCommand(c), lockCommand(c))
	return cmd
}

// lib returns one of the commands of golem lib.
func lib(use, short, long string, args cobra.PositionalArgs, run func(*cobra.Command, *libFlags, []string) error) *cobra.Command {
	f := &libFlags{}
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: args,
		RunE: func(cmd *cobra.Command, words []string) error {
			if slices.Contains(words, "") {
				return console.Usage("a name is empty").Hinting("%s %s", cmd.Parent().CommandPath(), cmd.Use)
			}
			if l := cmd.Flags().Lookup("lib"); l.Changed && f.root == "" {
				return console.Usage("--lib is empty").Hinting("give a directory, or leave the flag out")
			}
			return run(cmd, f, words)
		},
	}
	cmd.Flags().StringVar(&f.root, "lib", "", "the directory of libraries, in place of $GOLEM_HOME/libs")
	return cmd
}

func libListCommand(c *console.Console) *cobra.Command {
	cmd := lib("list", "list the installed libraries", `Lists the libraries of --lib, of each directory of GOLEM_LIBS and of
$GOLEM_HOME/libs, in the order in which a project finds them.`, console.Words(0, 0),
		func(cmd *cobra.Command, f *libFlags, _ []string) error {
			f.json, _ = cmd.Flags().GetBool("json")
			return listLibraries(c, f)
		})
	cmd.Flags().Bool("json", false, "print one line of JSON")
	return cmd
}

// shelf is a directory of installed libraries.
type shelf struct {
	dir   string // absolute
	shown string // the directory as messages show it
	libs  workspace.Libraries
	close func()
}

// shelves opens the directories of libraries in the order of the search, without those
// that do not exist. The caller closes them.
func shelves(c *console.Console, f *libFlags) ([]shelf, error) {
	var dirs []string
	if f.root != "" {
		dirs = append(dirs, f.root)
	}
	dirs = append(dirs, filepath.SplitList(c.Env.Setting("LIBS"))...)
	if home := c.Home.Dir(); home != "" {
		dirs = append(dirs, filepath.Join(home, libsDir))
	}
	var out []shelf
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		s, err := openShelf(c, c.Path(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			s.bringBack()
			out = append(out, s)
		}
	}
	return out, nil
}

// bringBack puts back the libraries that a killed update moved away, unless another
// process changes the directory now or it cannot be written; readers find them all the
// same, see standing.
func (s shelf) bringBack() {
	entries, err := os.ReadDir(s.dir)
	if err != nil || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), workspace.MovedAway) }) {
		return
	}
	release, err := s.lock(false)
	if err != nil || release == nil {
		return
	}
	defer release()
	_ = s.libs.Recover() // what stays is named by the next change
}

// lock locks the directory against other processes that change it. Without wait, release is
// nil if another one has the lock.
func (s shelf) lock(wait bool) (release func(), err error) {
	dir, err := disk.OpenRoot(s.dir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return disk.Lock(dir, lockFile, wait)
}

// lockFile is the file in a directory of libraries that is locked while it is changed.
const lockFile = ".lock"

// libsDir is the directory of libraries in $GOLEM_HOME.
const libsDir = "libs"

func openShelf(c *console.Console, dir string) (shelf, error) {
	files, err := osfs.Open(dir)
	if err != nil {
		if _, serr := os.Stat(dir); errors.Is(serr, fs.ErrNotExist) {
			return shelf{}, serr
		}
		return shelf{}, fault.New(fault.Path, "the directory of libraries %s cannot be read: %s", target.Shorten(c, dir), disk.Cause(err))
	}
	return shelf{dir, target.Shorten(c, dir), workspace.Libraries{Root: workspace.Over(files)}, func() { files.Close() }}, nil
}

// ownShelf opens the directory that install, update and remove change, and locks it
// against other processes until it is closed.
func ownShelf(c *console.Console, f *libFlags, create bool) (shelf, error) {
	dir := f.root
	if dir == "" {
		home := c.Home.Dir()
		if home == "" {
			return shelf{}, c.Home.Missing("there is no directory to install libraries in")
		}
		dir = filepath.Join(home, libsDir)
	}
	dir = c.Path(dir)
	if create {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return shelf{}, fault.New(fault.Path, "the directory of libraries %s cannot be created: %s", target.Shorten(c, dir), disk.Cause(err)).
				Hinting("%s", disk.WriteHint(err, "set GOLEM_HOME to a directory that you can write to, or give --lib DIR"))
		}
	}
	s, err := openShelf(c, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return shelf{}, fault.New(fault.LibraryNotFound, "no library is installed: there is no directory %s", target.Shorten(c, dir)).
			Hinting("golem lib install SOURCE installs one")
	}
	if err != nil {
		return shelf{}, err
	}
	release, err := s.lock(true)
	if err != nil {
		s.close()
		return shelf{}, fault.New(fault.Path, "the directory of libraries %s cannot be locked: %s: %s", s.shown, lockFile, disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make it writable"))
	}
	files := s.close
	s.close = func() { release(); files() }
	if err := s.libs.Recover(); err != nil { // what a killed process left
		s.close()
		return shelf{}, err
	}
	return s, nil
}

// listedLibrary is one library in golem lib list --json.
type listedLibrary struct {
	workspace.Library
	Root string `json:"root"`
}

func listLibraries(c *console.Console, f *libFlags) error {
	shelves, err := shelves(c, f)
	if err != nil {
		return err
	}
	all := []listedLibrary{}
	rows := [][]string{{"NAME", "VERSION", "DESCRIPTION", "WHERE"}}
	var faults fault.List
	for _, s := range shelves {
		libs, bad, err := s.libs.List()
		s.close()
		if err != nil {
			return err
		}
		faults = append(faults, bad...)
		for _, l := range libs {
			all = append(all, listedLibrary{l, s.dir})
			rows = append(rows, []string{l.Name, l.Version, ui.OneLine(l.Description), filepath.ToSlash(filepath.Join(s.shown, l.Dir))})
		}
	}
	if f.json {
		return c.PrintJSON(struct {
			Golem     string          `json:"golem"`
			V         int             `json:"v"`
			Libraries []listedLibrary `json:"libraries"`
			Faults    fault.List      `json:"faults,omitempty"`
		}{"libraries", 1, all, faults})
	}
	c.Report(faults)
	if len(all) == 0 {
		return c.Print("no libraries are installed; golem lib install SOURCE installs one\n")
	}
	return c.Show(ui.Table(rows))
}

func libRemoveCommand(c *console.Console) *cobra.Command {
	return lib("remove NAME[@VERSION]", "remove an installed library", `Removes a library from $GOLEM_HOME/libs, or from the directory of --lib. It
touches nothing else, and projects that need the library then say how to install it.`, console.Words(1, 1),
		func(_ *cobra.Command, f *libFlags, words []string) error {
			s, err := ownShelf(c, f, false)
			if err != nil {
				return err
			}
			defer s.close()
			dir, err := s.libs.Remove(words[0])
			if err != nil {
				return err
			}
			return c.Print(dir + " removed\n")
		})
}

func libInfoCommand(c *console.Console) *cobra.Command {
	cmd := lib("info NAME[@VERSION]", "show what a library exports and needs", `Shows the description of an installed library: what it exports, the libraries it
depends on, its workers, and its tool modules with their SHA-256. It runs nothing.`, console.Words(1, 1),
		func(cmd *cobra.Command, f *libFlags, words []string) error {
			f.json, _ = cmd.Flags().GetBool("json")
			return showLibrary(c, f, words[0])
		})
	cmd.Flags().Bool("json", false, "print one line of JSON")
	return cmd
}

func showLibrary(c *console.Console, f *libFlags, ref string) error {
	shelves, err := shelves(c, f)
	if err != nil {
		return err
	}
	var missing error = fault.New(fault.LibraryNotFound, "the library %s is not installed", fault.Quoted(ref)).Hinting("golem lib install SOURCE installs one")
	for _, s := range shelves {
		defer s.close()
		lib, err := s.libs.Find(ref)
		if errors.Is(err, fault.LibraryNotFound) {
			missing = err
			continue
		}
		if err != nil {
			return err
		}
		details, err := s.libs.Details(lib)
		if err != nil {
			return err
		}
		if f.json {
			return c.PrintJSON(struct {
				Golem string `json:"golem"`
				V     int    `json:"v"`
				workspace.Details
				Root string `json:"root"`
			}{"library", 1, details, s.dir})
		}
		return c.Print(libraryText(details, filepath.ToSlash(filepath.Join(s.shown, lib.Dir))))
	}
	return missing
}

// libraryText returns the text of golem lib info.
func libraryText(d workspace.Details, where string) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-13s %s\n", name+":", ui.OneLine(value))
		}
	}
	line("name", d.Name)
	line("version", d.Version)
	line("description", d.Description)
	line("where", where)
	line("from", d.Origin.From)
	line("commit", d.Origin.Commit)
	if d.Changed {
		line("changed", "its files are not those that were installed")
	}
	if d.Exports == nil {
		line("exports", "every worker")
	} else {
		line("exports", strings.Join(d.Exports, ", "))
	}
	line("dependencies", strings.Join(d.Dependencies, ", "))
	var rows [][]string
	for _, w := range d.Workers {
		rows = append(rows, []string{"  " + w.ID, ui.OneLine(w.Description)})
	}
	if len(rows) > 0 {
		b.WriteString("workers:\n" + ui.Table(rows))
	}
	rows = nil
	for _, m := range d.Modules {
		rows = append(rows, []string{"  " + ui.OneLine(m.Path), "sha256 " + m.Digest})
	}
	if len(rows) > 0 {
		b.WriteString("modules:\n" + ui.Table(rows))
	}
	return b.String()
}
