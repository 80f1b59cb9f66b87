package otlp

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
)

// Builder makes spans of the events of one run, in the order in which they come. It keeps no
// event. Use it from one goroutine.
type Builder struct {
	header  trace.Header
	options Options
	seed    string // of all ids; "": no event came yet
	spans   []*span
	calls   map[string]*call
	now     nanos  // the time of the last event
	about   string // the conversation
	room    int    // bytes that contents may still take
	most    int    // spans
	full    bool   // spans were left out
	ended   bool
}

// call is a worker run or a tool call, with its span.
type call struct {
	id       string
	span     *span
	worker   bool
	model    string
	ended    bool
	asked    *span // the model request that has no answer yet; nil: none
	requests int
}

const rootID = "0"

// NewBuilder returns a builder for the run of a header.
func NewBuilder(h trace.Header, o Options) *Builder {
	return &Builder{header: h, options: o, calls: map[string]*call{}, room: maxTexts, most: maxSpans}
}

// begin makes the root span.
func (b *Builder) begin(e trace.Event) {
	b.now, _ = timeOf(b.header.Started)
	if at, ok := timeOf(e.TS); ok {
		b.now = at
	}
	b.seed, b.about = b.header.Run, b.header.Run
	if !isRun(b.seed) {
		b.seed = strings.Join([]string{b.header.Run, b.header.Project, b.header.Entry, b.header.Started, e.TS}, "\x00")
	}
	root := b.add(rootID, "")
	root.worker = true // until a tool turns out to be the entry
	root.span.Attributes.named("golem.run.id", b.header.Run)
	b.name(root, operationAgent, b.header.Entry)
}

// isRun reports whether a name is that of a run, which no other run has.
func isRun(name string) bool {
	const digit = "[0-9]"
	ok, _ := path.Match(strings.Repeat(digit, 8)+"-"+strings.Repeat(digit, 6)+"-"+strings.Repeat("[0-9a-f]", 8), name) // the pattern is valid
	return ok
}

// add makes the span of a call below the span of its caller.
func (b *Builder) add(id, parent string) *call {
	c := &call{id: id, span: &span{TraceID: traceID(b.seed), SpanID: spanID(b.seed, id, 0), ParentID: parent, Flags: sampled, Kind: internal, Start: b.now, End: b.now}}
	b.calls[id], b.spans = c, append(b.spans, c.span)
	return c
}

// maxID is the longest id of a call, in bytes.
const maxID = 512

// call returns the call of an id, which begins now if it is not known. An id that golem does not
// make means the root.
func (b *Builder) call(id string) *call {
	if id == "" || len(id) > maxID {
		id = rootID
	}
	if c := b.calls[id]; c != nil {
		return c
	}
	if len(b.spans) >= b.most { // such a call has no span, and needs no memory
		b.full = true
		return &call{id: id, span: &span{}}
	}
	return b.add(id, b.caller(id).span.SpanID)
}

// caller returns the nearest known caller of a call.
func (b *Builder) caller(id string) *call {
	for {
		id = id[:max(strings.LastIndexByte(id, '.'), 0)]
		if id == "" {
			return b.calls[rootID]
		}
		if c := b.calls[id]; c != nil {
			return c
		}
	}
}

// The names of operations.
const (
	operationAgent = "invoke_agent"
	operationTool  = "execute_tool"
	operationChat  = "chat"
)

// name gives a call's span its name and what every span has.
func (b *Builder) name(c *call, operation, what string) {
	what = name(what)
	c.span.Name = strings.TrimSpace(operation + " " + what)
	a := &c.span.Attributes
	a.text("gen_ai.operation.name", operation)
	a.named("gen_ai.conversation.id", b.about)
	if operation == operationAgent {
		a.text("gen_ai.agent.name", what)
	} else {
		a.text("gen_ai.tool.name", what)
	}
}

// request begins the span of a model request.
func (b *Builder) request(c *call, turn int) *span {
	b.unanswered(c, "")
	c.requests++
	s := &span{TraceID: c.span.TraceID, SpanID: spanID(b.seed, c.id, c.requests), ParentID: c.span.SpanID, Flags: sampled, Kind: client, Start: b.now, End: b.now}
	s.Attributes.text("gen_ai.operation.name", operationChat)
	s.Attributes.named("gen_ai.conversation.id", b.about)
	s.Attributes.number("golem.turn", int64(turn))
	b.model(s, "gen_ai.request.model", c.model)
	if b.full = b.full || len(b.spans) >= b.most; !b.full {
		b.spans = append(b.spans, s)
	}
	c.asked = s
	return s
}

// model sets the model and the provider of a request, and names its span.
func (b *Builder) model(s *span, key, full string) {
	provider, model, ok := strings.Cut(full, ":")
	if !ok {
		provider, model = "", full
	}
	s.Attributes.named(key, model)
	s.Attributes.named("gen_ai.provider.name", cmp.Or(providers[provider], provider))
	if s.Kind == client {
		s.Name = strings.TrimSpace(operationChat + " " + name(model))
	}
}

// providers has the providers that the conventions name otherwise than golem.
var providers = map[string]string{"google": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai", "azure": "azure.ai.openai"}

// unanswered ends a model request that got no answer, because of code; "": it is not known.
func (b *Builder) unanswered(c *call, code fault.Code) {
	if c.asked == nil {
		return
	}
	c.asked.End = max(b.now, c.asked.Start)
	b.fail(c.asked, &fault.Fault{Code: code})
	c.asked = nil
}

// fail marks a span as failed.
func (b *Builder) fail(s *span, f *fault.Fault) {
	code := cmp.Or(name(string(f.Code)), "_OTHER")
	s.Attributes.text("error.type", code)
	s.Status = &status{Code: statusError, Message: code}
	if f.Message != "" {
		if text, ok := b.content(f.Error()); ok {
			s.Status.Message = text
		}
	}
}

// ends ends a call's span. It may end again: a worker's call ends behind its run.
func (b *Builder) ends(c *call, f *fault.Fault) {
	if c.ended = true; f == nil {
		b.unanswered(c, "")
	} else {
		b.unanswered(c, f.Code)
		b.fail(c.span, f)
	}
	c.span.End = max(b.now, c.span.Start)
}

// content returns a text as valid UTF-8, shortened to maxText. ok is false if spans have no
// contents, or too many already.
func (b *Builder) content(s string) (text string, ok bool) {
	if !b.options.Contents || s == "" {
		return "", false
	}
	text = strings.ToValidUTF8(fault.Head(s, maxText), "\uFFFD")
	if text != s {
		text = fault.Head(text, maxText) + "…"
	}
	if b.room < len(text) {
		return "", false
	}
	b.room -= len(text)
	return text, true
}

// say sets an attribute that is a content.
func (b *Builder) say(a *attributes, key, s string) {
	if text, ok := b.content(s); ok {
		a.text(key, text)
	}
}

// sayValue sets an attribute that is a value of the trace.
func (b *Builder) sayValue(a *attributes, key string, raw json.RawMessage) {
	if b.options.Contents && b.room > 0 { // else it needs no reading
		b.say(a, key, content(raw))
	}
}

// happened adds an event to a call, or to its model request that has no answer yet.
func (b *Builder) happened(c *call, name string, a attributes) {
	s := c.span
	if c.asked != nil && strings.HasPrefix(name, "golem.retry") {
		s = c.asked
	}
	if len(s.Events) >= maxEvents {
		s.Dropped++
		return
	}
	s.Events = append(s.Events, event{b.now, name, a})
}

// end ends what has no end in the trace.
func (b *Builder) end() {
	if b.ended {
		return
	}
	if b.ended = true; b.seed == "" {
		b.begin(trace.Event{})
	}
	for _, c := range b.calls {
		b.unanswered(c, "")
		if !c.ended {
			b.ends(c, &fault.Fault{Code: fault.Interrupted})
			c.span.Attributes.flag("golem.unfinished", true)
		}
		c.span.Name = cmp.Or(c.span.Name, "call") // its beginning is missing
	}
	b.calls[rootID].span.Attributes.flag("golem.truncated", b.full)
}
