// Package projectcmd has the commands about a project that run no worker: golem init,
// schema, pack and models.
package projectcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/ui"
	"golem/core/workspace"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// InitCommand returns golem init.
func InitCommand(c *console.Console) *cobra.Command {
	var template string
	var list bool
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "make a new project",
		Long: `Creates a project in DIR, which must be empty or not exist. The project runs
at once, without a key: a script answers in place of a language model.

  ` + strings.ReplaceAll(strings.TrimSpace(templateTable()), "\n", "\n  "),
		Example: "  golem init my-project\n  golem init my-project --template pipeline",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return console.Words(0, 0)(cmd, args)
			}
			return console.Words(1, 1)(cmd, args)
		},
		RunE: func(_ *cobra.Command, words []string) error {
			if list {
				return c.Show(templateTable())
			}
			return initProject(c, words[0], template)
		},
	}
	cmd.Flags().StringVar(&template, "template", "", "the project to begin with; minimal if left out")
	cmd.Flags().BoolVar(&list, "list-templates", false, "list the templates")
	cmd.MarkFlagsMutuallyExclusive("template", "list-templates")
	_ = cmd.RegisterFlagCompletionFunc("template", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, t := range workspace.Templates() {
			names = append(names, t.Name+"\t"+t.About)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}) // it fails only for a flag that is not there
	return cmd
}

func templateTable() string {
	var rows [][]string
	for _, t := range workspace.Templates() {
		rows = append(rows, []string{t.Name, t.About})
	}
	return ui.Table(rows)
}

// initProject creates a project and prints the next two commands.
func initProject(c *console.Console, dir, template string) error {
	if dir == "" {
		return console.Usage("DIR is empty").Hinting("name a directory that does not exist yet")
	}
	at, rest := existing(c.Path(dir))
	files, err := osfs.Open(at)
	if err != nil {
		return fault.New(fault.Path, "%s cannot be created: %s", dir, disk.Cause(err)).Hinting("name a directory that golem can create")
	}
	defer files.Close()
	if err := workspace.Init(workspace.Over(files), filepath.ToSlash(rest), template); err != nil {
		return notMade(dir, err)
	}
	return c.Print(afterInit(dir, template))
}

// notMade returns the error for a project that could not be created. It names the
// directory as it was typed.
func notMade(dir string, err error) error {
	var f *fault.Fault
	switch {
	case !errors.As(err, &f):
		return fault.New(fault.Path, "%s cannot be created: %s", dir, disk.Cause(err)).Hinting("name a directory that golem can create")
	case f.Code == fault.Usage:
		return f
	}
	return fault.New(f.Code, "%s: %s", dir, f.Message).Hinting("%s", f.Hint)
}

// existing splits a path into the directory that exists and the rest, "." for none. A
// broken link, or a file, counts as part of the rest.
func existing(target string) (at, rest string) {
	at, rest = target, "."
	for at != filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			return at, rest
		} else if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			return filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
	return at, rest
}

func afterInit(dir, template string) string {
	all := workspace.Templates()
	made := all[0]
	for _, t := range all {
		if t.Name == template {
			made = t
		}
	}
	word := console.ShellWord(ui.OneLine(filepath.ToSlash(dir)))
	if strings.HasPrefix(dir, "-") {
		word = "./" + word // otherwise it would be read as a flag
	}
	return fmt.Sprintf("%s: a project, %s\nnext:\n  golem check %s\n  golem run %s %q\n", ui.OneLine(filepath.ToSlash(dir)), made.About, word, word, made.Input)
}
