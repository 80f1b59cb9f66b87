package run

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/tool"
	"golem/core/trace"
)

// begin emits the start of the worker run.
func (f *workerRun) begin() {
	specs := f.toolbox.offered()
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	start := trace.WorkerStart{Source: f.worker.File, Digest: f.worker.Digest, Tools: names}
	if by, from := f.tree.models.choice(&f.place); by != nil {
		start.Model, start.ModelFrom = by.Model, from
	}
	if f.toolbox.hardened != nil {
		start.Hardened = f.toolbox.hardened.Spec().Module
	}
	f.emit(start)
	f.toolbox.begin()
}

// end closes the worker run in the trace and keeps its artifacts.
func (f *workerRun) end(out tool.Output, err error, ms int64) {
	body := trace.WorkerEnd{Status: string(statusOf(out, err)), Usage: usage(f.budget.spent()), MS: ms}
	if own := usage(f.budget.spentAlone()); own != body.Usage {
		body.Own = &own
	}
	if err != nil {
		body.Error = fault.Of(err, fault.Tool)
	} else {
		body.Output = rawOutput(out)
	}
	f.emit(body)
	f.tree.artifact(f.id+".prompt.json", f.conversation.Messages)
}

func statusOf(out tool.Output, err error) Status {
	switch {
	case err != nil && fault.Of(err, fault.Tool).Code == fault.Interrupted:
		return Interrupted
	case err != nil:
		return Failed
	case out.NeedsInput:
		return NeedsInput
	}
	return OK
}

// exchange runs turns until the worker has an answer. It appends to the conversation,
// which stays valid in any case: every tool call has a result.
func (f *workerRun) exchange(ctx context.Context) (tool.Output, error) {
	ctx, stop := f.tree.clock.timeout(ctx, f.worker.Limits.WorkerTimeout, "worker "+f.worker.ID)
	defer stop()
	warnOfLacking(f)
	for repairs := 0; ; {
		turn, err := f.nextTurn(ctx)
		if err != nil {
			return tool.Output{}, err
		}
		f.conversation.Add(model.Message{Role: model.Assistant, Text: turn.Text, Calls: turn.Calls, Kept: turn.Kept})
		if turn.Paused {
			continue
		}
		if len(turn.Calls) > 0 {
			results := f.dispatch(ctx, turn.Calls)
			if out, asked := f.absorb(turn.Calls, results); asked {
				return out, nil
			}
			if c := cause(ctx); c != nil {
				return tool.Output{}, c
			}
			if err := f.goOn(ctx); err != nil {
				return tool.Output{}, err
			}
			continue
		}
		if f.output == nil && f.asksForWords(turn) {
			continue
		}
		out, problems := answerOf(turn, f.output, f.worker.Output)
		if problems == "" {
			return out, nil
		}
		if repairs++; repairs > maxRepairs {
			return tool.Output{}, fault.New(fault.OutputSchema, "the answer of %s does not fit its output schema after %d repairs: %s",
				f.worker.ID, maxRepairs, strings.ReplaceAll(problems, "\n", "; ")).
				Hinting("describe the answer in the instructions, or make output_schema less strict")
		}
		f.conversation.Add(model.Message{Role: model.User, Text: prompt.Repair(problems), Inner: true})
	}
}

// maxRepairs is how often a model may correct an answer that does not fit
// the output schema (SPEC §5).
const maxRepairs = 2

// answerOf returns the output of a final turn: text, or if there are schemas of the answer,
// the value that they ask for. The second result lists what does not fit one of them, "" if
// nothing.
func answerOf(turn model.Turn, schema, own json.RawMessage) (tool.Output, string) {
	if schema == nil {
		return tool.Output{Text: turn.Text}, ""
	}
	text := jsonOf(turn.Text)
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return tool.Output{}, "not JSON: " + err.Error()
	}
	raw, err := tool.Decode([]byte(text))
	if err != nil {
		return tool.Output{}, "not JSON: " + fault.Of(err, fault.OutputSchema).Message
	}
	for _, wanted := range []json.RawMessage{schema, own} {
		compiled, err := tool.Compile(wanted)
		if err != nil {
			return tool.Output{}, err.Error()
		}
		if vs := compiled.Validate(raw); len(vs) > 0 && wanted != nil {
			lines := make([]string, len(vs))
			for i, v := range vs {
				lines[i] = v.String()
			}
			return tool.Output{}, strings.Join(lines, "\n")
		}
	}
	return tool.Output{Kind: "json", Data: raw}, ""
}

// nextTurn asks the model once, within the budgets.
func (f *workerRun) nextTurn(ctx context.Context) (model.Turn, error) {
	if turn, err, kept := f.tree.replay.keptTurn(f); kept {
		return turn, err
	}
	if err := f.tree.sched.open(ctx); err != nil {
		return model.Turn{}, fault.Of(err, fault.Interrupted)
	}
	if err := f.spendTurn(ctx); err != nil {
		return model.Turn{}, fault.Of(err, fault.Budget).InChain(f.chain)
	}
	f.inject(ctx)
	steer(ctx, f)
	f.toolbox.refresh(ctx)
	if err := f.compact(ctx); err != nil {
		return model.Turn{}, fault.Of(err, fault.Limit).InChain(f.chain)
	}
	if err := f.payer(nil).Check(f.model, f.request()); err != nil {
		f.budget.unbookTurn()
		return model.Turn{}, fault.Of(err, fault.Budget).InChain(f.chain)
	}
	f.conversation.Turns++
	start := f.tree.r.now()
	f.emit(trace.ModelStart{Turn: f.conversation.Turns, Messages: len(f.conversation.Messages)})
	turn, partly, err := f.generate(ctx)
	if err != nil {
		f.keepLost(turn, f.conversation.Turns)
		f.turn.refused = model.Refused(err)
		if f.withoutImages(err) {
			return f.nextTurn(ctx)
		}
		f.keepPart(partly)
		return turn, fault.Of(err, fault.Model).InChain(f.chain)
	}
	first := f.conversation.Calls + 1
	f.conversation.Calls += len(turn.ServerCalls) // they have numbers, too
	f.keepAnswer(turn, f.tree.r.now().Sub(start))
	if turn.Finish == "length" {
		f.emit(trace.Warning{Code: fault.Model, Message: "the answer is incomplete: it reached the model's output limit"})
	}
	refs := make([]trace.CallRef, len(turn.Calls))
	for i, c := range turn.Calls {
		refs[i] = trace.CallRef{ID: childID(f.id, f.conversation.Calls+1+i), Name: c.Name}
	}
	f.emit(trace.ModelEnd{
		Turn: f.conversation.Turns, Model: turn.Model, Finish: turn.Finish, Text: turn.Text, Calls: refs,
		Usage: usage(turn.Usage), Attempts: turn.Attempts, Reasoning: f.turn.reasoned, MS: f.tree.r.now().Sub(start).Milliseconds(),
	})
	traceServerCalls(f, turn, first)
	return turn, nil
}

// request returns the next request to the model.
func (f *workerRun) request() model.Request {
	return model.Request{
		Worker: f.worker.ID, Conversation: f.conversation.Name, ID: f.id, Turn: f.conversation.Turns,
		Messages: f.conversation.Messages, Tools: f.toolbox.offered(), OutputSchema: f.output, Settings: f.settings, ServerTools: serverTools(f),
		Timeout: f.worker.Limits.ModelTimeout, MayEnd: f.output == nil && mayEnd(f.conversation.Messages),
	}
}

// generate makes the request. shown is what a person saw of the answer.
func (f *workerRun) generate(ctx context.Context) (turn model.Turn, shown string, err error) {
	mctx, deadline := f.tree.clock.deadline(ctx, f.worker.Limits.ModelTimeout, "the model request")
	defer deadline.stop()
	f.tree.r.Keeping.Journal.Flush()
	request := f.request()
	request.Budget = f.payer(deadline)
	var text strings.Builder
	thinks := thinking{f: f}
	turn, err = f.model.Generate(mctx, request, func(d model.Delta) {
		switch {
		case d.Reasoning != "":
			thinks.piece(d.Reasoning)
			return
		case d.Reset:
			text.Reset()
			thinks = thinking{f: f}
		default:
			thinks.pause(false)
		}
		text.WriteString(d.Text)
		f.emit(trace.Delta{Text: d.Text, Reset: d.Reset})
	})
	if thinks.pause(err != nil); err != nil {
		f.emit(trace.Delta{Broken: true})
	}
	f.turn.reasoned, f.turn.thought = thinks.spent(turn.Reasoning), thinks.keptThought(turn.Reasoning, err != nil)
	if err != nil {
		if c := cause(mctx); c != nil && fault.Of(err, fault.Model).Code != c.Code {
			err = c
		} // else it has the same code and says more: why the request had to wait
	}
	return turn, text.String(), err
}

// keepPart adds what a person saw of an answer that was stopped or failed to the
// conversation, so that the next request has it too. What the model reasoned before is kept
// without it, too.
func (f *workerRun) keepPart(part string) {
	part = f.tree.r.Keeping.Journal.Beginning(part)
	if strings.TrimSpace(part) == "" {
		part = ""
	}
	if f.depth > 0 || part == "" && f.turn.thought == nil {
		return
	}
	if part != "" {
		f.conversation.Add(model.Message{Role: model.Assistant, Text: prompt.Stopped(part)})
	}
	e := conversation.Entry{T: conversation.PartEntry, Turn: f.conversation.Turns, Text: part}
	if f.turn.thought != nil {
		e.Answer = &conversation.Answer{Thought: f.turn.thought}
	}
	f.keepEntry(e)
}

// inject adds what a person decided on staged items before the root's next request (S4-52).
func (f *workerRun) inject(ctx context.Context) {
	if f.depth > 0 {
		return
	}
	notes := f.tree.staging.store.Notes(ctx)
	if !works(f.conversation.Messages) {
		notes = append(notes, f.tree.staging.undone.notes(ctx, f.conversation.Messages)...)
	}
	notes, f.tree.staging.later = append(notes, f.tree.staging.later...), nil
	for _, text := range notes {
		f.keepEntry(conversation.Entry{T: conversation.NoteEntry, Turn: f.conversation.Turns + 1, Text: text})
		f.conversation.Add(note(text))
	}
}

// note returns a message of golem that tells the model what happened meanwhile.
func note(text string) model.Message {
	return model.Message{Role: model.User, Text: text, Inner: true, Note: true}
}

func usage(u model.Usage) trace.Usage {
	return trace.Usage{
		In: u.In, Out: u.Out, Cached: u.Cached, Written: u.Written, Estimated: u.Estimated,
		Cost: u.Cost, CostPartial: u.Unpriced,
	}
}

// rawOutput returns an output as one JSON value: its data, or its text as a string.
func rawOutput(o tool.Output) json.RawMessage {
	if len(o.Data) > 0 {
		return o.Data
	}
	return quote(o.Text)
}
