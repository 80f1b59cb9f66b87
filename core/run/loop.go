package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
	"golem/core/tool"
	"golem/core/trace"
)

// begin emits the start of the worker run.
func (f *frame) begin() {
	specs := f.offered()
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	start := trace.WorkerStart{Source: f.worker.File, Digest: f.worker.Digest, Tools: names}
	if by, from := f.modelChoice(); by != nil {
		start.Model, start.ModelFrom = by.Model, from
	}
	f.emit(start)
	f.notices()
}

// notices emits the warnings of making the tools, each once in a run.
func (f *frame) notices() {
	for _, w := range f.warnings {
		f.warn(w)
	}
	f.unfit()
}

// unfit warns of tools that are not offered, because no provider accepts their schemas.
func (f *frame) unfit() {
	for _, t := range f.tools.All() {
		s := t.Spec()
		if err := model.Unfit(s); err != nil && s.Exec != tool.ExecManual {
			f.warn(fault.Warn(fault.Schema, "the tool %s is not offered to the model: %s", s.Name, fault.Of(err, fault.Schema).Message))
		}
	}
}

// warn emits a warning, once in a run.
func (f *frame) warn(w *fault.Fault) {
	text := w.Text()
	f.tree.mu.Lock()
	said := slices.Contains(f.tree.noticed, text)
	if !said {
		f.tree.noticed = append(f.tree.noticed, text)
	}
	f.tree.mu.Unlock()
	if !said {
		f.emit(trace.Warning{Code: w.Code, Message: text})
	}
}

// end closes the worker run in the trace and keeps its artifacts.
func (f *frame) end(out tool.Output, err error, ms int64) {
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
	if keep := f.tree.r.Artifact; keep != nil {
		keep(f.id+".prompt.json", f.conversation.Messages)
	}
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
func (f *frame) exchange(ctx context.Context) (tool.Output, error) {
	ctx, stop := f.tree.clock.timeout(ctx, f.worker.Limits.WorkerTimeout, "worker "+f.worker.ID)
	defer stop()
	for _, name := range model.Lacking(f.model, f.modelSettings) {
		f.warn(fault.Warn(fault.Model, "%s", model.LackingText(f.model.Name(), name)))
	}
	for repairs := 0; ; {
		turn, err := f.turn(ctx)
		if err != nil {
			return tool.Output{}, err
		}
		f.conversation.Add(model.Message{Role: model.Assistant, Text: turn.Text, Calls: turn.Calls, Kept: turn.Kept})
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
		if f.output == nil && f.emptyEnd(turn) {
			continue
		}
		out, problems := f.answer(turn)
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

// maxGiven is the largest schema that a caller may give, in bytes.
const maxGiven = 64 << 10

// settleOutput sets the schema of the answer: the worker's, or the one in the field of
// the input that output_schema_from names.
func (f *frame) settleOutput(input json.RawMessage) error {
	f.output = f.worker.Output
	if f.worker.OutputFrom == "" {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil || fields[f.worker.OutputFrom] == nil {
		return nil // a text has no fields; the input was checked before
	}
	given, what := fields[f.worker.OutputFrom], "/"+f.worker.OutputFrom
	if len(given) > maxGiven {
		return fault.New(fault.ToolInput, "%s has %d bytes; a schema of an answer may have %d", what, len(given), maxGiven).Hinting("ask for less at once")
	}
	if _, err := tool.Compile(given); err != nil {
		why, _, _ := strings.Cut(fault.Of(err, fault.Schema).Message, ": json:") // of Go's types
		return fault.New(fault.ToolInput, "%s: %s", what, why).
			Hinting("write JSON Schema 2020-12, with references only inside the schema")
	}
	f.output = given
	return nil
}

// answer returns the output of a final turn: text, or the value that the output schema
// asks for. The second result lists what does not fit the schema, "" if nothing.
func (f *frame) answer(turn model.Turn) (tool.Output, string) {
	if f.output == nil {
		return tool.Output{Text: turn.Text}, ""
	}
	text := jsonOf(turn.Text)
	var value json.RawMessage
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return tool.Output{}, "not JSON: " + err.Error()
	}
	raw, err := tool.Decode([]byte(text))
	if err != nil {
		return tool.Output{}, strings.ReplaceAll(fault.Of(err, fault.OutputSchema).Message, "arguments", "answer")
	}
	for _, wanted := range []json.RawMessage{f.output, f.worker.Output} {
		schema, err := tool.Compile(wanted)
		if err != nil {
			return tool.Output{}, err.Error()
		}
		if vs := schema.Validate(raw); len(vs) > 0 && wanted != nil {
			lines := make([]string, len(vs))
			for i, v := range vs {
				lines[i] = v.String()
			}
			return tool.Output{}, strings.Join(lines, "\n")
		}
	}
	return tool.Output{Kind: "json", Data: raw}, ""
}

// turn asks the model once, within the budgets.
func (f *frame) turn(ctx context.Context) (model.Turn, error) {
	if turn, err, kept := f.keptTurn(); kept {
		return turn, err
	}
	if err := f.tree.sched.open(ctx); err != nil {
		return model.Turn{}, fault.Of(err, fault.Interrupted)
	}
	if err := f.spendTurn(ctx); err != nil {
		return model.Turn{}, fault.Of(err, fault.Budget).InChain(f.chain)
	}
	f.inject(ctx)
	f.refresh(ctx)
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
		f.lost(turn, f.conversation.Turns)
		if f.withoutImages(err) {
			return f.turn(ctx)
		}
		f.seen(partly)
		return turn, fault.Of(err, fault.Model).InChain(f.chain)
	}
	f.keepAnswer(turn)
	if turn.Finish == "length" {
		f.emit(trace.Warning{Code: fault.Model, Message: "the answer is incomplete: it reached the model's output limit"})
	}
	refs := make([]trace.CallRef, len(turn.Calls))
	for i, c := range turn.Calls {
		refs[i] = trace.CallRef{ID: childID(f.id, f.conversation.Calls+1+i), Name: c.Name}
	}
	f.emit(trace.ModelEnd{
		Turn: f.conversation.Turns, Model: turn.Model, Finish: turn.Finish, Text: turn.Text, Calls: refs,
		Usage: usage(turn.Usage), Attempts: turn.Attempts, MS: f.tree.r.now().Sub(start).Milliseconds(),
	})
	return turn, nil
}

// generate makes the request. shown is what a person saw of the answer.
func (f *frame) generate(ctx context.Context) (turn model.Turn, shown string, err error) {
	mctx, deadline := f.tree.clock.deadline(ctx, f.worker.Limits.ModelTimeout, "the model request")
	defer deadline.stop()
	f.tree.r.Journal.Flush()
	request := f.request()
	request.Budget = f.payer(deadline)
	var text strings.Builder
	turn, err = f.model.Generate(mctx, request, func(d model.Delta) {
		if d.Reset {
			text.Reset()
		}
		text.WriteString(d.Text)
		f.emit(trace.Delta{Text: d.Text, Reset: d.Reset})
	})
	if err != nil {
		if c := cause(mctx); c != nil && fault.Of(err, fault.Model).Code != c.Code {
			err = c
		} // else it has the same code and says more: why the request had to wait
	}
	return turn, text.String(), err
}

// seen adds what a person saw of an answer that was stopped or failed to the
// conversation, so that the next request has it too.
func (f *frame) seen(part string) {
	if f.depth > 0 || strings.TrimSpace(part) == "" {
		return
	}
	f.conversation.Add(model.Message{Role: model.Assistant, Text: prompt.Stopped(part)})
	f.tree.r.Journal.Add(conversation.Entry{T: conversation.PartEntry, ID: f.id, Name: f.conversation.Name, Turn: f.conversation.Turns, Text: part})
}

// inject adds texts from outside the conversation before the root's next request.
func (f *frame) inject(ctx context.Context) {
	if f.depth > 0 {
		return
	}
	texts := f.tree.r.Clearance.Notes(ctx)
	if f.tree.r.Inject != nil {
		texts = append(texts, f.tree.r.Inject()...)
	}
	for _, text := range texts {
		f.keepNote(text)
		f.conversation.Add(model.Message{Role: model.User, Text: text, Inner: true})
	}
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

// arrow returns a chain of workers for messages: a → b → next.
func arrow(chain []string, next string) string {
	return fmt.Sprintf("%s → %s", strings.Join(chain, " → "), next)
}
