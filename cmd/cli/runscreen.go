package main

import (
	"os"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/tui"
)

// inlines says whether a run shows its tree: where standard error is a terminal on which
// a person can be asked, and nothing asks for plain lines.
func (s *session) inlines() bool { return s.host.draws(s.flags, s.questions.Person) }

// draws says whether a question to a person may be drawn, instead of plain lines.
func (h *host) draws(f *flags, person ui.Person) bool {
	return !f.plain && !f.quiet && !f.verbose && !f.headless && person != nil && h.escapes(h.err) && inForeground(h.err)
}

// inline is the front end of a run on a terminal.
func (s *session) inline(inst *core.Instance) {
	h := s.host
	u, restore := h.inline(s.flags, s.questions.Person, func() {
		if s.leave != nil {
			s.leave(fault.New(fault.Interrupted, "interrupted by the user"))
		}
	})
	u.Notify = s.notice(inst)
	aside := u.Aside
	h.aside.Store(&aside)
	h.restore.Store(&restore)
	passing := u.Ending
	h.passing.Store(&passing)
	s.ui = u
	s.finish = func(res run.Result) error {
		defer h.aside.Store(nil)
		h.passing.Store(nil)
		h.restore.Store(nil)
		restore()
		return u.Finish(res)
	}
}

// inline draws on the terminal of a person, on which nothing that is typed is seen until
// restore. leave is called for Ctrl+C at a question.
func (h *host) inline(f *flags, person ui.Person, leave func()) (u *tui.Inline, restore func()) {
	u = &tui.Inline{
		Screen: h.err, Answers: h.out, Drawn: isTerminal(h.out), Env: os.Environ(),
		Size: func() (int, int) { return columns(h.err), rows(h.err) },
		Live: h.live(), Color: h.colors(h.err, f), Leave: leave,
	}
	restore = func() {}
	if t, ok := person.(*terminal); ok {
		u.In, u.Out = t.in, t.out
		restore = unseen(t.in)
	}
	return u, restore
}
