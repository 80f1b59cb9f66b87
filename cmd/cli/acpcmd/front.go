package acpcmd

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"golem/core"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"

	clisession "golem/cmd/cli/session"
)

// front shows a session to the client. It outlives the session's chats.
type front struct {
	session *session
	began   atomic.Bool // a chat of the session has begun

	mu    sync.Mutex
	calls map[string]*call // that run
	// turn says that something of the answer to this prompt was sent, gap that it ends with an
	// empty line, and apart that what follows must be apart from it.
	turn, gap, apart bool
	streamed         bool // a part of the root's answer in this turn was sent
	round            int  // how often the chat went back: ids of calls come again then
}

func newFront(s *session) *front { return &front{session: s, calls: map[string]*call{}} }

// talking is the front end of one chat.
type talking struct {
	*front
	chat *chat
}

var _ ui.UI = (*talking)(nil)

// Prompt ends the answer to the prompt before, and waits for the next one.
func (t *talking) Prompt(ctx context.Context) (run.Input, error) {
	s := t.session
	if p := s.current(); p != nil && p.taken.Load() {
		t.closing()
		p.finish(nil)
	}
	for {
		select {
		case <-ctx.Done():
			return run.Input{}, io.EOF
		case do := <-t.chat.jobs:
			do(t.chat.live)
		case p := <-t.chat.prompts:
			p.handOver()
			t.begins()
			if p.ctx.Err() != nil { // cancelled before anything was done
				p.finish(nil)
				continue
			}
			return p.input, nil
		}
	}
}

// begins is called before a prompt is answered.
func (f *front) begins() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.turn, f.gap, f.apart, f.streamed = false, false, false, false
}

// host is the program that a chat runs in: its exchanges end with their prompts.
type host struct {
	core.PlainChat
	session *session
	chat    *chat
	inst    *core.Instance
}

var _ core.ChatHost = (*host)(nil)

// Opened keeps the session, with what the client has chosen before.
func (h *host) Opened(live *run.Session) {
	s := h.session
	s.mu.Lock()
	h.chat.live = live
	p := s.permission
	s.mu.Unlock()
	if p != "" {
		if err := live.Approvals().Permit(p); err != nil {
			live.Say("warn", fault.Of(err, fault.Usage).Text())
		}
	}
}

// Exchange returns the context of the prompt that is answered.
func (h *host) Exchange(ctx context.Context) (within context.Context, stop func()) {
	p := h.session.current()
	if p == nil {
		return ctx, func() {}
	}
	return joined(ctx, p.ctx)
}

// joined returns a context that ends with any of two, with the cause of the one that ended.
func joined(a, b context.Context) (context.Context, func()) {
	out, stop := context.WithCancelCause(a)
	leave := context.AfterFunc(b, func() { stop(context.Cause(b)) })
	return out, func() { leave(); stop(nil) }
}

// Command carries out the commands that need this machine.
func (h *host) Command(ctx context.Context, live *run.Session, cmd ui.Command) (string, error) {
	if !hosted(cmd.Name) {
		return "", fault.New(fault.Usage, "/%s is a command of the terminal", cmd.Name).Hinting("%s", instead(cmd.Name))
	}
	return clisession.Command(ctx, h.session.root.console, h.inst, h.session.root.place, live, cmd)
}

// instead says how a person does in an editor what a command does in the terminal.
func instead(name ui.CommandName) string {
	switch name {
	case ui.Resume:
		return "the editor opens another conversation"
	case ui.Attach:
		return "the editor adds files to a message"
	}
	return "golem chat has it"
}

// note keeps an error of the exchange for the answer to the prompt.
func (f *front) note(b trace.Error) {
	if p := f.session.current(); p != nil {
		p.fail(&fault.Fault{Code: b.Code, Message: b.Message, Where: b.Where, Hint: b.Hint})
	}
}

// entryFiles returns what the entry sees.
func (f *front) entryFiles() shownFiles {
	s := f.session
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files
}
