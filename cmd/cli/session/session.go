// Package session is one run or chat on this machine: its front end, the files that it
// writes, and the commands of a chat that need this machine.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
	"golem/core/ui/plain"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
	"golem/cmd/cli/personcmd"
	"golem/cmd/cli/runflags"
	"golem/cmd/cli/target"
	"golem/cmd/cli/telemetry"
)

// OrJSON also prints, with --json, the error that kept a run from beginning. The line
// is a transient one, because there is no trace.
func OrJSON(c *console.Console, f *runflags.Flags, err error) error {
	var code console.ExitCode
	if err == nil || !f.JSON || f.Check || f.ListWorkers || errors.As(err, &code) {
		return err
	}
	for _, one := range console.Faults(err) {
		data, wrong := json.Marshal(struct {
			Type string `json:"type"`
			*fault.Fault
		}{"error", one})
		if wrong == nil {
			wrong = c.Print(string(data) + "\n")
		}
		if wrong != nil {
			return wrong
		}
	}
	return err
}

// warn prints before the run which tools will be denied, because nobody can be
// asked (SPEC §7).
func warn(ctx context.Context, c *console.Console, inst *core.Instance, f *runflags.Flags) {
	tools, err := inst.WouldAsk(ctx, func(text string) { c.Say("%s", ui.OneLine(text)) })
	if err != nil || len(tools) == 0 {
		return // the run itself will report the error
	}
	why := "there is no terminal"
	if f.Headless {
		why = "--headless"
	}
	c.Say("warning: golem cannot ask questions here (%s), so calls of %s will be denied unless a rule allows them; use --approve-all or --deny-all, or add a rule to the project", why, strings.Join(tools, ", "))
}

// Person returns the person whom a run may ask; nil with --headless.
func Person(c *console.Console, f *runflags.Flags) ui.Person {
	if f.Headless {
		return nil
	}
	return c.Person()
}

// Session is the state of one run or chat on this host: its front end and its files.
type Session struct {
	Console   *console.Console
	flags     *runflags.Flags
	place     target.Place
	questions ui.Questions
	notices   *Notice // what the person set in this process

	Target    string // TARGET as the person wrote it
	traced    string // the trace's file, if it can be read again
	writing   *writing
	exchanges *console.Exchanges // of a chat
	tree      bool               // a run may show its tree
	leave     func(*fault.Fault) // ends the run; nil: not yet known
	UI        ui.UI
	finish    func(run.Result) error
	Options   core.RunOptions
	live      *live
	onward    bool // another conversation follows
	closers   []io.Closer
	cleanup   func()
}

// New returns the session of one run or chat of a place. questions are asked by the
// front end.
func New(c *console.Console, f *runflags.Flags, p target.Place, questions ui.Questions) *Session {
	return &Session{Console: c, flags: f, notices: &Notice{}, place: p, questions: questions, Options: core.RunOptions{Running: f.Running, Person: questions.Person != nil, AskToGoOn: questions.Person != nil}}
}

// Open opens the files and the front end. It returns an error if a file that a flag
// names cannot be opened.
func (s *Session) Open(inst *core.Instance, chat bool) error {
	c, f := s.Console, s.flags
	s.Options.ID = core.NewRunID(time.Now())
	sender, err := telemetry.New(c, telemetry.Wanted{URL: f.OTLP, Contents: f.OTLPContents})
	if err != nil {
		return err
	}
	if s.Options.Artifact, s.cleanup, err = artifacts(c, f.Artifacts); err != nil {
		return err
	}
	record, err := recording(c, f.Record)
	if err != nil {
		return err
	}
	if record != nil {
		s.Options.Record = record
		s.closers = append(s.closers, record)
	}
	s.Options.Trouble = func(err error) {
		c.Say("warning: the trace is incomplete, because it could not be written: %s", disk.Cause(err))
	}
	file, err := OpenTrace(c, f.Trace, s.place, s.Options.ID)
	if err != nil {
		return err
	}
	switch {
	case f.JSON:
		s.Options.Lines = s.jsonLines(chat)
	case s.tree && s.inlines():
		s.inline(inst)
	default:
		s.plain(chat)
	}
	if file != nil {
		s.closers = append(s.closers, file)
		s.Options.Trace = file
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			s.traced = file.Name()
		}
		s.Options.Texts = file.Texts()
	}
	one := sender.Run(s.Options.Lines)
	s.Options.Lines = one.Lines
	s.closers = append(s.closers, one, sender)
	return nil
}

// jsonLines sets the front end of --json, and returns the writer for the trace's lines,
// which are never cut.
func (s *Session) jsonLines(chat bool) io.Writer {
	c := s.Console
	j := &ui.JSON{W: c.Out, Approver: s.questions}
	if chat {
		j.Input = c.Messages()
	}
	s.UI = j
	s.finish = func(res run.Result) error {
		if res.Error != nil {
			c.Report(res.Error)
		}
		return j.Err()
	}
	return j.Lines()
}

// plain sets the front end that prints lines. The answer is part of the view only if
// standard error and standard output are one terminal.
func (s *Session) plain(chat bool) {
	c, f := s.Console, s.flags
	p := &plain.UI{
		View: c.Err, Approver: s.questions, Quiet: f.Quiet, Verbose: f.Verbose,
		Color: c.Colors(c.Err, f.NoColor), Screen: c.Screen(c.Err),
	}
	c.Attach(&console.Front{Aside: p.Aside})
	if f.Quiet || !console.OneTerminal(c.Out, c.Err) {
		p.Answers, p.Shield = c.Out, console.IsTerminal(c.Out)
	}
	if chat {
		p.Input, p.Resumed = c.Messages(), s.Options.Resume != nil
		p.Prompts = console.IsTerminal(c.In) && console.IsTerminal(c.Err) && !f.Headless
	}
	s.UI = p
	stop := func() {}
	if p.Prompts {
		stop = console.Continued(func() {
			if console.InForeground(c.Err) {
				plain.PromptAgain(p)
			}
		})
	}
	s.finish = func(res run.Result) error {
		defer c.Attach(nil)
		stop()
		return p.Finish(res)
	}
}

// maxFailures is how many failed workers are named at the end of a run.
const maxFailures = 5

// sayFailed prints the workers below the root that failed, because the answer may not
// mention them. With --strict it also prints why the exit code is 1.
func sayFailed(c *console.Console, res run.Result) {
	for i, f := range res.Failed {
		if i == maxFailures {
			c.Say("and %d more workers failed (golem trace show lists them)", len(res.Failed)-i)
			break
		}
		c.Say("the worker %s failed (call %s): %s", f.Worker, f.ID, ui.OneLine(f.Error.Error()))
	}
	if !res.Strict || res.Error != nil {
		return
	}
	var why []string
	if n := len(res.Denied) + len(res.Declined); n > 0 {
		why = append(why, fault.Count(n, "denied call"))
	}
	if n := len(res.Failed); n > 0 {
		why = append(why, fault.Count(n, "failed worker"))
	}
	if len(why) > 0 {
		c.Say("--strict: %s", strings.Join(why, ", "))
	}
}

// Close shows the result, closes the files and returns the exit code as an error.
func (s *Session) Close(res run.Result) error {
	c := s.Console
	err := s.finish(res)
	s.cleanup()
	for _, one := range s.closers {
		if cerr := one.Close(); cerr != nil {
			c.Say("warning: a file could not be closed: %s", disk.Cause(cerr))
		}
	}
	if len(res.Denied) > 0 {
		var names []string
		for _, d := range res.Denied {
			if !d.Trust { // SayAllowing says why
				names = append(names, fmt.Sprintf("%s (call %s)", d.Tool, d.ID))
			}
		}
		if len(names) > 0 {
			c.Say("denied, because nobody could be asked: %s", strings.Join(names, ", "))
		}
		personcmd.SayAllowing(c, res.Denied, s.place)
	}
	sayFailed(c, res)
	kept := target.KeepWritten(c, s.flags.Output, s.place)
	if err != nil {
		c.Say("standard output: %s", disk.Cause(err))
		return console.ExitCode(console.ExitFailed)
	}
	if kept != nil {
		return kept
	}
	if code := res.Exit(); code != console.ExitOK {
		return console.ExitCode(code)
	}
	return nil
}
