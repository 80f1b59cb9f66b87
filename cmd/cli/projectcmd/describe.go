package projectcmd

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"

	"golem/cmd/cli/console"
	"golem/cmd/cli/input"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// DescribeCommand returns golem describe.
func DescribeCommand(c *console.Console) *cobra.Command {
	f := &runflags.Flags{}
	cmd := &cobra.Command{
		Use:   "describe [WORKER] [DIR]",
		Short: "show a worker's prompt, tools, view and settings",
		Long: `Shows what a worker is before it runs: its prompt, its tools with their risk and
what becomes of their calls, the files that it sees, and each setting with where
it comes from. It calls no model, runs no tool and writes nothing.

A call runs, asks, is refused, or is manual: only you start it. "but …" names rules
that decide otherwise for some arguments. Flags such as --model and --approval count
as in a run. The exit code is 1 if tools or files have a mistake.

WORKER is a worker's ID, a path that begins with ./ or a worker file; the entry
if it is left out. DIR is the project directory, the current one by default.
With --input a template is rendered for that input.`,
		Example: `  golem describe
  golem describe reports/summary
  golem describe main ./my-project --json
  golem describe translate --input '{"text": "hello", "to": "French"}'`,
		Args: console.Words(0, 2),
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "describe"
			return printDescription(c, f, words)
		},
	}
	f.Add(cmd.Flags(), "describe")
	runflags.Complete(c, cmd, f)
	runflags.CompleteWorkers(c, cmd, f)
	return cmd
}

// printDescription prints the description of a worker. With --json, faults are part of the JSON
// line.
func printDescription(c *console.Console, f *runflags.Flags, words []string) error {
	d, err := description(c, f, words)
	if f.JSON {
		var out any = d
		if err != nil {
			out = struct {
				Golem  string     `json:"golem"`
				V      int        `json:"v"`
				Faults fault.List `json:"faults"`
			}{"describe", 1, console.Faults(err)}
		}
		line, wrong := console.JSONLine(out)
		if wrong == nil {
			wrong = c.Print(line)
		}
		if wrong != nil {
			return wrong
		}
	}
	if err != nil {
		return err
	}
	if !f.JSON {
		if err := c.Show(d.Text()); err != nil {
			return err
		}
		if len(d.Faults) > 0 {
			c.Report(d.Faults)
		}
	}
	if d.Faults.Err() != nil {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

// DryRun prints what a run would do. It checks a given input against the entry's input
// schema.
func DryRun(c *console.Console, f *runflags.Flags, inst *core.Instance, entry *project.Worker, words []string) error {
	in, none, err := input.Given(c, f, words)
	if err == nil && !none && entry.Mode != "chat" {
		err = input.Typed(entry, &in)
	}
	if err == nil {
		_, err = input.Attachments(c, "--attach ", f.Attach)
	}
	if err != nil {
		return err
	}
	plan, err := inst.Plan(context.Background())
	if err != nil {
		return err
	}
	text := plan.Text()
	if f.JSON {
		if text, err = console.JSONLine(plan); err != nil {
			return err
		}
	}
	if err := c.Print(text); err != nil {
		return err
	}
	if len(plan.Faults) > 0 && !f.JSON {
		c.Report(plan.Faults)
	}
	if plan.Faults.Err() != nil {
		return console.ExitCode(console.ExitFailed)
	}
	return nil
}

func description(c *console.Console, f *runflags.Flags, words []string) (*describe.Description, error) {
	if err := f.Refuse(); err != nil {
		return nil, err
	}
	var in *run.Input
	if f.Given("input") {
		given, err := input.JSON(f.Input)
		if err != nil {
			return nil, err
		}
		in = &given
	}
	t := toolhost.New(c, false)
	defer t.Close()
	inst, w, err := findWorker(c, f, words, t)
	if err != nil {
		return nil, err
	}
	return inst.Describe(context.Background(), w, in)
}

// findWorker opens the project and finds the worker that golem describe names. A name that
// is no worker of the project may be a TARGET; then it finds that target's entry.
func findWorker(c *console.Console, f *runflags.Flags, words []string, t *toolhost.Tools) (*core.Instance, *project.Worker, error) {
	where, ref := []string{"."}, ""
	switch {
	case len(words) == 2:
		ref, where = words[0], words[1:]
	case len(words) == 1 && (target.IsPack(words[0]) || target.IsWorkerFile(words[0]) && f.Project == ""):
		where = words
	case len(words) == 1:
		ref = words[0]
	}
	if len(words) < 2 && (f.Project != "" || c.Env.Setting("PROJECT") != "") && (len(words) == 0 || ref != "") {
		where = nil
	}
	if ref != "" && f.Given("entry") {
		return nil, nil, console.Usage("WORKER and --entry both name a worker").Hinting("leave one of them out")
	}
	inst, err := openTarget(c, f, where, t)
	if err != nil {
		if info, wrong := os.Stat(c.Path(ref)); len(words) == 2 && wrong == nil && info.IsDir() && (errors.Is(err, fault.WorkerNotFound) || errors.Is(err, fault.Project)) {
			err = console.Usage("%s is a directory, and the worker stands before it", ref).Hinting("write golem describe %s %s", words[1], words[0])
		}
		return nil, nil, err
	}
	if ref == "" {
		w, err := inst.Entry()
		return inst, w, err
	}
	w, err := inst.Project().Workers.Find(ref)
	if len(words) == 1 && (errors.Is(err, fault.WorkerNotFound) || errors.Is(err, fault.Path)) {
		if info, wrong := os.Stat(c.Path(ref)); wrong == nil && info.IsDir() || where != nil && onShelf(c, ref) {
			if inst, err = openTarget(c, f, words, t); err == nil {
				w, err = inst.Entry()
			}
		}
	}
	return inst, w, err
}

// onShelf reports whether GOLEM_PATH has a worker of this name.
func onShelf(c *console.Console, word string) bool {
	_, err := target.OnPath(c, word)
	return err == nil || errors.Is(err, fault.Ambiguous)
}

func openTarget(c *console.Console, f *runflags.Flags, words []string, t *toolhost.Tools) (*core.Instance, error) {
	p, _, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return nil, err
	}
	return machine.Open(c, p, f.OpenWith(), t)
}
