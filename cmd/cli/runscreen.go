package main

import (
	"os"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/ui"

	"golem/cmd/cli/tui"
)

// inlines reports whether a run shows its tree: standard error must be a terminal on
// which a person can be asked, and no flag may ask for plain lines.
func (s *session) inlines() bool { return s.host.draws(s.flags, s.questions.Person) }

// draws reports whether a question may be drawn, instead of printed in plain lines.
func (h *host) draws(f *flags, person ui.Person) bool {
	return !f.plain && !f.quiet && !f.verbose && !f.headless && person != nil && h.escapes(h.err) && inForeground(h.err)
}

// inline sets the front end that shows the tree of a run for this session.
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

// inline returns a front end that draws on the person's terminal. Typed characters are
// not shown there until restore is called. leave is called for Ctrl+C at a question.
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
