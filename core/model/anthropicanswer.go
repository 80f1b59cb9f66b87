package model

import (
	"encoding/json"
	"strings"
)

// anthropicAnswer is the decoder of a stream of Anthropic's Messages.
type anthropicAnswer struct {
	*answer
	blocks map[string]*block // by their index, while they arrive
	begun  []string          // the indexes of all blocks, in the order in which they began
	counts counts
	stop   string // the stop reason; message_stop makes it the finish reason
	// serving has the places in ran of the calls whose results are still to come, by their id.
	serving map[string]int
}

// block is a block of the answer that is still arriving.
type block struct {
	first     fields // the block in content_block_start
	text      strings.Builder
	input     json.RawMessage // of a call, if it came whole
	args      strings.Builder
	signature strings.Builder
	unsound   bool   // args has bytes that are not text
	halves    halves // of text or args
}

// anthropicEvent is one event, or a whole message, as far as golem reads it.
type anthropicEvent struct {
	Type    json.RawMessage   `json:"type"`
	Index   json.Number       `json:"index"`
	Message json.RawMessage   `json:"message"`
	Block   json.RawMessage   `json:"content_block"`
	Delta   json.RawMessage   `json:"delta"`
	Usage   json.RawMessage   `json:"usage"`
	Content []json.RawMessage `json:"content"`     // of a whole message
	Stop    json.RawMessage   `json:"stop_reason"` // of a whole message, too
	Details json.RawMessage   `json:"stop_details"`
}

func (a *anthropicAnswer) add(raw []byte) error {
	var e anthropicEvent
	if err := a.read(raw, &e); err != nil {
		return err
	}
	switch str(e.Type) {
	case "message_start":
		var m anthropicEvent
		if err := a.read(e.Message, &m); err != nil {
			return err
		}
		a.count(m.Usage)
	case "content_block_start":
		return a.begin(string(e.Index), e.Block)
	case "content_block_delta":
		return a.addDelta(string(e.Index), e.Delta)
	case "content_block_stop":
		return a.close(string(e.Index))
	case "message_delta":
		a.count(e.Usage)
		return a.stopped(e.Delta)
	case "message_stop":
		a.choices = true
		for _, index := range a.begun { // some gateways do not close them
			if err := a.close(index); err != nil {
				return err
			}
		}
		a.finish, a.reason = finish(a.stop), a.stop
	case "message":
		return a.whole(e, raw)
	case "error":
		return complain(raw).broken(a.clean)
	default:
		if c := complain(raw); c.message != "" && str(e.Type) == "" {
			return c.broken(a.clean)
		}
	}
	return nil
}

// stopped reads the stop reason and, if the model refused, its explanation.
func (a *anthropicAnswer) stopped(delta json.RawMessage) error {
	var d anthropicEvent
	if err := a.read(delta, &d); err != nil {
		return err
	}
	if reason := str(d.Stop); reason != "" {
		a.stop, a.reason, a.paused = reason, reason, reason == "pause_turn"
	}
	var details struct{ Explanation, Category json.RawMessage }
	if a.stop == "refusal" && json.Unmarshal(d.Details, &details) == nil {
		for _, why := range []string{str(details.Explanation), str(details.Category)} {
			if why != "" && a.refusal.Len() == 0 {
				a.refusal.WriteString(why)
			}
		}
	}
	return nil
}

// count reads numbers of tokens; later numbers replace earlier ones. Anthropic counts
// input that was read from its cache, or written to it, separately from the rest.
func (a *anthropicAnswer) count(raw json.RawMessage) {
	if a.counts == nil {
		a.counts = counts{}
	}
	for name, n := range readCounts(raw) {
		if n > 0 || a.counts[name] == 0 { // some gateways send 0 for the numbers that an event does not have
			a.counts[name] = n
		}
	}
	c := a.counts
	a.reasoning.count(c)
	cached, written := c["cache_read_input_tokens"], c["cache_creation_input_tokens"]
	u := Usage{In: c["input_tokens"] + cached + written, Out: c["output_tokens"], Cached: cached, Written: written}
	if _, said := c["output_tokens"]; said && u.In+u.Out > 0 {
		a.usage = &u
	}
}

func (a *anthropicAnswer) begin(index string, raw json.RawMessage) error {
	b := &block{}
	if err := a.read(raw, &b.first); err != nil {
		return err
	}
	if err := a.close(index); err != nil {
		return err
	}
	a.blocks[index], a.choices = b, true
	a.begun = append(a.begun, index)
	switch str(b.first["type"]) {
	case "text":
		text := str(b.first["text"])
		b.text.WriteString(text)
		a.say(text)
	case "thinking":
		text := str(b.first["thinking"])
		b.text.WriteString(text)
		a.reasoning.came = true
		a.showReasoning(text)
		b.signature.WriteString(str(b.first["signature"]))
	case "tool_use":
		b.input = b.first["input"]
	}
	return nil
}

func (a *anthropicAnswer) addDelta(index string, raw json.RawMessage) error {
	b := a.blocks[index]
	if b == nil {
		return nil // the block never began
	}
	var d struct {
		Type, Text, Thinking, Signature json.RawMessage
		Partial                         json.RawMessage `json:"partial_json"`
	}
	if err := a.read(raw, &d); err != nil {
		return err
	}
	switch str(d.Type) {
	case "text_delta":
		text := str(b.halves.join(d.Text))
		b.text.WriteString(text)
		a.say(text)
	case "thinking_delta":
		text := str(b.halves.join(d.Thinking))
		b.text.WriteString(text)
		a.showReasoning(text)
	case "signature_delta":
		b.signature.WriteString(str(d.Signature))
	case "input_json_delta":
		text, sound := argsText(b.halves.join(d.Partial))
		if !sound {
			b.unsound = true
		}
		b.args.WriteString(text)
	}
	return nil
}

// close finishes a block and adds it to the answer. Thinking goes back with the history
// as it came.
func (a *anthropicAnswer) close(index string) error {
	b := a.blocks[index]
	if b == nil {
		return nil
	}
	delete(a.blocks, index)
	thinks := false
	switch typ := str(b.first["type"]); typ {
	case "tool_use":
		return a.call(b)
	case "text":
		if strings.TrimSpace(b.text.String()) == "" {
			return nil // the provider would refuse it in the history
		}
		b.first["text"] = quote(b.text.String())
	case "thinking":
		b.first["thinking"], b.first["signature"] = quote(b.text.String()), quote(b.signature.String())
		thinks = true
	case "redacted_thinking":
		thinks, a.reasoning.came = true, true
	case "server_tool_use":
		a.servedCall(b)
	default:
		if strings.HasSuffix(typ, "_tool_result") {
			a.servedResult(b)
		}
	}
	data, err := json.Marshal(b.first)
	if err != nil {
		return err
	}
	a.items.add(data, thinks)
	return nil
}

func (a *anthropicAnswer) call(b *block) error {
	args := b.args.String()
	if args == "" && given(b.input) && string(b.input) != "{}" { // every call begins with {}
		args = string(b.input)
	}
	return a.called(str(b.first["id"]), str(b.first["name"]), args, !b.unsound)
}

// whole reads a message that came as one document.
func (a *anthropicAnswer) whole(e anthropicEvent, raw json.RawMessage) error {
	a.count(e.Usage)
	for _, one := range e.Content {
		if err := a.begin("", one); err != nil {
			return err
		}
		if err := a.close(""); err != nil {
			return err
		}
	}
	if err := a.stopped(raw); err != nil {
		return err
	}
	a.choices = true
	a.finish, a.reason = finish(a.stop), a.stop
	return nil
}
