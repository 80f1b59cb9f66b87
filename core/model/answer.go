package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// answer is an answer that is put together from the events of a stream. The decoders of
// the other protocols embed it.
type answer struct {
	provider  string
	text      answerText
	reasoning reasoning
	refusal   strings.Builder
	calls     []*pending
	lists     int    // how many deltas and messages came; each has at most one list of calls
	pieces    int    // how many pieces of text, of a refusal and of calls came
	whole     bool   // calls come from a "message", which repeats everything so far
	finish    string // in the words of Turn.Finish, "" until the provider says it
	reason    string // in the provider's words
	usage     *Usage
	choices   bool // the provider sent at least one
	kept      carrier
	items     itemList
	ran       []ServerCall // at the provider
	paused    bool         // the provider wants the answer back, to go on with it
	mustEnd   bool         // [DONE] does not complete the answer: the protocol has its own last event
	clean     func(string) string
	size      func(Request) int // an estimate of the request, in tokens
	show      func(Delta)
}

// answerText is the text of an answer.
type answerText struct {
	all     strings.Builder // as it came
	visible strings.Builder // without reasoning in tags
	tags    tags
	halves  halves
}

// itemList is what came, in order, in protocols whose answers are lists (Responses,
// Anthropic); a call is a callItem.
type itemList struct {
	all      []json.RawMessage
	thoughts []json.RawMessage // reasoning that nothing follows yet
	stateful bool              // all goes back to the provider
}

// add adds one event to the answer and passes its text to show.
func (a *answer) add(raw []byte) error {
	var c chunk
	if err := a.read(raw, &c); err != nil {
		return err
	}
	if c.complains() {
		return complain(raw).broken(a.clean)
	}
	usage := c.Usage
	if !given(usage) && c.XGroq != nil {
		usage = c.XGroq.Usage
	}
	for _, choice := range c.Choices {
		if !given(usage) {
			usage = choice.Usage
		}
	}
	counted := readCounts(usage)
	if u, ok := counted.usage(); ok {
		a.usage = &u
	}
	a.reasoning.count(counted)
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

// add appends an item; nil stands for the next call. It holds reasoning back until
// something follows, because the provider would refuse reasoning at the end, as in an
// answer that was cut.
func (i *itemList) add(raw json.RawMessage, reasoning bool) {
	if reasoning {
		i.thoughts = append(i.thoughts, raw)
		return
	}
	if raw == nil {
		raw = json.RawMessage(callItem)
	}
	i.stateful = i.stateful || len(i.thoughts) > 0
	i.all = append(append(i.all, i.thoughts...), raw)
	i.thoughts = nil
}

// choice adds a choice: its delta, then what its message has beyond that. Perplexity
// sends the whole text so far as a message beside each delta.
func (a *answer) choice(c choice) error {
	if err := a.piece(c.Delta, false); err != nil {
		return err
	}
	if err := a.piece(c.Message, true); err != nil {
		return err
	}
	a.say(str(c.Text))
	if given(c.Error) {
		if says := complain([]byte(`{"error":` + string(c.Error) + `}`)); says.message != "" || says.status != 0 {
			return says.broken(a.clean)
		}
	}
	reason := str(c.Finish)
	if reason == "" || reason == "null" {
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

// piece adds a delta or, if whole is true, a message, which repeats everything so far:
// of a message only what is new counts.
func (a *answer) piece(raw json.RawMessage, whole bool) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var p piece
	if err := a.read(raw, &p); err != nil {
		return err
	}
	text := content(a.text.halves.join(p.Content))
	if whole {
		rest, more := strings.CutPrefix(text, a.text.all.String())
		if !more {
			rest = ""
		}
		text = rest
	}
	a.say(text)
	if refusal := str(p.Refusal); refusal != "" && (!whole || a.refusal.Len() == 0) {
		a.refusal.WriteString(refusal)
		a.pieces++
	}
	a.showReasoning(a.reasoning.reasoningIn(p, whole))
	a.kept.add(raw)
	if p.Function.says() && len(p.ToolCalls) == 0 {
		p.ToolCalls = []fragment{{Index: "0", Function: *p.Function}}
	}
	if whole && len(p.ToolCalls) > 0 {
		if len(a.calls) > 0 && !a.whole {
			return nil // the deltas have these calls already
		}
		a.calls, a.whole = nil, true
	}
	a.lists++
	for _, f := range p.ToolCalls {
		if string(f.raw) == "null" {
			continue
		}
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
	a.text.all.WriteString(text)
	a.pieces++
	visible, thought := a.text.tags.read(text)
	a.reasoning.came = a.reasoning.came || a.text.tags.blocks > 0
	a.showReasoning(thought)
	a.showText(visible)
}

func (a *answer) showText(text string) {
	a.text.visible.WriteString(text)
	if text != "" && a.show != nil {
		a.show(Delta{Text: text})
	}
}
