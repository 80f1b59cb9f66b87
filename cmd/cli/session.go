package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"
)

// session is the state of one run or chat on this host: its front end and its files.
type session struct {
	host      *host
	flags     *flags
	place     place
	questions ui.Questions

	target  string // TARGET as the person wrote it
	traced  string // the trace's file, if it can be read again
	writing *writing
	tree    bool               // a run may show its tree
	leave   func(*fault.Fault) // ends the run; nil: not yet known
	ui      ui.UI
	finish  func(run.Result) error
	options core.RunOptions
	closers []io.Closer
	cleanup func()
}

// open opens the files and the front end. It returns an error if a file that a flag
// names cannot be opened.
func (s *session) open(inst *core.Instance, chat bool) error {
	h, f := s.host, s.flags
	s.options.ID, s.options.Strict = core.NewRunID(time.Now()), f.strict
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
	switch {
	case f.json:
		s.options.Lines = s.jsonLines(chat)
	case s.tree && s.inlines():
		s.inline(inst)
	default:
		s.plain(chat)
	}
	if file != nil {
		s.closers = append(s.closers, file)
		s.options.Trace = file
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			s.traced = file.Name()
		}
		if file.folder != nil {
			s.options.Texts = file.keep
		}
	}
	return nil
}

// jsonLines sets the front end of --json, and returns the writer for the trace's lines,
// which are never cut.
func (s *session) jsonLines(chat bool) io.Writer {
	h := s.host
	j := &ui.JSON{W: h.out, Approver: s.questions}
	if chat {
		j.Input = h.messages()
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

// plain sets the front end that prints lines. The answer is part of the view only if
// standard error and standard output are one terminal.
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
		p.Input, p.Resumed = h.messages(), s.options.Resume != nil
		p.Prompts = isTerminal(h.in) && isTerminal(h.err) && !f.headless
	}
	s.ui = p
	s.finish = func(res run.Result) error {
		defer h.aside.Store(nil)
		return p.Finish(res)
	}
}

// maxFailures is how many failed workers are named at the end of a run.
const maxFailures = 5

// sayFailed prints the workers below the root that failed, because the answer may not
// mention them. With --strict it also prints why the exit code is 1.
func (h *host) sayFailed(res run.Result) {
	for i, f := range res.Failed {
		if i == maxFailures {
			h.say("and %d more workers failed (golem trace show lists them)", len(res.Failed)-i)
			break
		}
		h.say("the worker %s failed (call %s): %s", f.Worker, f.ID, oneLine(f.Error.Error()))
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
		h.say("--strict: %s", strings.Join(why, ", "))
	}
}

// oneTerminal reports whether two streams are the same terminal.
func oneTerminal(a, b *os.File) bool {
	if !isTerminal(a) || !isTerminal(b) {
		return false
	}
	ia, errA := a.Stat()
	ib, errB := b.Stat()
	return errA != nil || errB != nil || os.SameFile(ia, ib) || os.PathSeparator == '\\'
}

// close shows the result, closes the files and returns the exit code as an error.
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
		h.sayAllowing(res.Denied, s.place)
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
