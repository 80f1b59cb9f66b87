package session

import (
	"context"
	"sync"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
)

// live is the session of a chat that is open, for what a person does while an exchange runs.
type live struct {
	mu      sync.Mutex
	session *run.Session // nil: the chat is not open yet
	// recall shows what was said before in a conversation; nil: it is a new one.
	recall func(id string)
}

// Opened keeps the session.
func (l *live) Opened(s *run.Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = s
	if l.recall != nil {
		l.recall(s.ID())
	}
}

// id returns the name of the conversation; "" if the chat is not open.
func (l *live) id() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == nil {
		return ""
	}
	return l.session.ID()
}

// model returns the model of the conversation; "" if none is chosen.
func (l *live) model() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == nil {
		return ""
	}
	return l.session.Model()
}

// Permit sets what workers may do without asking.
func (l *live) Permit(p approval.Permission) error {
	l.mu.Lock()
	s := l.session
	l.mu.Unlock()
	if s == nil {
		return fault.New(fault.Usage, "the chat is not open yet").Hinting("try again in a moment")
	}
	return s.Approvals().Permit(p)
}

var _ core.ChatHost = (*chatCommands)(nil)

// Opened gives the session to the screen.
func (c *chatCommands) Opened(s *run.Session) {
	if c.live != nil {
		c.live.Opened(s)
	}
}

// Exchange returns the context of an exchange, which Ctrl+C ends.
func (c *chatCommands) Exchange(ctx context.Context) (within context.Context, stop func()) {
	return c.exchanges.Begin(ctx)
}

// Said adds a line to the history.
func (c *chatCommands) Said(line string) {
	if c.history != nil {
		c.history.addLine(line)
	}
}

// CommandLine returns true.
func (c *chatCommands) CommandLine() bool { return true }

// Typed reports whether the person types on a terminal.
func (c *chatCommands) Typed() bool { return c.history != nil }

// Mentioned returns the files that a typed message names with @.
func (c *chatCommands) Mentioned(text string) (files []run.File, note string, err error) {
	if c.history == nil {
		return nil, "", nil
	}
	return c.history.mentioned(text)
}
