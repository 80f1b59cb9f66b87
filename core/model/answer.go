package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
)

// maxCalls bounds the tool calls of one answer (SECURITY 12).
const maxCalls = 256

// noText is why a call does not run whose arguments hold what is not text.
const noText = "the arguments contain bytes that are not UTF-8"

// pending is a tool call that is still arriving.
type pending struct {
	index   string // the provider's, "" if it gives none
	id      string
	name    string
	args    strings.Builder
	invalid string // why it must not run
	kept    carrier
}

// answer puts a stream of chat completions together.
type answer struct {
	provider string
	text     strings.Builder
	refusal  strings.Builder
	thinking bool // reasoning came
	calls    []*pending
	whole    bool   // calls are those of a "message", which says all so far
	finish   string // in the words of Turn.Finish, "" until the provider says it
	reason   string // in the provider's words
	usage    *Usage
	choices  bool // the provider sent at least one
	kept     carrier
	output   []json.RawMessage // what came, in order, of protocols whose answers are lists; calls as callItem
	stateful bool              // output goes back to the provider
	mustEnd  bool              // [DONE] ends nothing: the protocol has an end of its own
	finished string            // the text of the finished parts of output
	clean    func(string) string
	size     func(Request) int // an estimate of the request, in tokens
	show     func(string)
}

// add takes one event in and shows its text.
func (a *answer) add(raw []byte) error {
	var c chunk
	if err := a.read(raw, &c); err != nil {
		return err
	}
	if c.complains() {
		return complain(raw).broken(a.clean)
	}
	usage := c.Usage
	if len(usage) == 0 && c.XGroq != nil {
		usage = c.XGroq.Usage
	}
	for _, choice := range c.Choices {
		if len(usage) == 0 {
			usage = choice.Usage
		}
	}
	if u, ok := readCounts(usage).usage(); ok {
		a.usage = &u
	}
	for _, choice := range c.Choices {
		if choice.Index != "" && choice.Index != "0" {
			continue
		}
		a.choices = true
		if err := a.choice(choice); err != nil {
			return err
		}
	}
	return nil
}

// read decodes an event, or a part of one.
func (a *answer) read(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return malformed(a.clean, raw, err)
	}
	return nil
}

// listed adds to the answer's list, for protocols that have one; nil is the next
// call. What stateful says goes back to the provider.
func (a *answer) listed(raw json.RawMessage, stateful bool) {
	if raw == nil {
		raw = json.RawMessage(callItem)
	}
	a.output = append(a.output, raw)
	a.stateful = a.stateful || stateful
}

// choice takes in a delta, then a message: what that says goes beyond what is
// known. Perplexity repeats the whole text so far beside each delta.
func (a *answer) choice(c choice) error {
	if err := a.piece(c.Delta, false); err != nil {
		return err
	}
	if err := a.piece(c.Message, true); err != nil {
		return err
	}
	a.say(str(c.Text))
	reason := str(c.Finish)
	if reason == "" {
		return nil
	}
	a.finish, a.reason = finish(reason), reason
	if native := str(c.Native); native != "" {
		a.reason = native
	}
	if a.finish == "error" {
		return broken(fmt.Sprintf("%s stopped with an error (finish reason %s)", a.provider, a.clean(reason)), nil)
	}
	return nil
}

// piece takes in a delta, or a message, which holds all there is so far.
func (a *answer) piece(raw json.RawMessage, whole bool) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var p piece
	if err := a.read(raw, &p); err != nil {
		return err
	}
	text := content(p.Content)
	if whole {
		rest, more := strings.CutPrefix(text, a.text.String())
		if !more {
			rest = ""
		}
		text = rest
	}
	a.say(text)
	if !whole || a.refusal.Len() == 0 {
		a.refusal.WriteString(str(p.Refusal))
	}
	a.thinking = a.thinking || str(p.Reasoning) != "" || str(p.Thought) != ""
	a.kept.add(raw)
	if p.Function != nil && len(p.ToolCalls) == 0 {
		p.ToolCalls = []fragment{{Index: "0", Function: *p.Function}}
	}
	if whole && len(p.ToolCalls) > 0 {
		if len(a.calls) > 0 && !a.whole {
			return nil // the deltas said it
		}
		a.calls, a.whole = nil, true
	}
	for _, f := range p.ToolCalls {
		if err := a.fragment(f); err != nil {
			return err
		}
	}
	return nil
}

func (a *answer) say(text string) {
	if text == "" {
		return
	}
	a.text.WriteString(text)
	if a.show != nil {
		a.show(text)
	}
}

// fragment adds to the call it belongs to, or begins one.
func (a *answer) fragment(f fragment) error {
	id, name, args := str(f.ID), str(f.Function.Name), f.Function.Arguments
	if len(f.Custom.Name) > 0 || len(f.Custom.Input) > 0 { // a tool that takes any text
		name, args = str(f.Custom.Name), f.Custom.Input
	}
	c := a.find(string(f.Index), id, name)
	if c == nil {
		var err error
		if c, err = a.next(string(f.Index), id); err != nil {
			return err
		}
	}
	if c.id == "" {
		c.id = id
	}
	if name != c.name { // some providers repeat it in each fragment
		c.name += name
	}
	text, sound := argsText(args)
	if !sound {
		c.invalid = noText
	}
	c.args.WriteString(text)
	c.kept.add(f.raw)
	return nil
}

// next begins a call.
func (a *answer) next(index, id string) (*pending, error) {
	if len(a.calls) == maxCalls {
		return nil, (&failure{message: fmt.Sprintf("the answer has more than %d tool calls", maxCalls)}).fault(fault.Model, "")
	}
	c := &pending{index: index, id: id, kept: carrier{names: a.kept.names}}
	a.calls = append(a.calls, c)
	return c, nil
}

// find decides which call a fragment continues; nil begins a new one. The
// index decides, but some providers give none, or 0 to every call: then a
// fragment with a name and another id, or a name after complete arguments,
// begins a call.
func (a *answer) find(index, id, name string) *pending {
	var c *pending
	for i := len(a.calls) - 1; i >= 0 && c == nil; i-- {
		p := a.calls[i]
		switch {
		case index != "" && p.index == index, index == "" && id != "" && p.id == id:
			c = p
		case index == "" && id == "" && i == len(a.calls)-1:
			c = p
		}
	}
	if c == nil || name == "" || c.name == "" {
		return c
	}
	if id != "" && c.id != "" {
		if id != c.id {
			return nil
		}
		return c
	}
	if id == "" && closed(c.args.String()) {
		return nil
	}
	return c
}

// closed reports whether arguments are complete. Long ones are not looked
// through, which a hostile stream could demand for each of its fragments.
func closed(args string) bool {
	return len(args) <= 64<<10 && strings.HasSuffix(args, "}") && json.Valid([]byte(args))
}
