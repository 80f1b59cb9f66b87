package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/prompt"
	"golem/core/trace"
)

// requestLimit returns how many tokens the next request of a worker to a model may have, and the
// reason; 0 if there is no limit. own says that the limit is max_context_tokens. An
// estimate is wrong by about 30 %, and the answer needs room, so a quarter of the tokens
// that a model is known to read stays free.
func requestLimit(w *project.Worker, m model.Model) (limit int, why string, own bool) {
	known := model.Context(m)
	if most := w.MaxContextTokens; most > 0 && (known == 0 || most <= known*3/4) {
		return most, fmt.Sprintf("max_context_tokens is %d", most), true
	}
	return known * 3 / 4, fmt.Sprintf("%s reads %d tokens", m.Name(), known), false
}

// nextSize estimates the tokens of the next request.
func (f *workerRun) nextSize() int {
	return f.size.Request(f.conversation.Messages, f.toolbox.offered(), f.output)
}

// compact drops the oldest messages before the next request if the request, tools
// included, would be larger than room allows (S0-59). A model that can summarise them
// does. If what must stay is too large for max_context_tokens, compact returns E_LIMIT
// and no request is made.
func (f *workerRun) compact(ctx context.Context) error {
	limit, why, own := requestLimit(f.worker, f.model)
	if limit <= 0 {
		return nil
	}
	size := f.nextSize()
	if size <= limit {
		return nil
	}
	drop, rest := f.conversation.Fit(limit, size)
	if rest > limit && own {
		return fault.New(fault.Limit, "the next request of %s is about %d tokens, and max_context_tokens is %d", f.worker.ID, rest, limit).
			Hinting("raise max_context_tokens, or give it fewer tools, shorter instructions or less input")
	}
	if drop == (conversation.Dropped{}) {
		return nil
	}
	more, left := f.conversation.Replacing(f.conversation.Fit(limit/2, size))
	return f.shorten(ctx, drop, more, limit-left, why)
}

// minSummary is the least number of tokens for a summary; a shorter one would say
// nothing.
const minSummary = 200

// maxSummary is the largest number of tokens of a summary.
const maxSummary = 2000

// byHand is the reason of /compact.
const byHand = "/compact"

// shorten drops the oldest messages: those of summed if the model can make a summary of
// at most half of room tokens, else those of drop. If a summary fails that a person asked
// for by hand, nothing changes.
func (f *workerRun) shorten(ctx context.Context, drop, summed conversation.Dropped, room int, why string) error {
	e := conversation.Entry{T: conversation.CompactEntry, ID: f.id, Name: f.conversation.Name, Turn: f.conversation.Turns + 1, Dropped: &drop}
	done := "dropped the oldest " + dropped(drop)
	if most := min(room/2, maxSummary); most < minSummary || !model.CanSummarise(f.model) {
		done += " without a summary"
	} else {
		turn, err := f.summarise(ctx, summed, most)
		if c := cause(ctx); c != nil {
			return c
		}
		if err != nil && why == byHand {
			f := fault.Of(err, fault.Model)
			out := fault.New(f.Code, "nothing was shortened, because no summary could be made: %s", f.Message)
			out.Hint = cmp.Or(f.Hint, "try again, or choose another model with /model")
			return out
		}
		if err == nil {
			e.Text, e.Usage, e.Dropped = turn.Text, conversation.SpentOf(turn.Usage), &summed
			e.Answer = &conversation.Answer{Model: turn.Model}
			done = "summarised the oldest " + dropped(summed)
		} else {
			done += ", because no summary could be made (" + fault.Of(err, fault.Model).Message + "); the next summary will have it"
		}
	}
	f.conversation.Shorten(*e.Dropped, prompt.Summary(e.Text))
	f.tree.r.Keeping.Journal.Add(e)
	level := ""
	if why == byHand && e.Text != "" {
		level = "info"
	}
	f.emit(trace.Warning{Code: fault.Limit, Message: done + ": " + why, Level: level})
	return nil
}

// summarise asks the model for a summary of what is to be dropped, in at most most
// tokens. The request counts in usage and cost, but is not a turn.
func (f *workerRun) summarise(ctx context.Context, d conversation.Dropped, most int) (model.Turn, error) {
	limit, _, _ := requestLimit(f.worker, f.model)
	if limit <= 0 { // not known; the model has read the conversation up to here
		limit = max(model.EstimateRequest(f.conversation.Messages, f.toolbox.offered(), f.output), 4*maxSummary)
	}
	old := conversation.New("", f.conversation.Messages...)
	gone := slices.Concat(f.conversation.Unsummed, old.Drop(d, ""))
	turn, err := askAside(ctx, f, aside{
		what: "the request for a summary", most: most, thoughts: min(maxThoughts, limit/2),
		messages: []model.Message{
			{Role: model.System, Text: prompt.Summarise},
			{Role: model.User, Text: transcript(gone, (limit-most)*model.BytesToken/2)},
		},
	})
	if err == nil {
		turn.Text = fault.Head(strings.TrimSpace(turn.Text), most*2*model.BytesToken)
	}
	return turn, err
}

// maxThoughts is the room for reasoning in a request for a summary, in tokens. With the
// summary it is about what old models write at most, 4,096.
const maxThoughts = 2048

// summarySettings returns a worker's settings for the request for a summary: without
// settings for calls, formats and limits, and with little reasoning.
func summarySettings(s model.Settings, name string) model.Settings {
	out, extra := model.Settings{}, model.Settings{}
	maps.Copy(out, s)
	_ = json.Unmarshal(s["extra"], &extra) // extra stays empty if there is none
	for _, member := range []string{"parallel_tool_calls", "tool_choice", "stop", "response_format", "max_tokens", "max_completion_tokens", "max_output_tokens"} {
		delete(out, member)
		delete(extra, member)
	}
	if len(extra) > 0 {
		out["extra"], _ = json.Marshal(extra) // its values are valid JSON
	} else {
		delete(out, "extra")
	}
	switch string(s["reasoning_effort"]) {
	case "", `"none"`, `"minimal"`:
	default:
		out["reasoning_effort"] = json.RawMessage(`"low"`)
		if strings.HasPrefix(name, "mistral:") { // it does not accept "low", and reasons only if asked to
			delete(out, "reasoning_effort")
		}
	}
	return out
}

// maxQuoted is how many bytes of one message a request for a summary contains at most.
const maxQuoted = 8 << 10

// transcript returns the beginning of each message as text, about size bytes in all. Up to
// half of it is for an earlier summary, because that stands for many messages.
func transcript(messages []model.Message, size int) string {
	room := size
	for _, m := range messages {
		if m.Summary {
			room -= min(len(m.Text), room/2)
		}
	}
	shared := max(min(room/max(len(messages), 1), maxQuoted), 64)
	var b strings.Builder
	for _, m := range messages {
		text, each := m.Text, shared
		if m.Summary {
			each = max(size/2, shared)
		}
		for _, c := range m.Calls {
			text += fmt.Sprintf("\n[calls %s %s]", c.Name, fault.Head(c.Args, each/2))
		}
		who := string(m.Role)
		if m.Tool != "" {
			who = "result of " + m.Tool
		}
		if short := fault.Head(text, each); short != text {
			text = short + " […]"
		}
		if b.Len()+len(text) > size {
			b.WriteString("[…]\n")
			break
		}
		fmt.Fprintf(&b, "%s:\n%s\n\n", who, text)
	}
	return b.String()
}

// Compact shortens the conversation because a person asks for it (/compact). Everything
// but the last exchange, or, in a single exchange, all turns but the last, is replaced
// by a summary, or dropped if the model is a script, which makes none. It returns E_USAGE
// if there is nothing to shorten, and the fault of the model if the summary fails: then
// nothing has changed.
func (s *Session) Compact(ctx context.Context) error {
	f := s.run
	old := f.conversation.Old()
	if f.model == nil || old == (conversation.Dropped{}) {
		return fault.New(fault.Usage, "there is nothing to shorten yet").Hinting("/compact keeps the last exchange, or the last turn if there is only one exchange, and shortens what comes before it; /new begins a new conversation")
	}
	most := 2 * maxSummary
	if limit, _, _ := requestLimit(f.worker, f.model); limit > 0 {
		most = min(most, limit/2)
	}
	err := f.shorten(ctx, old, old, most, byHand)
	s.tree.r.Keeping.Journal.Flush()
	return err
}

func dropped(d conversation.Dropped) string {
	switch {
	case d.Turns == 0:
		return fault.Count(d.Exchanges, "exchange")
	case d.Exchanges == 0:
		return fault.Count(d.Turns, "turn")
	}
	return fault.Count(d.Exchanges, "exchange") + " and " + fault.Count(d.Turns, "turn")
}

// minResult is how many bytes of a result the model is shown at least, even if there is
// little room.
const minResult = 256

// resultLimit returns how many bytes of each of n results the model is shown at once:
// limits.tool_output, and together at most half of the room beside the messages that
// always stay. 0: no limit.
func (f *workerRun) resultLimit(n int) int {
	limit := max(int(f.worker.Limits.ToolOutput), 0)
	most, _, _ := requestLimit(f.worker, f.model)
	if most <= 0 || n == 0 {
		return limit
	}
	each := (most - model.EstimateRequest(f.conversation.Lasting(), f.toolbox.offered(), f.output)) * model.BytesToken / 2 / n
	if each = max(each, minResult); limit == 0 || each < limit {
		return each
	}
	return limit
}
