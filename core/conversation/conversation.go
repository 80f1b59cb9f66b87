// Package conversation has what a worker run and its model have said to each other, as
// a value: the messages of the next request, the results of the calls so far, and
// counters. A conversation encodes as JSON and continues after it is decoded, so that
// it can be kept, resumed and moved. Which worker runs, and what it may use, is not
// part of it (package run).
package conversation

import (
	"slices"
	"sync"

	"golem/core/model"
	"golem/core/tool"
)

// Conversation is the conversation of one worker run, or of a chat until /new (S0-59).
// Make it with New, or decode it. Its owner is the goroutine that takes turns; only
// Find, CutText and Keep may be called while calls of a turn run.
type Conversation struct {
	// Name distinguishes it from the other conversations of a run: a script has a
	// position in each.
	Name     string          `json:"name"`
	Messages []model.Message `json:"messages"` // of the next request, the system prompt first
	Turns    int             `json:"turns"`    // model requests so far
	// Unsummed are messages that were dropped without a summary. The next summary has them.
	Unsummed []model.Message `json:"unsummed,omitempty"`
	// Calls counts the calls so far. The next one's id is made of Calls+1, so that
	// no two results have the same id.
	Calls    int       `json:"calls"`
	Repeats  Repeats   `json:"repeats"`
	Question *Question `json:"question,omitempty"` // neither a worker nor a message of the person has answered it yet
	Results  []Result  `json:"results,omitempty"`  // oldest first, see Keep

	mu sync.Mutex // guards Results
}

// Question is what a worker asked its caller instead of answering.
type Question struct {
	Worker  string   `json:"worker"` // ID of the worker that asked
	Text    string   `json:"question"`
	Options []string `json:"options,omitempty"` // answers to choose from
}

// New returns a conversation that begins with the given messages.
func New(name string, messages ...model.Message) *Conversation {
	return &Conversation{Name: name, Messages: messages}
}

// Add appends messages to the next request.
func (c *Conversation) Add(messages ...model.Message) {
	c.Messages = append(c.Messages, messages...)
}

// TakeBack removes the person's last message, unless the model has answered it. If only
// the system prompt and notes are left, it removes them too, because the next message is
// the first and makes the system prompt.
func (c *Conversation) TakeBack() {
	for i := len(c.Messages) - 1; i >= 0 && c.Messages[i].Role == model.User; i-- {
		if c.Messages[i].Inner {
			continue
		}
		c.Messages = slices.Concat(c.Messages[:i], c.Messages[i+1:])
		said := func(m model.Message) bool { return m.Role != model.System && !m.Inner || m.Summary }
		if !slices.ContainsFunc(c.Messages, said) {
			c.Messages = nil
		}
		return
	}
}

// Result is what one call returned.
type Result struct {
	ID     string `json:"id"`               // of the call, in the trace
	Tool   string `json:"tool"`             // as it was called
	Worker string `json:"worker,omitempty"` // ID of the worker that the call ran; "": it ran a tool
	Text   string `json:"text"`
	Cut    bool   `json:"cut,omitempty"` // the model has seen only the beginning
}

// maxKept bounds the results that a conversation keeps, in bytes of their texts.
const maxKept = 32 << 20

// Keep appends a result. Beyond 32 MiB of text the oldest results are dropped, but
// never the latest one.
func (c *Conversation) Keep(r Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Results = append(c.Results, r)
	size := 0
	for i := len(c.Results) - 1; i >= 0; i-- {
		size += len(c.Results[i].Text)
		if size > maxKept && i < len(c.Results)-1 {
			clear(c.Results[:i+1])
			c.Results = c.Results[i+1:]
			return
		}
	}
}

// Find returns the results that the names stand for: name by name, in call order, each
// once. refersTo reports whether a reference stands for a worker (SPEC §2). missing is
// the first name that stands for no result; then found is nil.
func (c *Conversation) Find(names []string, refersTo func(ref, worker string) bool) (found []Result, missing string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]bool{} // by call id
	for _, name := range names {
		known := false
		for _, r := range c.Results {
			if !r.goesBy(name, refersTo) {
				continue
			}
			known = true
			if !seen[r.ID] {
				seen[r.ID] = true
				found = append(found, r)
			}
		}
		if !known {
			return nil, name
		}
	}
	return found, ""
}

// goesBy reports whether a name stands for the result: the call's id, the tool's name,
// or a reference to the worker, however it was called (SPEC §5).
func (r Result) goesBy(name string, refersTo func(ref, worker string) bool) bool {
	switch {
	case name == r.ID, name == r.Tool, tool.ToolName(name) == r.Tool:
		return true
	case r.Worker == "":
		return false
	}
	return name == r.Worker || name == tool.ToolName(r.Worker) || refersTo(name, r.Worker)
}

// Label returns the name of the result for another worker that gets it.
func (r Result) Label() string {
	if r.Worker != "" {
		return r.Worker
	}
	return r.Tool
}

// CutText returns the whole text of a call's result that was cut; ok is false if
// there is none.
func (c *Conversation) CutText(id string) (text string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.Results {
		if r.ID == id && r.Cut {
			return r.Text, true
		}
	}
	return "", false
}
