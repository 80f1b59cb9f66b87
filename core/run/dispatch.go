package run

import (
	"context"
	"fmt"
	"unicode/utf8"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/tool"
)

// callResult is the result of one call of a turn.
type callResult struct {
	id    string
	out   tool.Output
	fault *fault.Fault
}

// dispatch runs the calls of one turn in parallel, as far as their order and
// delegation.parallel allow. The results are in call order.
func (f *frame) dispatch(ctx context.Context, calls []model.Call) []callResult {
	f.current.shown = f.resultLimit(len(calls))
	results, orders := make([]callResult, len(calls)), make([]order, len(calls))
	for i, c := range calls {
		f.conversation.Calls++
		results[i].id, orders[i] = childID(f.id, f.conversation.Calls), f.order(c.Name)
	}
	together(f.worker.Delegation.Parallel, waitsFor(orders), func(i int) { f.announce(results[i].id, calls[i]) }, func(i int) {
		r, c := &results[i], calls[i]
		r.out, r.fault = f.call(ctx, callRequest{id: r.id, parent: f.id, name: c.Name, args: c.Args, invalid: c.Invalid, model: true})
	})
	return results
}

func (f *frame) order(name string) order {
	tl, ok := f.tools.Get(name)
	if !ok {
		return orderFree
	}
	switch s := tl.Spec(); {
	case s.Kind == tool.Worker:
		return orderFree
	case s.Risk == tool.Read, s.Confined && !s.Stateful:
		return orderRead
	}
	return orderWrite
}

// absorb adds the results of a turn to the conversation. If the worker called
// request_input, its questions, joined into one, are its answer (S4-09) and asked is
// true.
func (f *frame) absorb(calls []model.Call, results []callResult) (answer tool.Output, asked bool) {
	var questions []tool.Output
	for i, r := range results {
		call := calls[i]
		msg := model.Message{Role: model.ToolRole, CallID: call.ID, Tool: call.Name}
		flt := f.conversation.Repeats.Note(call, r.fault, r.out.String())
		if flt != nil {
			msg.Text, msg.Error = string(flt.Result()), flt.Code
		} else {
			var cut bool
			msg.Text, cut = f.fit(r.id, r.out.String())
			msg.Parts = given(call.Name, r.out.Parts)
			who := f.current.callee(r.id)
			f.noteQuestion(who, r.out)
			f.conversation.Keep(conversation.Result{ID: r.id, Tool: call.Name, Worker: who.id, Text: r.out.String(), Cut: cut})
		}
		f.conversation.Add(msg)
		if flt == nil && r.out.NeedsInput && call.Name == requestInput {
			questions = append(questions, r.out)
		}
	}
	last := &f.conversation.Messages[len(f.conversation.Messages)-1]
	last.Text += f.conversation.Repeats.EndTurn()
	f.current.forget()
	return joined(questions), len(questions) > 0
}

// requestInput is the built-in tool with which a child asks its caller (SPEC §5).
const requestInput = "request_input"

// fit cuts a result to the part that the model is shown. The rest can be read with
// read_result, which is offered from then on.
func (f *frame) fit(id, text string) (shown string, cut bool) {
	limit := f.current.shown
	if limit <= 0 || len(text) <= limit {
		return text, false
	}
	if _, ok := f.tools.Get(readResult); !ok {
		// The name is reserved, so adding it cannot collide.
		if err := f.tools.Add(f.readResultTool()); err != nil {
			return head(text, limit), true
		}
	}
	return page(id, text, 0, limit), true
}

const readResult = "read_result"

type readResultArgs struct {
	Call   string `json:"call" jsonschema:"the call id named where the result was cut"`
	Offset int    `json:"offset" jsonschema:"the byte to go on from"`
}

// readResultTool returns the tool with which a model reads on in results that were cut.
func (f *frame) readResultTool() tool.Tool {
	return tool.Func(tool.Spec{
		Name: readResult, Description: "Reads on in a tool result that was cut because of its size.", Risk: tool.Read,
		Toolset: "golem", Provider: "builtin",
	}, func(_ context.Context, in readResultArgs) (tool.Output, error) {
		text, ok := f.conversation.CutText(in.Call)
		if !ok {
			return tool.Output{}, fault.New(fault.NotFound, "no shortened result has the call id %q", in.Call).
				Hinting("use the call id that the shortened result shows")
		}
		if in.Offset < 0 || in.Offset > len(text) {
			return tool.Output{}, fault.New(fault.ToolInput, "offset %d is outside the result's %d bytes", in.Offset, len(text))
		}
		return tool.Output{Text: page(in.Call, text, in.Offset, f.current.shown)}, nil
	})
}

// page returns one part of a long result, with a line that says how to get the next.
func page(id, text string, offset, limit int) string {
	note := fmt.Sprintf("\n[cut: %%d of %d bytes shown up to here; go on with %s {\"call\":%q,\"offset\":%%d}]", len(text), readResult, id)
	room := max(limit-len(note)-16, 64)
	for offset > 0 && offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset-- // to the beginning of a character
	}
	part := head(text[offset:], room)
	end := offset + len(part)
	if end >= len(text) {
		return part
	}
	return part + fmt.Sprintf(note, end, end)
}

// head returns at most n bytes of s, cut between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
