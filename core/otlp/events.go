package otlp

import (
	"encoding/json"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
)

// Event adds an event of the run. Events that are only shown, and those of an unknown type,
// change nothing.
func (b *Builder) Event(e trace.Event) {
	if e.Body == nil || e.Body.Transient() || b.ended {
		return
	}
	if b.seed == "" {
		b.begin(e)
	}
	if at, ok := timeOf(e.TS); ok {
		b.now = at
	}
	switch body := e.Body.(type) {
	case trace.RunStart:
		b.runStart(body)
	case trace.RunEnd:
		b.runEnd(body)
	case trace.WorkerStart:
		b.workerStart(b.call(e.ID), e.Worker, body)
	case trace.WorkerEnd:
		b.workerEnd(b.call(e.ID), body)
	case trace.ModelStart:
		b.request(b.call(e.ID), body.Turn)
	case trace.ModelEnd:
		b.modelEnd(b.call(e.ID), body)
	case trace.ToolStart:
		b.toolStart(b.call(e.ID), body)
	case trace.ToolEnd:
		b.toolEnd(b.call(e.ID), body)
	case trace.Unknown:
	default:
		b.note(b.call(e.ID), body)
	}
}

func (b *Builder) runStart(body trace.RunStart) {
	root := b.calls[rootID]
	if body.Resumes != "" && body.Resumes != b.header.Run {
		b.about = body.Resumes
		root.span.Attributes.named("gen_ai.conversation.id", b.about)
		if isRun(body.Resumes) {
			root.span.Links = append(root.span.Links, link{traceID(body.Resumes), spanID(body.Resumes, rootID, 0)})
		}
	}
	if !b.options.Contents {
		return // else it needs no reading
	}
	var said []message
	for _, m := range body.Earlier {
		said = append(said, message{Role: m.Role, Parts: []part{{Type: "text", Content: m.Text}}})
	}
	said = append(said, message{Role: "user", Parts: []part{{Type: "text", Content: content(body.Input)}}})
	b.messages(&root.span.Attributes, "gen_ai.input.messages", said...)
}

func (b *Builder) runEnd(body trace.RunEnd) {
	root := b.calls[rootID]
	a := &root.span.Attributes
	a.named("golem.run.status", body.Status)
	a.number("golem.run.exit", int64(body.Exit))
	a.number("golem.run.denied", int64(len(body.Denied)))
	a.number("golem.run.failed", int64(len(body.Failed)))
	b.used(a, body.Usage)
	b.ends(root, body.Error)
}

func (b *Builder) workerStart(c *call, worker string, body trace.WorkerStart) {
	c.worker, c.model, c.ended = true, body.Model, false
	b.name(c, operationAgent, worker)
	b.model(c.span, "gen_ai.request.model", body.Model)
	c.span.Attributes.named("golem.worker.digest", body.Digest)
	c.span.Attributes.flag("golem.worker.hardened", body.Hardened != "")
}

func (b *Builder) workerEnd(c *call, body trace.WorkerEnd) {
	a := &c.span.Attributes
	a.named("golem.worker.status", body.Status)
	b.used(a, body.Usage)
	b.whole(a, "gen_ai.output.messages", message{Role: "assistant", Finish: "stop"}, body.Output)
	b.ends(c, body.Error)
}

// used sets what a worker and all below it used. These are golem's own attributes, so that a sum
// over gen_ai.usage counts each request once.
func (b *Builder) used(a *attributes, u trace.Usage) {
	a.number("golem.usage.input_tokens", int64(u.In))
	a.number("golem.usage.output_tokens", int64(u.Out))
	b.cost(a, u)
}

func (b *Builder) cost(a *attributes, u trace.Usage) {
	if usd, err := strconv.ParseFloat(u.Cost.String(), 64); err == nil && u.Cost != 0 {
		a.set("golem.usage.cost_usd", value{Float: &usd})
	}
	a.flag("golem.usage.cost_partial", u.CostPartial)
	a.flag("golem.usage.estimated", u.Estimated)
}

func (b *Builder) modelEnd(c *call, body trace.ModelEnd) {
	s := c.asked
	if s == nil { // its beginning is missing
		s = b.request(c, body.Turn)
	}
	c.asked = nil
	s.End = max(b.now, s.Start)
	a := &s.Attributes
	b.model(s, "gen_ai.response.model", body.Model)
	if body.Finish != "" {
		a.texts("gen_ai.response.finish_reasons", body.Finish)
	}
	a.number("gen_ai.usage.input_tokens", int64(body.Usage.In))
	a.number("gen_ai.usage.output_tokens", int64(body.Usage.Out))
	if body.Usage.Cached > 0 {
		a.number("gen_ai.usage.cache_read.input_tokens", int64(body.Usage.Cached))
	}
	if body.Usage.Written > 0 {
		a.number("gen_ai.usage.cache_creation.input_tokens", int64(body.Usage.Written))
	}
	if body.Reasoning != nil {
		a.number("gen_ai.usage.reasoning.output_tokens", int64(body.Reasoning.Tokens))
	}
	b.cost(a, body.Usage)
	a.number("golem.attempts", int64(body.Attempts))
	m := message{Role: "assistant", Finish: body.Finish}
	if body.Text != "" {
		m.Parts = append(m.Parts, part{Type: "text", Content: body.Text})
	}
	for _, one := range body.Calls {
		m.Parts = append(m.Parts, part{Type: "tool_call", ID: one.ID, Name: one.Name})
	}
	b.messages(a, "gen_ai.output.messages", m)
}

func (b *Builder) toolStart(c *call, body trace.ToolStart) {
	c.ended, c.worker = false, body.Kind == "worker"
	if c.worker {
		b.name(c, operationAgent, body.Tool)
	} else {
		c.span.Attributes = drop(c.span.Attributes, "gen_ai.agent.name")
		b.name(c, operationTool, body.Tool)
	}
	a := &c.span.Attributes
	a.text("gen_ai.tool.call.id", c.id)
	if body.Kind == "builtin" || body.Kind == "wasm" {
		a.text("gen_ai.tool.type", "function")
	}
	a.named("golem.tool.kind", body.Kind)
	b.say(a, "gen_ai.tool.call.arguments", string(body.Args))
}

func drop(a attributes, key string) (out attributes) {
	for _, one := range a {
		if one.Key != key {
			out = append(out, one)
		}
	}
	return out
}

func (b *Builder) toolEnd(c *call, body trace.ToolEnd) {
	a := &c.span.Attributes
	if c.span.Name == "" { // its beginning is missing
		b.name(c, operationTool, body.Tool)
	}
	if body.Error != nil && body.Error.Code == fault.UnknownTool && !b.options.Contents {
		// A model made the name up.
		c.span.Name = operationTool + " _OTHER"
		a.text("gen_ai.tool.name", "_OTHER")
	}
	a.named("golem.tool.status", body.Status)
	if body.Fuel > 0 {
		a.number("golem.tool.fuel", body.Fuel)
	}
	b.sayValue(a, "gen_ai.tool.call.result", body.Result)
	failed := body.Error
	if failed == nil && body.Status != "ok" && body.Status != "" {
		failed = &fault.Fault{} // the trace does not say why the call did not end well
	}
	b.ends(c, failed)
}

// note adds what happened during a call in addition to its result.
func (b *Builder) note(c *call, body trace.Body) {
	var a attributes
	switch v := body.(type) {
	case trace.Approval:
		a.named("golem.approval.kind", v.Kind)
		a.named("golem.approval.setting", v.Setting)
		a.named("golem.approval.source", v.Source)
		a.named("golem.approval.decision", v.Decision)
		a.named("golem.approval.remember", v.Remember)
		if v.Kind == "" {
			a.named("golem.approval.rule", v.Rule)
		} else {
			b.say(&a, "golem.approval.question", v.Rule)
		}
		b.say(&a, "golem.approval.reason", v.Reason)
	case trace.Retry:
		a.number("golem.attempt", int64(v.Attempt))
		a.named("error.type", string(v.Code))
		a.number("golem.wait_ms", v.WaitMS)
		b.say(&a, "golem.text", v.Message)
	case trace.Warning:
		a.named("golem.code", string(v.Code))
		b.say(&a, "golem.text", v.Message)
	case trace.Error:
		a.named("error.type", string(v.Code))
		b.say(&a, "golem.text", v.Message)
	case trace.Fallback:
		a.named("golem.fallback.reason", v.Reason)
		b.say(&a, "golem.text", v.Message)
	case trace.Clearance:
		a.named("golem.clearance.action", v.Action)
		b.say(&a, "golem.text", v.Message)
	case trace.Permission:
		a.named("golem.permission", v.Permission)
	case trace.Message:
		a.named("golem.role", v.Role)
		a.flag("golem.steering", v.Steering)
		b.say(&a, "golem.text", v.Text)
	}
	b.happened(c, "golem."+strings.ReplaceAll(body.EventType(), ".", "_"), a)
}

// message is a message in the form of the conventions.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

type part struct {
	Type    string `json:"type"`
	Content string `json:"content,omitempty"`
	ID      string `json:"id,omitempty"`
	Name    string `json:"name,omitempty"`
}

// messages sets an attribute with messages, if spans have contents.
func (b *Builder) messages(a *attributes, key string, all ...message) {
	if !b.options.Contents {
		return
	}
	for _, m := range all {
		for i := range m.Parts { // a whole text and a valid list
			m.Parts[i].Content, _ = b.content(m.Parts[i].Content)
		}
	}
	data, err := json.Marshal(all)
	if err == nil { // always: it has texts only
		a.text(key, string(data))
	}
}

// whole sets an attribute with one message that has one value of the trace as its text.
func (b *Builder) whole(a *attributes, key string, m message, raw json.RawMessage) {
	if b.options.Contents && len(raw) > 0 { // else it needs no reading
		m.Parts = []part{{Type: "text", Content: content(raw)}}
		b.messages(a, key, m)
	}
}
