package main

import (
	"os"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"

	"golem/cmd/cli/tui"
)

// inlines says whether a run shows its tree: where standard error is a terminal on which
// a person can be asked, and nothing asks for plain lines.
func (s *session) inlines() bool {
	h, f := s.host, s.flags
	return !f.plain && !f.quiet && !f.verbose && !f.headless && s.questions.Person != nil && h.escapes(h.err) && inForeground(h.err)
}

// inline is the front end of a run on a terminal.
func (s *session) inline(inst *core.Instance) {
	h := s.host
	u := &tui.Inline{
		Screen: h.err, Answers: h.out, Drawn: isTerminal(h.out), Env: os.Environ(),
		Size: func() (int, int) { return columns(h.err), rows(h.err) },
		Live: h.live(), Color: h.colors(h.err, s.flags),
		Notify: s.notice(inst),
		Leave: func() {
			if s.leave != nil {
				s.leave(fault.New(fault.Interrupted, "interrupted by the user"))
			}
		},
	}
	restore := func() {}
	if t, ok := s.questions.Person.(*terminal); ok {
		u.In, u.Out = t.in, t.out
		restore = unseen(t.in)
	}
	aside := u.Aside
	h.aside.Store(&aside)
	h.restore.Store(&restore)
	s.ui = u
	s.finish = func(res run.Result) error {
		defer h.aside.Store(nil)
		h.restore.Store(nil)
		restore()
		return u.Finish(res)
	}
}
