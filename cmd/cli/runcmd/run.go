// Package runcmd is golem run, golem chat and golem conversations.
package runcmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
	"golem/cmd/cli/input"
	"golem/cmd/cli/logincmd"
	"golem/cmd/cli/machine"
	"golem/cmd/cli/projectcmd"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/session"
	"golem/cmd/cli/target"
	"golem/cmd/cli/toolhost"
)

// Command returns golem run.
func Command(c *console.Console) *cobra.Command {
	f := &runflags.Flags{}
	cmd := &cobra.Command{
		Use:   "run TARGET [INPUT…]",
		Short: "run a project or a worker (the word run may be left out)",
		Long: `Runs a project, a worker file, or a worker found on GOLEM_PATH, and prints its
answer.

INPUT is the words after TARGET, @FILE, - for standard input, or --input JSON;
without any, standard input is read if it is a pipe or a file. With --project or
GOLEM_PROJECT, TARGET may be left out: the first word is TARGET only if it is a
directory or ends in .worker, .yaml or .yml.`,
		Example: `  golem run . "Summarise notes/today.md"
  golem . "Summarise notes/today.md" --model openai:gpt-5-mini
  golem run main.worker @question.txt --approve-all
  git diff | golem run reviewer
  golem run . --resume 20260314-091500-3fa9c1
  golem run . --input '{"file": "notes/today.md"}' --json`,
		RunE: func(_ *cobra.Command, words []string) error {
			f.Command = "run"
			return session.OrJSON(c, f, runProject(c, f, words, false))
		},
	}
	f.Add(cmd.Flags(), "run")
	runflags.Complete(c, cmd, f)
	return cmd
}

// runProject carries out one run or one chat, from the command line to the exit code.
func runProject(c *console.Console, f *runflags.Flags, words []string, chat bool) error {
	if err := f.Refuse(); err != nil {
		return err
	}
	if f.Check || f.ListWorkers {
		f.Command = "check"
		return projectcmd.Inspect(c, f, words)
	}
	if f.Given("resume") && len(words) == 0 && f.Project == "" && c.Env.Setting("PROJECT") == "" {
		words = []string{"."}
		if !target.IsProject(c, c.Dir) {
			words = []string{target.Assistant}
		}
	}
	p, used, err := target.Find(c, f.Wanted(), words)
	if err != nil {
		return err
	}
	if err := target.EmptyOutput(c, f.Output, p); err != nil {
		return err
	}
	person := session.Person(c, f)
	questions := asking.Questions(c, person, f.NoColor)
	t := toolhost.New(c, f.Verbose)
	defer t.Close()
	inst, err := machine.Open(c, p, f.OpenWith(), t)
	if err != nil {
		return err
	}
	entry, err := inst.Entry()
	if err != nil {
		return target.Elsewhere(c, f.Wanted(), p, console.Faults(err)).Err()
	}
	chat = chat || entry.Mode == "chat"
	if chat && entry.Model == "" && entry.Tool == "" && !f.DryRun && !f.Headless && !f.JSON {
		if inst, entry, err = offerLogin(c, p, f, t, inst, entry); err != nil {
			return err
		}
	}
	if f.DryRun {
		return projectcmd.DryRun(c, f, inst, entry, words[used:])
	}
	in, none, err := inputFor(c, f, words[used:], entry, chat)
	if err != nil {
		return err
	}
	if in.Attachments, err = input.Attachments(c, "--attach ", f.Attach); err != nil {
		return err
	}
	s := session.New(c, f, p, questions)
	s.Target, s.Options.Recap = strings.Join(words[:used], ""), true
	if s.Target == "" && f.Project == "" {
		s.Target = cmp.Or(c.Env.Setting("PROJECT"), ".")
	}
	if !chat {
		return s.Once(inst, in)
	}
	first := &in
	if none {
		first = nil
	}
	return s.Talk(inst, entry, first)
}

// offerLogin asks a person at a terminal who has no model whether to choose one now. If they
// do, it opens the project again.
func offerLogin(c *console.Console, p target.Place, f *runflags.Flags, t *toolhost.Tools, inst *core.Instance, entry *project.Worker) (*core.Instance, *project.Worker, error) {
	done, err := logincmd.Offer(c)
	if err != nil || !done {
		return inst, entry, err
	}
	if inst, err = machine.Open(c, p, f.OpenWith(), t); err != nil {
		return nil, nil, err
	}
	entry, err = inst.Entry()
	return inst, entry, err
}

// inputFor returns the input of a run or the first message of a chat. A resumed run
// takes no new input.
func inputFor(c *console.Console, f *runflags.Flags, words []string, entry *project.Worker, chat bool) (run.Input, bool, error) {
	if err := meantAsID(c, f, words); err != nil {
		return run.Input{}, false, err
	}
	if !f.Given("resume") || chat {
		words = attachWords(c, f, words, entry)
		in, none, err := readInput(c, f, words, chat)
		if err == nil && !chat {
			err = input.Typed(entry, &in)
		}
		if err == nil && !chat && strings.TrimSpace(in.Text) == "" && len(in.JSON)+len(f.Attach) == 0 && entry.Input == nil && !entry.AllowEmptyInput {
			err = fault.New(fault.ToolInput, "the input of %s is empty", entry.ID).Hinting("write the task after the project or worker; golem chat talks with it")
		}
		return in, none, err
	}
	if len(words) > 0 || f.Given("input") || f.Given("input-file") || len(f.Attach) > 0 {
		return run.Input{}, false, console.Usage("golem run --resume takes no input: the run goes on with its own").Hinting("golem chat --resume ID says something new")
	}
	return run.Input{}, true, nil
}

// readInput returns INPUT. If there is none, a run reads standard input, unless it is a
// terminal; a chat later reads it line by line.
func readInput(c *console.Console, f *runflags.Flags, words []string, chat bool) (run.Input, bool, error) {
	if chat && len(words) == 1 && words[0] == "-" {
		words = nil
	}
	in, none, err := input.Given(c, f, words)
	if err != nil || !none || chat || !input.Piped(c) {
		return in, none && len(f.Attach) == 0, err
	}
	in.Text, err = input.Stdin(c)
	return in, false, err
}
