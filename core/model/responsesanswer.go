package model

import (
	"encoding/json"
	"strconv"
	"strings"
)

// responsesAnswer is the decoder of a stream of Responses.
type responsesAnswer struct {
	*answer
	done     map[string]bool // the finished items that were streamed, by index and ids
	ids      map[string]bool // the ids of those items
	places   map[string]bool // the indexes of those items
	unclear  bool            // indexes are missing, or one stands for several items
	finished string          // the text of the messages that are complete
}

// responsesEvent is one event, or, without a type, a whole response, as far as
// golem reads it.
type responsesEvent struct {
	Type     json.RawMessage `json:"type"`
	Object   json.RawMessage `json:"object"`
	Delta    json.RawMessage `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Index    json.Number     `json:"output_index"`
	Response json.RawMessage `json:"response"`
	Error    json.RawMessage `json:"error"`
	Message  json.RawMessage `json:"message"`
}

// response is the state of the whole answer, in its last event.
type response struct {
	Status     json.RawMessage                  `json:"status"`
	Error      json.RawMessage                  `json:"error"`
	Incomplete struct{ Reason json.RawMessage } `json:"incomplete_details"`
	Output     []json.RawMessage                `json:"output"`
	Usage      json.RawMessage                  `json:"usage"`
}

func (a *responsesAnswer) add(raw []byte) error {
	var e responsesEvent
	if err := a.read(raw, &e); err != nil {
		return err
	}
	switch typ := str(e.Type); {
	case typ == "" && str(e.Object) == "response":
		return a.end(raw)
	case typ == "error", typ == "" && (given(e.Error) || str(e.Message) != ""):
		return complain(raw).broken(a.clean)
	case typ == "response.output_text.delta":
		a.choices = true
		a.say(str(a.text.halves.join(e.Delta)))
	case typ == "response.refusal.delta":
		a.refusal.WriteString(str(e.Delta))
	case strings.HasPrefix(typ, "response.reasoning"):
		a.reasoned(typ, e.Delta)
	case typ == "response.output_item.done":
		return a.streamed(string(e.Index), e.Item)
	case typ == "response.completed", typ == "response.incomplete", typ == "response.failed", typ == "response.cancelled":
		return a.end(e.Response)
	}
	return nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// outputItem is a finished item of the output.
type outputItem struct {
	Type      json.RawMessage `json:"type"`
	ID        json.RawMessage `json:"id"`
	CallID    json.RawMessage `json:"call_id"`
	Content   []struct{ Type, Text, Refusal json.RawMessage }
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Encrypted json.RawMessage `json:"encrypted_content"`
	Summary   json.RawMessage `json:"summary"` // of reasoning
}

// known returns the ids of an item, which the last event repeats.
func (it *outputItem) known() []string {
	var out []string
	for _, id := range []string{str(it.ID), str(it.CallID)} {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}

// streamed adds a finished item, once. Some servers send no output_index, or 0 for
// every item, and some send items without ids.
func (a *responsesAnswer) streamed(index string, raw json.RawMessage) error {
	var it outputItem
	if err := a.read(raw, &it); err != nil {
		return err
	}
	if a.done == nil {
		a.done, a.ids, a.places = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	known := it.known()
	key := index + " " + strings.Join(known, " ")
	if len(known) == 0 {
		key += string(raw)
	}
	if a.done[key] {
		return nil
	}
	a.done[key] = true
	a.unclear = a.unclear || index == "" || a.places[index]
	a.places[index] = true
	for _, id := range known {
		a.ids[id] = true
	}
	return a.item(&it, raw)
}

// repeated reports whether a member of the last event's output was streamed before.
func (a *responsesAnswer) repeated(place int, it *outputItem) bool {
	for _, id := range it.known() {
		if a.ids[id] {
			return true
		}
	}
	if a.unclear {
		return place < len(a.done)
	}
	return a.places[strconv.Itoa(place)]
}

// item adds a finished item, which repeats everything that its deltas said.
func (a *responsesAnswer) item(it *outputItem, raw json.RawMessage) error {
	a.choices = true
	switch str(it.Type) {
	case "message":
		a.message(it)
		a.items.add(raw, false)
	case "function_call", "custom_tool_call":
		args := it.Arguments
		if str(it.Type) == "custom_tool_call" {
			args = it.Input
		}
		text, sound := argsText(args)
		return a.called(str(it.CallID), str(it.Name), text, sound)
	case "reasoning":
		a.reasoning.came = true
		if a.reasoning.text.Len() == 0 { // else its deltas came
			a.showReasoning(summary(it.Summary))
		}
		if given(it.Encrypted) { // OpenAI stores nothing, so it cannot read other reasoning again
			a.items.add(raw, true)
		}
	default:
		if s, ran := responsesServed(raw); ran {
			a.serve(s)
		}
		a.items.add(raw, false)
	}
	return nil
}

// reasoned reads an event about reasoning: a piece of it, or of its summary, which has
// several parts.
func (a *responsesAnswer) reasoned(typ string, delta json.RawMessage) {
	a.reasoning.came = true
	switch typ {
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		a.showReasoning(str(a.reasoning.halves.join(delta)))
	case "response.reasoning_summary_part.added":
		if a.reasoning.text.Len() > 0 {
			a.showReasoning("\n\n")
		}
	}
}

// summary returns the text of the summary of a finished reasoning.
func summary(raw json.RawMessage) string {
	var all []struct{ Text json.RawMessage }
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	texts := make([]string, len(all))
	for i, part := range all {
		texts[i] = str(part.Text)
	}
	return strings.Join(texts, "\n\n")
}

// message adds the text of a finished message that the deltas did not bring.
func (a *responsesAnswer) message(it *outputItem) {
	var text strings.Builder
	for _, part := range it.Content {
		text.WriteString(str(part.Text))
		if refusal := str(part.Refusal); a.refusal.Len() == 0 {
			a.refusal.WriteString(refusal)
		}
	}
	a.finished += text.String()
	if rest, more := strings.CutPrefix(a.finished, a.text.all.String()); more {
		a.say(rest)
	}
}

// end reads the last event: the usage, the status, and items that were not streamed.
func (a *responsesAnswer) end(raw json.RawMessage) error {
	var r response
	if err := a.read(raw, &r); err != nil {
		return err
	}
	c := readCounts(r.Usage)
	if u, ok := (counts{"prompt_tokens": c["input_tokens"], "completion_tokens": c["output_tokens"],
		"total_tokens": c["total_tokens"], "cached_tokens": c["input_tokens_details.cached_tokens"]}).usage(); ok {
		a.usage = &u
	}
	a.reasoning.count(c)
	if given(r.Error) {
		return complain(r.Error).broken(a.clean)
	}
	for i, raw := range r.Output {
		var it outputItem
		if err := a.read(raw, &it); err != nil {
			return err
		}
		if a.repeated(i, &it) {
			continue
		}
		if err := a.item(&it, raw); err != nil {
			return err
		}
	}
	a.choices = true
	switch reason := str(r.Incomplete.Reason); {
	case reason != "":
		a.finish, a.reason = finish(reason), reason
	case str(r.Status) == "failed" || str(r.Status) == "cancelled":
		return broken(a.provider+" ended early: the response "+str(r.Status), nil)
	default:
		a.finish = "stop"
	}
	return nil
}
