// Package importcmd is golem import: a project of what people have for other programs.
package importcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/foreign"
	"golem/core/sandbox"
	"golem/core/ui"
	"golem/sandbox/osfs"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// Command returns golem import.
func Command(c *console.Console) *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "import PATH", Short: "make a project of agents, recipes and MCP servers of other programs", Args: console.Words(1, 1),
		Long: `Makes a new project of what PATH has: agents of Claude Code and OpenCode
(.claude/agents/*.md, .opencode/agent/*.md), files of docker-agent, recipes of goose,
and lists of MCP servers (.mcp.json, .vscode/mcp.json, .cursor/mcp.json). PATH is a file
or a directory, which is only read.

A report says what each key became, and what is not mapped. Nothing is approved in
advance: golem asks, whatever the other program allowed. Values that may be secret are
not written; the project names variables of the environment in their place. golem
checks the project that it made. Nothing is overwritten.`,
		Example: `  golem import .claude/agents
  golem import ../app --out app-workers`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := console.NotEmpty(cmd.Flags(), "out"); err != nil {
				return err
			}
			return runImport(c, words[0], out, asJSON)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the `DIR` of the new project, which must be empty or not exist; default: the name of PATH with -golem")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// report is the format of import --json.
type report struct {
	Golem     string         `json:"golem"` // "import"
	V         int            `json:"v"`
	Out       string         `json:"out"`
	Files     []foreign.File `json:"files"`
	Workers   []string       `json:"workers"`
	Mapped    []foreign.Note `json:"mapped"`
	NotMapped []foreign.Note `json:"not_mapped"`
	Variables []string       `json:"variables"`
	Faults    fault.List     `json:"faults"` // of golem check
	Errors    int            `json:"errors"`
	Warnings  int            `json:"warnings"`
}

// runImport makes the project, checks it and prints the report.
func runImport(c *console.Console, from, out string, asJSON bool) error {
	if from == "" {
		return console.Usage("PATH is empty").Hinting("name a file or a directory")
	}
	at, title := disk.RealPath(c.Path(from)), ""
	dir, name := at, "."
	if info, err := os.Stat(at); err == nil && !info.IsDir() {
		dir, name = filepath.Dir(at), filepath.Base(at)
	}
	title = strings.Trim(strings.TrimSuffix(filepath.Base(at), filepath.Ext(at)), ".")
	if base := filepath.Base(at); title == "" || title == "agents" || title == "agent" || strings.HasPrefix(base, ".") {
		title = "imported"
	}
	if out == "" {
		out = title + "-golem"
	}
	source, err := osfs.Open(dir)
	if err != nil {
		return fault.New(fault.NotFound, "%s cannot be read: %s", from, disk.Cause(err)).Hinting("name a file or a directory that exists")
	}
	defer source.Close()
	made, err := foreign.Import(source, filepath.ToSlash(name), title)
	if err != nil {
		return err
	}
	if err := write(c.Path(out), out, made.Files); err != nil {
		return err
	}
	r := report{Golem: "import", V: 1, Out: filepath.ToSlash(out), Files: made.Files, Workers: made.Workers, Variables: append([]string{}, made.Variables...), Mapped: []foreign.Note{}, NotMapped: []foreign.Note{}}
	for _, n := range made.Notes {
		if n.As != "" {
			r.Mapped = append(r.Mapped, n)
		} else {
			r.NotMapped = append(r.NotMapped, n)
		}
	}
	r.Faults = check(c, out)
	r.Errors, r.Warnings = r.Faults.Counts()
	if asJSON {
		line, err := console.JSONLine(r)
		if err == nil {
			err = c.Print(line)
		}
		return failed(err, r)
	}
	return failed(c.Print(text(r, made.Entry)), r)
}

// failed returns exit code 1 if golem check found errors.
func failed(err error, r report) error {
	if err == nil && r.Errors > 0 {
		return console.ExitCode(1)
	}
	return err
}

// write writes the files of a project into a directory that is empty or does not exist. The
// manifest is written last.
func write(dir, shown string, files []foreign.File) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return fault.New(fault.Conflict, "%s is not empty", shown).Hinting("nothing was written; choose a new directory with --out DIR")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Path, "%s cannot be created: %s", shown, disk.Cause(err)).Hinting("choose a new directory with --out DIR")
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return fault.New(fault.Path, "%s cannot be created: %s", shown, disk.Cause(err)).Hinting("choose a new directory with --out DIR")
	}
	into, err := osfs.Open(dir)
	if err != nil {
		return fault.New(fault.Path, "%s cannot be created: %s", shown, disk.Cause(err)).Hinting("choose a new directory with --out DIR")
	}
	defer into.Close()
	for _, f := range files {
		err := sandbox.ValidNew(path.Clean(f.Name))
		if err == nil {
			err = into.WriteFile(f.Name, []byte(f.Text))
		}
		if err != nil {
			return fault.New(fault.Of(err, fault.Path).Code, "%s/%s cannot be written: %s", shown, f.Name, disk.Cause(err)).Hinting("remove %s and import again", shown)
		}
	}
	return nil
}

// check returns what golem check finds in the project.
func check(c *console.Console, dir string) fault.List {
	p, _, err := target.Find(c, target.Wanted{Command: "check"}, []string{dir})
	if err != nil {
		return console.Faults(err)
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, err := machine.Open(c, p, machine.Opening{}, t)
	faults := console.Faults(err)
	if inst != nil {
		faults = append(faults, inst.Check("native")...)
	}
	faults.Sort()
	return append(fault.List{}, faults.Compact()...)
}

// text returns the report for people.
func text(r report, entry bool) string {
	var b strings.Builder
	word := console.ShellWord(ui.OneLine(r.Out))
	fmt.Fprintf(&b, "%s: a project with %s: %s\n", ui.OneLine(r.Out), fault.Count(len(r.Workers), "worker"), ui.OneLine(strings.Join(r.Workers, ", ")))
	part := func(title string, notes []foreign.Note, line func(foreign.Note) string) {
		if len(notes) == 0 {
			return
		}
		b.WriteString("\n" + title + "\n")
		file := ""
		for _, n := range notes {
			if n.File != file {
				file = n.File
				b.WriteString("  " + ui.OneLine(file) + "\n")
			}
			b.WriteString("    " + ui.OneLine(line(n)) + "\n")
		}
	}
	part("Mapped", r.Mapped, func(n foreign.Note) string {
		if n.Why != "" {
			return n.Key + " → " + n.As + " (" + n.Why + ")"
		}
		return n.Key + " → " + n.As
	})
	part("Not mapped", r.NotMapped, func(n foreign.Note) string {
		if n.Key == "" {
			return n.Why
		}
		return n.Key + ": " + n.Why
	})
	if len(r.Variables) > 0 {
		fmt.Fprintf(&b, "\nSet these variables before a run: %s\n", strings.Join(r.Variables, ", "))
	}
	b.WriteString("\ngolem check: ")
	fmt.Fprintf(&b, "%s, %s\n", fault.Count(r.Errors, "error"), fault.Count(r.Warnings, "warning"))
	trust := 0
	for _, f := range r.Faults {
		if f.Code == fault.Trust {
			trust++
			continue
		}
		b.WriteString("  " + ui.OneLine(f.Error()) + "\n")
	}
	if trust > 0 {
		fmt.Fprintf(&b, "  %s for your trust before a run: golem trust %s shows what is started or reached\n", fault.Count(trust, "setting"), word)
	}
	run := "golem run " + word
	if !entry {
		run += " --entry " + r.Workers[0]
	}
	fmt.Fprintf(&b, "next:\n  golem workers %s --tree\n  %s \"what to do\"\n", word, run)
	return b.String()
}
