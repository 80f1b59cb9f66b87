package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
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

func (h *host) chatCommand() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "chat TARGET [MESSAGE…]",
		Short: "talk with a project or a worker",
		Long: `Talks with a project or a worker: a message a line, from the terminal or from
standard input, until /exit or the end of input. /help lists the commands.`,
		Example: `  golem chat .
  golem chat . --model ollama:qwen3
  golem chat . --resume
  golem chat main.worker "Hello"`,
		RunE: func(_ *cobra.Command, words []string) error {
			f.command = "chat"
			return h.orJSON(f, h.runProject(f, words, true))
		},
	}
	f.addRun(cmd.Flags())
	cmd.Flags().IntVar(&f.at, "at", 0, "with --resume: go on before your message of this number, as a branch; what was stays")
	h.complete(cmd, f)
	return cmd
}

// runProject is one run or one chat, from the command line to the exit code.
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
	var one *exchanges
	if chat {
		one = &exchanges{}
	}
	ctx, stop := h.interruptibleBut(context.Background(), one)
	defer stop()
	if person == nil {
		h.warnNobody(ctx, inst, f)
	}
	s := &session{host: h, flags: f, place: p, questions: questions}
	if err := s.open(chat); err != nil {
		return err
	}
	if p, ok := s.ui.(*ui.Plain); ok {
		p.Start()
	}
	var res run.Result
	s.options.Resume = f.resumed()
	if chat {
		s.options.Exchange = one.begin
		s.greet(inst)
		first := &in
		if none {
			first = nil
		}
		res = inst.Chat(ctx, first, s.ui, s.options)
		if ctx.Err() != nil && res.Status != run.Failed {
			res.Status = run.Interrupted // at the prompt, between two exchanges
		}
	} else {
		res = inst.Run(ctx, in, s.ui, s.options)
	}
	return s.close(res)
}

// orJSON tells with --json, too, what kept a run from beginning: a transient
// line, since there is no trace.
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

// inputOf is the input of a run or the first message of a chat. A run that is resumed
// has its own.
func (h *host) inputOf(f *flags, words []string, entry *project.Worker, chat bool) (run.Input, bool, error) {
	if !f.given("resume") || chat {
		in, none, err := h.input(f, words, chat)
		if err == nil && !chat {
			err = typedInput(entry, in)
		}
		return in, none, err
	}
	if len(words) > 0 || f.given("input") || len(f.attach) > 0 {
		return run.Input{}, false, usage("golem run --resume takes no input: the run goes on with its own").Hinting("golem chat --resume ID says something new")
	}
	return run.Input{}, true, nil
}

// input settles INPUT, asking standard input where nothing was given; a chat
// reads it line by line instead.
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

// warnNobody says up front which tools will be denied (SPEC §7).
func (h *host) warnNobody(ctx context.Context, inst *core.Instance, f *flags) {
	tools, err := inst.WouldAsk(ctx, func(text string) { h.say("%s", oneLine(text)) })
	if err != nil || len(tools) == 0 {
		return // what is wrong with the project, the run will say
	}
	why := "there is no terminal"
	if f.headless {
		why = "--headless"
	}
	h.say("warning: golem cannot ask questions here (%s), so calls of %s will be denied; use --approve-all or --deny-all, or add a rule to the project", why, strings.Join(tools, ", "))
}

func (h *host) questions(f *flags, person ui.Person) ui.Questions {
	q := ui.Questions{Person: person}
	if t, ok := person.(*terminal); ok {
		q.Width, q.Height = func() int { return columns(t.out) }, func() int { return rows(t.out) }
		q.Color = h.colors(t.out, f)
	}
	return q
}

// session is what one run uses of the host: its front end and its files.
type session struct {
	host      *host
	flags     *flags
	place     place
	questions ui.Questions

	ui      ui.UI
	finish  func(run.Result) error
	options core.RunOptions
	closers []io.Closer
	cleanup func()
}

// open makes the files and the front end. It fails on what was asked for by
// name and cannot be had.
func (s *session) open(chat bool) error {
	h, f := s.host, s.flags
	s.options.ID, s.options.Strict = newRunID(), f.strict
	var err error
	if s.options.Artifact, s.cleanup, err = h.artifacts(f); err != nil {
		return err
	}
	record, err := h.recording(f)
	if err != nil {
		return err
	}
	if record != nil {
		s.options.Record = record
		s.closers = append(s.closers, record)
	}
	s.options.Trouble = func(err error) {
		h.say("warning: the trace is incomplete, because it could not be written: %s", cause(err))
	}
	file, err := h.openTrace(f, s.place, s.options.ID)
	if err != nil {
		return err
	}
	if f.json {
		s.options.Lines = s.jsonLines(chat)
	} else {
		s.plain(chat)
	}
	if file != nil {
		s.closers = append(s.closers, file)
		s.options.Trace = file
		if file.folder != nil {
			s.options.Texts = file.keep
		}
	}
	return nil
}

// jsonLines is the front end of --json; the trace's lines, whole, go to the
// result.
func (s *session) jsonLines(chat bool) io.Writer {
	h := s.host
	j := &ui.JSON{W: h.out, Approver: s.questions}
	if chat {
		j.Input = newLines(h.in)
	}
	s.ui = j
	s.finish = func(res run.Result) error {
		if res.Error != nil {
			h.report(res.Error)
		}
		return j.Err()
	}
	return j.Lines()
}

// plain is the line front end. The answer is part of the view only where view
// and standard output are one terminal.
func (s *session) plain(chat bool) {
	h, f := s.host, s.flags
	p := &ui.Plain{
		View: h.err, Approver: s.questions, Quiet: f.quiet, Verbose: f.verbose,
		Color: h.colors(h.err, f), Live: h.live(),
	}
	aside := p.Aside
	h.aside.Store(&aside)
	if isTerminal(h.err) {
		p.Width = func() int { return columns(h.err) }
	}
	if f.quiet || !oneTerminal(h.out, h.err) {
		p.Answers, p.Shield = h.out, isTerminal(h.out)
	}
	if chat {
		p.Input = newLines(h.in)
		p.Prompts = isTerminal(h.in) && isTerminal(h.err) && !f.headless
	}
	s.ui = p
	s.finish = func(res run.Result) error {
		defer h.aside.Store(nil)
		return p.Finish(res)
	}
}

// greet says on a terminal what the prompt is and how to leave it.
func (s *session) greet(inst *core.Instance) {
	p, is := s.ui.(*ui.Plain)
	entry, err := inst.Entry()
	if !is || !p.Prompts || s.flags.quiet || err != nil {
		return
	}
	text := "Chat with " + oneLine(entry.ID)
	if entry.Model != "" {
		text += " (" + oneLine(entry.Model) + ")"
	}
	s.host.beside(func() {
		fmt.Fprintln(s.host.err, fit(s.host.err, text+". /help lists the commands, /exit ends the chat."))
	})
}

// maxFailures is how many failed workers are named at the end of a run.
const maxFailures = 5

// sayFailed names the workers that failed below the root: its answer may not
// tell of them. With --strict it says why the exit code is 1.
func (h *host) sayFailed(res run.Result) {
	for i, f := range res.Failed {
		if i == maxFailures {
			h.say("and %d more workers failed (golem trace show lists them)", len(res.Failed)-i)
			break
		}
		h.say("the worker %s failed (call %s): %s", f.Worker, f.ID, oneLine(f.Error.Error()))
	}
	if denied := len(res.Denied) + len(res.Declined); res.Strict && res.Error == nil && denied+len(res.Failed) > 0 {
		h.say("--strict: %d denied calls, %d failed workers", denied, len(res.Failed))
	}
}

// oneTerminal says whether two streams end on the same screen.
func oneTerminal(a, b *os.File) bool {
	if !isTerminal(a) || !isTerminal(b) {
		return false
	}
	ia, errA := a.Stat()
	ib, errB := b.Stat()
	return errA != nil || errB != nil || os.SameFile(ia, ib) || os.PathSeparator == '\\'
}

// close delivers the result, closes the files and settles the exit code.
func (s *session) close(res run.Result) error {
	h := s.host
	err := s.finish(res)
	s.cleanup()
	for _, c := range s.closers {
		if cerr := c.Close(); cerr != nil {
			h.say("warning: a file could not be closed: %s", cause(cerr))
		}
	}
	if len(res.Denied) > 0 {
		names := make([]string, len(res.Denied))
		for i, d := range res.Denied {
			names[i] = fmt.Sprintf("%s (call %s)", d.Tool, d.ID)
		}
		h.say("denied, because nobody could be asked: %s", strings.Join(names, ", "))
		h.sayAllowing(res.Denied, s.place.root)
	}
	h.sayFailed(res)
	kept := h.keepWritten(s.flags, s.place)
	if err != nil {
		h.say("standard output: %s", cause(err))
		return exitCode(exitFailed)
	}
	if kept != nil {
		return kept
	}
	if code := res.Exit(); code != exitOK {
		return exitCode(code)
	}
	return nil
}
