package projectcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/trust"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// CheckCommand returns golem check.
func CheckCommand(c *console.Console) *cobra.Command {
	f, watch, fix, yes := &runflags.Flags{}, false, false, false
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "report every problem of a project at once",
		Long: `Reads a project or a worker file and reports every problem with its code, its
file and line, and what to do. It calls no model, runs no tool and writes nothing,
and leaves out mistakes that only follow from another one.

With --fix it first changes what is certain: keys of golem-forge and llm-do, missing
quotes, paths. It shows the changes as a diff and asks; all files are written or
none. It never approves more than before. --watch leaves out directories such as
.git and node_modules. --platform browser says what would be missing in the page.

The exit code is 1 if there are errors, and 0 if there are only warnings.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.Check, f.Command = true, "check"
			switch {
			case fix && (watch || f.JSON):
				return console.Usage("--fix asks before it writes, so --watch and --json cannot be used with it").Hinting("use golem check --fix alone")
			case yes && !fix:
				return console.Usage("--yes is the answer to --fix").Hinting("use golem check --fix --yes")
			case fix:
				return fixCheck(c, f, words, yes)
			case watch:
				return watchCheck(c, f, words)
			}
			return Inspect(c, f, words)
		},
	}
	f.Add(cmd.Flags(), "check")
	cmd.Flags().BoolVar(&watch, "watch", false, "check again whenever a file of the project changes, until Ctrl+C")
	cmd.Flags().BoolVar(&fix, "fix", false, "change what can be changed for sure, after showing the changes and asking")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --fix: write without asking")
	runflags.Complete(c, cmd, f)
	return cmd
}

// WorkersCommand returns golem workers.
func WorkersCommand(c *console.Console) *cobra.Command {
	f, draw := &runflags.Flags{}, drawing{}
	cmd := &cobra.Command{
		Use:   "workers [DIR]",
		Short: "list the workers of a project",
		Long: `Lists the workers of a project. --tree shows each worker once, with its tools and
the workers that it may call; calls that form a circle are marked. --mermaid prints
a flowchart for a README.`,
		Args: console.Words(0, 1),
		RunE: func(_ *cobra.Command, words []string) error {
			f.ListWorkers, f.Command = true, "workers"
			return inspect(c, f, draw, words)
		},
	}
	f.Add(cmd.Flags(), "workers")
	cmd.Flags().BoolVar(&draw.tree, "tree", false, "show who may call whom, with tools, their risk and what would ask")
	cmd.Flags().BoolVar(&draw.mermaid, "mermaid", false, "the same as --tree, as a Mermaid flowchart")
	runflags.Complete(c, cmd, f)
	return cmd
}

// Inspect checks or lists: golem check, golem workers, and the flags of run
// that mean the same (S2-48, S2-49).
func Inspect(c *console.Console, f *runflags.Flags, words []string) error {
	return inspect(c, f, drawing{}, words)
}

// drawing says how golem workers draws who may call whom.
type drawing struct{ tree, mermaid bool }

func inspect(c *console.Console, f *runflags.Flags, draw drawing, words []string) error {
	err := inspectTarget(c, f, draw, words)
	var code console.ExitCode
	if err == nil || !f.JSON || errors.As(err, &code) {
		return err
	}
	line, wrong := checkJSON(f, console.Faults(err), nil)
	switch {
	case draw.tree:
		line, wrong = console.JSONLine(describe.CallTree{Golem: "tree", V: 1, Workers: []describe.TreeWorker{}, Faults: console.Faults(err)})
	case f.ListWorkers:
		line, wrong = workersJSON(nil, console.Faults(err))
	}
	if wrong == nil {
		wrong = c.Print(line)
	}
	if wrong != nil {
		return wrong
	}
	return err
}

func inspectTarget(c *console.Console, f *runflags.Flags, draw drawing, words []string) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if draw.mermaid && f.JSON {
		return console.Usage("--mermaid and --json cannot be used together").Hinting("use --tree --json, or --mermaid alone")
	}
	if f.Platform == "" {
		f.Platform = "native"
	}
	if f.Platform != "native" && f.Platform != "browser" {
		return console.Usage("--platform %q: unknown platform", f.Platform).Hinting("use native or browser")
	}
	words = target.OrHere(c, f.Project, words)
	p, _, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return err
	}
	t := toolhost.New(c, f.Verbose)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if f.ListWorkers {
		if err != nil {
			return target.Elsewhere(c, f.Wanted(), p, console.Faults(err)).Err()
		}
		if draw.tree || draw.mermaid {
			return callTree(c, inst, f, draw.mermaid)
		}
		return listWorkers(c, inst, f)
	}
	return checkProject(c, inst, f, p, err)
}

// checkResult is the format of check --json (SPEC §16).
type checkResult struct {
	Golem    string     `json:"golem"`    // "check"
	V        int        `json:"v"`        // 1
	Platform string     `json:"platform"` // "native" or "browser"
	Faults   fault.List `json:"faults"`   // as in a trace
	Errors   int        `json:"errors"`   // how many faults are errors
	Warnings int        `json:"warnings"` // how many are warnings
	// Settings of the project that reach beyond its sandbox, if there are any.
	Trust *checkTrust `json:"trust,omitempty"`
}

// checkTrust is the list of widenings of a project.
type checkTrust struct {
	Digest    string     `json:"digest"`    // for GOLEM_TRUST
	Content   string     `json:"content"`   // the digest of the project's files
	Widenings trust.List `json:"widenings"` // each with its place and value
}

// checkProject prints the faults of a project, including those of opening it.
func checkProject(c *console.Console, inst *core.Instance, f *runflags.Flags, p target.Place, opened error) error {
	faults := console.Faults(opened)
	if inst != nil {
		waits, end := c.Spinner()
		waits.Wait("checking " + p.Name())
		faults = append(faults, inst.Check(f.Platform)...)
		end()
	}
	faults = target.Elsewhere(c, f.Wanted(), p, faults)
	faults.Sort()
	faults = faults.Compact() // Check finds the faults of opening again
	errs, warnings := faults.Counts()
	widens := trustOf(inst)
	var b strings.Builder
	if f.JSON {
		line, err := checkJSON(f, faults, widens)
		if err != nil {
			return err
		}
		b.WriteString(line)
	} else {
		if f.Verbose && inst != nil {
			b.WriteString(effectiveValues(inst))
		}
		for _, one := range faults {
			b.WriteString(ui.OneLine(one.Error()) + "\n")
		}
		if widens != nil && (len(widens.Widenings) > 0 || f.Verbose) {
			fmt.Fprintf(&b, "%s beyond the sandbox, digest %s, content %s\n", fault.Count(len(widens.Widenings), "setting"), widens.Digest, widens.Content)
		}
		fmt.Fprintf(&b, "%s, %s\n", fault.Count(errs, "error"), fault.Count(warnings, "warning"))
	}
	show := c.Show
	if f.JSON {
		show = c.Print
	}
	if err := show(b.String()); err != nil {
		return err
	}
	if errs > 0 {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// checkJSON returns the line of check --json.
func checkJSON(f *runflags.Flags, faults fault.List, widens *checkTrust) (string, error) {
	if faults == nil {
		faults = fault.List{}
	}
	if widens != nil && len(widens.Widenings) == 0 {
		widens = nil
	}
	errs, warnings := faults.Counts()
	data, err := json.Marshal(checkResult{"check", 1, f.Platform, faults, errs, warnings, widens})
	return string(data) + "\n", err
}

// workersJSON returns the line of workers --json. faults say why there is no list.
func workersJSON(list []project.Listing, faults fault.List) (string, error) {
	if list == nil {
		list = []project.Listing{}
	}
	data, err := json.Marshal(struct {
		Golem   string            `json:"golem"`
		V       int               `json:"v"`
		Workers []project.Listing `json:"workers"`
		Faults  fault.List        `json:"faults,omitempty"`
	}{"workers", 1, list, faults})
	return string(data) + "\n", err
}

// trustOf returns the widenings of a project; nil if it could not be read.
func trustOf(inst *core.Instance) *checkTrust {
	if inst == nil {
		return nil
	}
	list := inst.Consent().Widenings(context.Background())
	return &checkTrust{Digest: list.Digest(), Content: inst.Content(), Widenings: list}
}

// listWorkers prints the workers of a project (S2-48).
func listWorkers(c *console.Console, inst *core.Instance, f *runflags.Flags) error {
	list, faults := inst.Workers()
	for _, one := range faults {
		c.Say("%s", one.Error())
	}
	var b strings.Builder
	if f.JSON {
		line, err := workersJSON(list, nil)
		if err != nil {
			return err
		}
		b.WriteString(line)
	} else {
		b.WriteString(console.Fit(c.Out, ui.Table(workerRows(list))))
	}
	if err := c.Print(b.String()); err != nil {
		return err
	}
	if faults.Err() != nil {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}
