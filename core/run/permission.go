package run

import (
	"golem/core/approval"
	"golem/core/trace"
)

// Approvals changes what a session asks a person about. Its methods may be called from any
// goroutine, also during an exchange.
type Approvals struct{ session *Session }

// Approvals returns the session's Approvals.
func (s *Session) Approvals() Approvals { return Approvals{s} }

// DropRule makes a rule that the person has removed from their configuration count no more
// in this session.
func (a Approvals) DropRule(r approval.Rule) { a.session.tree.r.Gate.Drop(r) }

// Permit sets what the workers of the session may do from now on without asking.
func (a Approvals) Permit(p approval.Permission) error {
	t := a.session.tree
	if err := t.r.Gate.Permit(p); err != nil {
		return err
	}
	said := trace.Permission{Permission: string(p)}
	early := said
	early.Early = true
	t.events.emitShown(a.session.run.event(said), early)
	return nil
}
