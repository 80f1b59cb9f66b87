package session

import (
	"golem/core"
	"golem/core/fault"
	"golem/core/run"

	"golem/cmd/cli/asking"
	"golem/cmd/cli/console"
)

// inlines reports whether a run shows its tree: standard error must be a terminal on
// which a person can be asked, and no flag may ask for plain lines.
func (s *Session) inlines() bool {
	return !s.flags.Quiet && !s.flags.Verbose && !s.flags.Headless && asking.Draws(s.Console, s.flags.Plain, s.questions.Person)
}

// inline sets the front end that shows the tree of a run for this session.
func (s *Session) inline(inst *core.Instance) {
	c := s.Console
	u, restore := asking.Inline(c, s.questions.Person, s.flags.NoColor, func() {
		if s.leave != nil {
			s.leave(fault.New(fault.Interrupted, "interrupted by the user"))
		}
	})
	u.Notify = s.notice(inst)
	c.Attach(&console.Front{Aside: u.Aside, Restore: restore, Passing: u.Ending})
	s.UI = u
	s.finish = func(res run.Result) error {
		defer c.Attach(nil)
		c.Attach(&console.Front{Aside: u.Aside})
		restore()
		return u.Finish(res)
	}
}
