package model

import (
	"bytes"
	"encoding/json"
	"slices"

	"golem/core/fault"
	"golem/core/tool"
)

// Effect is the result of a call that reached beyond the run's files: one of risk network or
// command, or of an MCP server. A recording for a test has it, because such a call does not
// run in a test (SPEC §16).
type Effect struct {
	Call    string          `json:"call"` // EffectKey
	ID      string          `json:"id"`   // of the call
	Tool    string          `json:"tool"`
	Result  json.RawMessage `json:"result,omitempty"` // the data, or the text as a JSON string
	Kind    string          `json:"kind,omitempty"`
	Summary string          `json:"summary,omitempty"`
	Text    string          `json:"text,omitempty"` // beside the data
	Parts   []tool.Part     `json:"parts,omitempty"`
	Error   *EffectError    `json:"error,omitempty"`
}

// EffectError is the error that a call ended with.
type EffectError struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
	Hint    string     `json:"hint,omitempty"`
}

// Served are the tools of the MCP servers of a worker, which a test does not start.
type Served struct {
	Served string       `json:"served"` // the worker's ID
	Tools  []ServedTool `json:"tools"`
	Words  string       `json:"words,omitempty"` // what the servers say about their use
}

// ServedTool is a tool of an MCP server, as a worker has it.
type ServedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
	Risk        tool.Risk       `json:"risk"`
}

// EffectKey returns the SHA-256 of the RFC 8785 form of {tool, args} without secrets.
// Arguments that are not JSON count as a text.
func EffectKey(name string, args json.RawMessage, redact tool.Redactor) string {
	if redact == nil {
		redact = tool.NoSecrets{}
	}
	text := redact.Redact(string(args))
	clean := json.RawMessage(text)
	if !json.Valid(clean) {
		clean = quote(text)
	}
	whole := append(append([]byte(`{"tool":`), quote(redact.Redact(name))...), `,"args":`...)
	whole = append(append(whole, clean...), '}')
	canonical, err := tool.Canonical(whole)
	if err != nil {
		canonical = whole
	}
	return sum(canonical)
}

// Output returns what the call returned.
func (e Effect) Output() (tool.Output, error) {
	if e.Error != nil {
		f := fault.New(e.Error.Code, "%s", e.Error.Message)
		if e.Error.Hint != "" {
			f = f.Hinting("%s", e.Error.Hint)
		}
		return tool.Output{Untrusted: true}, f
	}
	out := tool.Output{Kind: e.Kind, Summary: e.Summary, Parts: e.Parts, Untrusted: true}
	if json.Unmarshal(e.Result, &out.Text) == nil && e.Kind == "" {
		return out, nil
	}
	out.Data, out.Text = e.Result, e.Text
	return out, nil
}

// EffectOf returns the result of a call as a recording has it.
func EffectOf(id, name string, args json.RawMessage, out tool.Output, failed *fault.Fault, redact tool.Redactor) Effect {
	e := Effect{Call: EffectKey(name, args, redact), ID: id, Tool: redact.Redact(name)}
	if failed != nil {
		e.Error = &EffectError{failed.Code, redact.Redact(failed.Message), redact.Redact(failed.Hint)}
		return e
	}
	e.Summary, e.Parts = redact.Redact(out.Summary), withoutSecrets(out.Parts, redact)
	if len(out.Data) == 0 {
		e.Result = quote(redact.Redact(out.Text))
		return e
	}
	e.Result, e.Kind, e.Text = raw(out.Data, redact), out.Kind, redact.Redact(out.Beside())
	if e.Kind == "" {
		e.Kind = "json"
	}
	return e
}

func withoutSecrets(parts []tool.Part, redact tool.Redactor) []tool.Part {
	out := slices.Clone(parts)
	for i := range out {
		p := &out[i]
		p.Name, p.MIME = redact.Redact(p.Name), redact.Redact(p.MIME)
		if text := redact.Redact(string(p.Data)); text != string(p.Data) {
			p.Data = []byte(text)
		}
	}
	return out
}

// Effect writes the result of a call. It is an error of the recording, see Wrap, if it cannot
// be written.
func (rec *Recorder) Effect(e Effect) { rec.line(e) }

// Served writes the tools of the MCP servers of a worker.
func (rec *Recorder) Served(s Served) {
	s.Words, s.Tools = rec.redact.Redact(s.Words), slices.Clone(s.Tools)
	for i, t := range s.Tools {
		s.Tools[i].Description, s.Tools[i].Input, s.Tools[i].Output = rec.redact.Redact(t.Description), raw(t.Input, rec.redact), raw(t.Output, rec.redact)
	}
	rec.line(s)
}

func (rec *Recorder) line(v any) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.started {
		rec.started = true
		rec.put(rec.header(""))
	}
	rec.put(v)
}

// Err returns the first error of writing.
func (rec *Recorder) Err() error {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.err
}

// ReadEffects returns the results of calls that a recording has, and the tools of servers by
// worker. Lines of other kinds are passed over; Open reports what is wrong with them.
func ReadEffects(data []byte) (effects []Effect, served map[string]Served) {
	served = map[string]Served{}
	for line := range bytes.Lines(data) {
		var e Effect
		var s Served
		switch {
		case bytes.HasPrefix(line, []byte(`{"call":`)) && json.Unmarshal(line, &e) == nil:
			effects = append(effects, e)
		case bytes.HasPrefix(line, []byte(`{"served":`)) && json.Unmarshal(line, &s) == nil:
			served[s.Served] = s
		}
	}
	return effects, served
}

// isNoAttempt reports whether a line of a recording is not an attempt of a model.
func isNoAttempt(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"call":`)) || bytes.HasPrefix(line, []byte(`{"served":`))
}
