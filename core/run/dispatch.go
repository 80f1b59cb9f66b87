package run

import (
	"context"
	"fmt"

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
func (f *workerRun) dispatch(ctx context.Context, calls []model.Call) []callResult {
	f.turn.shown = f.resultLimit(len(calls))
	results, orders, requests := make([]callResult, len(calls)), make([]order, len(calls)), make([]callRequest, len(calls))
	for i, c := range calls {
		f.conversation.Calls++
		id := childID(f.id, f.conversation.Calls)
		results[i].id, orders[i] = id, orderOf(f.toolbox.Set, c.Name)
		requests[i] = callRequest{id: id, parent: f.id, name: c.Name, args: tool.ReadArguments([]byte(c.Args)), invalid: c.Invalid, model: true}
	}
	together(f.worker.Delegation.Parallel, waitsFor(orders), func(i int) { f.announce(requests[i]) }, func(i int) {
		results[i].out, results[i].fault = f.call(ctx, requests[i])
	})
	return results
}

// announce emits that a worker's call waits and cannot start yet.
func (f *workerRun) announce(req callRequest) {
	tl, ok := f.toolbox.Get(req.name)
	if !ok || tl.Spec().Kind != tool.Worker || f.tree.replay.ended(req.id) {
		return
	}
	worker, task := delegated(req.args, tl.Spec())
	f.progress(req.id, progressPending, worker, task)
}

func orderOf(tools *tool.Set, name string) order {
	tl, ok := tools.Get(name)
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
func (f *workerRun) absorb(calls []model.Call, results []callResult) (answer tool.Output, asked bool) {
	var questions []tool.Output
	for i, r := range results {
		call := calls[i]
		msg := model.Message{Role: model.ToolRole, CallID: call.ID, Tool: call.Name}
		flt := f.conversation.Repeats.Note(call, r.fault, r.out.Read())
		if flt != nil {
			msg.Text, msg.Error = string(flt.Result()), flt.Code
		} else {
			var cut bool
			msg.Text, cut = f.fit(r.id, r.out.Read())
			msg.Parts = resultParts(call.Name, r.out.Parts)
			who := f.turn.callee(r.id)
			f.conversation.Question = questionOf(f.conversation.Question, who, r.out)
			f.conversation.Keep(conversation.Result{ID: r.id, Tool: call.Name, Worker: who.id, Text: r.out.Read(), Cut: cut})
		}
		f.conversation.Add(msg)
		if flt == nil && r.out.NeedsInput && call.Name == requestInput {
			questions = append(questions, r.out)
		}
	}
	last := &f.conversation.Messages[len(f.conversation.Messages)-1]
	last.Text += f.conversation.Repeats.EndTurn()
	f.turn.forget()
	return joined(questions), len(questions) > 0
}

// requestInput is the built-in tool with which a child asks its caller (SPEC §5).
const requestInput = "request_input"

// fit cuts a result to the part that the model is shown. The rest can be read with
// read_result, which is offered from then on.
func (f *workerRun) fit(id, text string) (shown string, cut bool) {
	limit := f.turn.shown
	if limit <= 0 || len(text) <= limit {
		return text, false
	}
	if _, ok := f.toolbox.Get(readResult); !ok {
		// The name is reserved, so adding it cannot collide.
		if err := f.toolbox.Add(readResultTool()); err != nil {
			return fault.Head(text, limit), true
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
func readResultTool() tool.Tool {
	return tool.FuncWithCall(tool.Spec{
		Name: readResult, Description: "Reads on in a tool result that was cut because of its size.", Risk: tool.Read,
		Toolset: "golem", Provider: "builtin",
	}, func(_ context.Context, c tool.Call, in readResultArgs) (tool.Output, error) {
		f := c.Host.(*toolHost).run // the tool is only in the toolboxes of worker runs
		text, ok := f.conversation.CutText(in.Call)
		if !ok {
			return tool.Output{}, fault.New(fault.NotFound, "no shortened result has the call id %q", in.Call).
				Hinting("use the call id that the shortened result shows")
		}
		if in.Offset < 0 || in.Offset > len(text) {
			return tool.Output{}, fault.New(fault.ToolInput, "offset %d is outside the result's %d bytes", in.Offset, len(text))
		}
		return tool.Output{Text: page(in.Call, text, in.Offset, f.turn.shown)}, nil
	})
}

// page returns one part of a long result, with a line that says how to get the next.
func page(id, text string, offset, limit int) string {
	note := fmt.Sprintf("\n[cut: %%d of %d bytes shown up to here; go on with %s {\"call\":%q,\"offset\":%%d}]", len(text), readResult, id)
	room := max(limit-len(note)-16, 64)
	offset = len(fault.Head(text, offset)) // at the beginning of a character
	part := fault.Head(text[offset:], room)
	end := offset + len(part)
	if end >= len(text) {
		return part
	}
	return part + fmt.Sprintf(note, end, end)
}
