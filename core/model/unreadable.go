package model

import (
	"regexp"
	"strings"
	"sync"
)

// maxUnreadable is how much of a call that a provider could not read goes back
// to the model, in bytes.
const maxUnreadable = 16 << 10

// calledName finds a tool's name in a call that no provider could read.
var calledName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:"name"\s*:\s*"|<function[=/]|<tool_call>\s*|functions\.)([A-Za-z0-9_-]{1,64})`)
})

// unread is a tool call that a provider could not read.
type unread struct {
	text string // what the model said, "" if the provider does not give it
	says string // the provider's words
}

// unread returns the call that a complaint is about, nil if it is about none.
func (c complaint) unread(text func(string) string) *unread {
	if c.failed == "" {
		return nil
	}
	return &unread{c.failed, text(c.message)}
}

// unreadable returns the turn of a model whose tool call its provider could not read
// (Groq's tool_use_failed). The turn has a call that must not run, so that the model
// learns what was wrong and tries again.
func (m *remote) unreadable(u unread, said string, r Request) Turn {
	args := strings.ToValidUTF8(u.text[:min(len(u.text), maxUnreadable)], "")
	c := Call{Name: "unreadable_call", Args: args, Invalid: m.end.row.Name + " could not read it: " + u.says}
	if name := calledName().FindStringSubmatch(args); name != nil {
		c.Name = name[1]
	}
	t := Turn{Text: said, Calls: []Call{c}, Finish: "tool_calls", Model: m.name, Attempts: 1}
	ownIDs(r.Messages, t.Calls)
	t.Usage = guessed(m.past.estimate(r), t.Text, t.Calls)
	return t
}
