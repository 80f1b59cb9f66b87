package clearance

import (
	"context"

	"golem/core/fault"
)

// Remote sends branches to other repositories, with the login of the person who pushes.
type Remote interface {
	// Send sends a commit, which is the last one of a target's branch, to the target's
	// address. name is the target's name.
	Send(ctx context.Context, name string, to Target, commit string) error
}

// Sender is a Branch that can be sent to other repositories.
type Sender interface {
	// Send sends a commit, which is the last one of the branch, to the repository at an
	// address, with the person's own login.
	Send(ctx context.Context, address, commit string) error
}

// send sends the branch to which an item was pushed to the target's remote, if it has one. An
// error says that the commit stays.
func (s *Store) send(ctx context.Context, it Item) error {
	if it.State != Pushed || it.To == nil || it.To.Remote == "" {
		return nil
	}
	err := error(fault.New(fault.Platform, "golem cannot send to other repositories here"))
	if s.Remote != nil {
		err = s.Remote.Send(ctx, it.Target, *it.To, it.Commit)
	}
	if err == nil {
		return nil
	}
	f := *fault.Of(err, fault.Network)
	f.Message = "the commit is on the branch " + fault.Brief(it.To.Branch) + ", and was not sent to " + fault.Brief(it.To.Remote) + ": " + f.Message
	if f.Hint == "" {
		f.Hint = "the item is done; send the branch with git push"
	}
	return &f
}
