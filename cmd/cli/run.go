package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"golem/core"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/run"
	"golem/core/ui"
)

func (h *host) runCommand() *cobra.Command {
	f := &flags{}
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
			f.command = "run"
			return h.orJSON(f, h.runProject(f, words, false))
		},
	}
	f.addRun(cmd.Flags())
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what the run would do: workers, models, tools and what becomes of their calls, files, hosts, limits; nothing runs")
	cmd.Flags().BoolVar(&f.check, "check", false, "check the project instead, like golem check")
	cmd.Flags().BoolVar(&f.listWorkers, "list-workers", false, "list its workers instead, like golem workers")
	h.complete(cmd, f)
	return cmd
}

// runProject carries out one run or one chat, from the command line to the exit code.
func (h *host) runProject(f *flags, words []string, chat bool) error {
	if err := f.refuse(); err != nil {
		return err
	}
	if f.check || f.listWorkers {
		f.command = "check"
		return h.inspect(f, words)
	}
	if f.given("resume") && len(words) == 0 && f.project == "" && h.setting("PROJECT") == "" {
		words = []string{"."}
	}
	p, used, err := h.target(f, words)
	if err != nil {
		return err
	}
	if err := h.emptyOutput(f, p); err != nil {
		return err
	}
	person := h.person(f)
	questions := h.questions(f, person)
	t := h.newTools(f.verbose)
	defer t.close()
	inst, err := h.open(p, f, t)
	if err != nil {
		return err
	}
	entry, err := inst.Entry()
	if err != nil {
		return h.elsewhere(f, p, listOf(err)).Err()
	}
	chat = chat || entry.Mode == "chat"
	if f.dryRun {
		return h.dryRun(f, inst, entry, words[used:])
	}
	in, none, err := h.inputOf(f, words[used:], entry, chat)
	if err != nil {
		return err
	}
	if in.Attachments, err = h.attachments(f.attach); err != nil {
		return err
	}
	s := session{host: h, flags: f, place: p, questions: questions, target: strings.Join(words[:used], "")}
	if s.target == "" && f.project == "" {
		s.target = cmp.Or(h.setting("PROJECT"), ".")
	}
	if !chat {
		return s.once(inst, in)
	}
	first := &in
	if none {
		first = nil
	}
	return s.talk(inst, entry, first)
}

// orJSON also prints, with --json, the error that kept a run from beginning. The line
// is a transient one, because there is no trace.
func (h *host) orJSON(f *flags, err error) error {
	var code exitCode
	if err == nil || !f.json || f.check || f.listWorkers || errors.As(err, &code) {
		return err
	}
	for _, one := range listOf(err) {
		data, wrong := json.Marshal(struct {
			Type string `json:"type"`
			*fault.Fault
		}{"error", one})
		if wrong == nil {
			wrong = h.print(string(data) + "\n")
		}
		if wrong != nil {
			return wrong
		}
	}
	return err
}

// inputOf returns the input of a run or the first message of a chat. A resumed run
// takes no new input.
func (h *host) inputOf(f *flags, words []string, entry *project.Worker, chat bool) (run.Input, bool, error) {
	if err := h.meantAsID(f, words); err != nil {
		return run.Input{}, false, err
	}
	if !f.given("resume") || chat {
		words = h.attachWords(f, words, entry)
		in, none, err := h.input(f, words, chat)
		if err == nil && !chat {
			err = typedInput(entry, &in)
		}
		if err == nil && !chat && strings.TrimSpace(in.Text) == "" && len(in.JSON)+len(f.attach) == 0 && entry.Input == nil && !entry.AllowEmptyInput {
			err = fault.New(fault.ToolInput, "the input of %s is empty", entry.ID).Hinting("write the task after the project or worker; golem chat talks with it")
		}
		return in, none, err
	}
	if len(words) > 0 || f.given("input") || f.given("input-file") || len(f.attach) > 0 {
		return run.Input{}, false, usage("golem run --resume takes no input: the run goes on with its own").Hinting("golem chat --resume ID says something new")
	}
	return run.Input{}, true, nil
}

// input returns INPUT. If there is none, a run reads standard input, unless it is a
// terminal; a chat later reads it line by line.
func (h *host) input(f *flags, words []string, chat bool) (run.Input, bool, error) {
	if chat && len(words) == 1 && words[0] == "-" {
		words = nil
	}
	in, none, err := h.givenInput(f, words)
	if err != nil || !none || chat || !h.piped() {
		return in, none && len(f.attach) == 0, err
	}
	in.Text, err = h.stdin()
	return in, false, err
}

// warnNobody prints before the run which tools will be denied, because nobody can be
// asked (SPEC §7).
func (h *host) warnNobody(ctx context.Context, inst *core.Instance, f *flags) {
	tools, err := inst.WouldAsk(ctx, func(text string) { h.say("%s", oneLine(text)) })
	if err != nil || len(tools) == 0 {
		return // the run itself will report the error
	}
	why := "there is no terminal"
	if f.headless {
		why = "--headless"
	}
	h.say("warning: golem cannot ask questions here (%s), so calls of %s will be denied unless a rule allows them; use --approve-all or --deny-all, or add a rule to the project", why, strings.Join(tools, ", "))
}

func (h *host) questions(f *flags, person ui.Person) ui.Questions {
	q := ui.Questions{Person: person}
	if t, ok := person.(*terminal); ok {
		q.Width, q.Height = func() int { return columns(t.out) }, func() int { return rows(t.out) }
		q.Color = h.colors(t.out, f)
	}
	return q
}
