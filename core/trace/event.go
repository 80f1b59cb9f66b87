// Package trace records runs. It has one Event type that the trace file, the
// page, the terminal and the tests share, the sinks that receive events, and a
// reader that turns a trace file back into a tree of calls (SPEC §14, §16;
// S3-06, S3-21).
package trace

import (
	"encoding/json"
	"fmt"

	"golem/core/fault"
	"golem/core/money"
)

// Event is one line of a trace. The Writer sets Seq and TS; transient events
// (Body.Transient) have no Seq and are not written to a trace file.
//
// In JSON, an event is one flat object: the fields of Body follow the other fields.
type Event struct {
	Seq    int64
	TS     string // RFC 3339 in UTC, with microseconds
	ID     string // id of the call that the event belongs to; "0" is the root
	Parent string // "" for the root
	Worker string // ID of the running worker
	Depth  int
	Body   Body
}

// Usage has the numbers of model.Usage: tokens, whether they are estimated, and
// what they cost in US dollars, exactly.
type Usage struct {
	In        int  `json:"in"`
	Out       int  `json:"out"`
	Cached    int  `json:"cached,omitempty"`  // of In, read from the provider's cache
	Written   int  `json:"written,omitempty"` // of In, written to the provider's cache
	Estimated bool `json:"estimated,omitempty"`

	Cost money.USD `json:"cost_usd,omitempty"`
	// CostPartial means that some of the tokens, or all of them, have no known
	// price, so the real cost is at least Cost.
	CostPartial bool `json:"cost_partial,omitempty"`
}

// Header is the first line of a trace file.
type Header struct {
	Golem    string `json:"golem"` // always "trace"
	V        int    `json:"v"`     // 1
	Run      string `json:"run"`
	Version  string `json:"version"`
	Platform string `json:"platform"` // native or browser
	Project  string `json:"project"`
	Entry    string `json:"entry"`
	Started  string `json:"started"` // RFC 3339, UTC
}

// RunStart is the start of a run, with the person's input.
type RunStart struct {
	Input json.RawMessage `json:"input"`           // a JSON string or object
	Files []FileRef       `json:"files,omitempty"` // that go with it
	// Earlier are the messages that came before the input, of a conversation that another
	// program keeps.
	Earlier []Message `json:"earlier,omitempty"`
	// Resumes is the ID of the conversation that the run goes on with; "": a new one.
	Resumes string `json:"resumes,omitempty"`
}

// RunEnd is the end of a run.
type RunEnd struct {
	Status string          `json:"status"` // ok, needs_input, error, interrupted
	Exit   int             `json:"exit"`
	Output json.RawMessage `json:"output,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	Denied []string        `json:"denied,omitempty"` // call ids denied because nobody could be asked
	Failed []string        `json:"failed,omitempty"` // call ids of workers that failed below the root
	Opened []string        `json:"opened,omitempty"` // files read while loading, project-relative, sorted
	Usage  Usage           `json:"usage"`
	MS     int64           `json:"ms"`
}

// WorkerStart is the start of a worker run.
type WorkerStart struct {
	Source string `json:"source"` // project-relative file, or "builtin:…"
	Digest string `json:"digest"` // SHA-256 of the definition, hex
	Model  string `json:"model"`
	// ModelFrom says where the model was chosen: "command line",
	// "main.worker:3", "environment GOLEM_MODEL", "project.yaml:4" or "caller
	// main".
	ModelFrom string   `json:"model_from,omitempty"`
	Tools     []string `json:"tools"` // offered to the model, in order
	// Hardened is the path of the module that answers before the model; "": there is none.
	Hardened string `json:"hardened,omitempty"`
}

// WorkerEnd is the end of a worker run.
type WorkerEnd struct {
	Status string          `json:"status"` // ok, needs_input, error, interrupted
	Output json.RawMessage `json:"output,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	Usage  Usage           `json:"usage"`         // of the worker and all below it
	Own    *Usage          `json:"own,omitempty"` // of the worker's own requests, where that is less
	MS     int64           `json:"ms"`
}

// ModelStart is a request to a model. Messages is the number of its messages;
// artifacts have their complete text.
type ModelStart struct {
	Turn     int `json:"turn"`
	Messages int `json:"messages"`
}

// CallRef is a tool call as the model made it.
type CallRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ModelEnd is the model's answer to a request.
type ModelEnd struct {
	Turn     int       `json:"turn"`
	Model    string    `json:"model"`
	Finish   string    `json:"finish"`
	Text     string    `json:"text"`
	Calls    []CallRef `json:"calls,omitempty"`
	Usage    Usage     `json:"usage"`
	Attempts int       `json:"attempts"`
	// Reasoning says how long and how much the model reasoned before it answered; nil: it did
	// not, or the provider does not say.
	Reasoning *Reasoned `json:"reasoning,omitempty"`
	MS        int64     `json:"ms"`
}

// Reasoned says how long a model reasoned in one turn, and how much. Tokens are a part of
// Usage.Out. Estimated means that golem counted them itself.
type Reasoned struct {
	MS        int64 `json:"ms"`
	Tokens    int   `json:"tokens"`
	Estimated bool  `json:"estimated,omitempty"`
}

// Retry says that a model request will be tried again after WaitMS
// milliseconds.
type Retry struct {
	Turn    int        `json:"turn"`
	Attempt int        `json:"attempt"` // the one that failed, from 1
	Code    fault.Code `json:"code"`
	Message string     `json:"message,omitempty"`
	WaitMS  int64      `json:"wait_ms"`
}

// ToolStart is the start of a call of a tool or a worker.
type ToolStart struct {
	Tool   string          `json:"tool"`
	Kind   string          `json:"kind"` // builtin, wasm, worker
	Module string          `json:"module,omitempty"`
	Args   json.RawMessage `json:"args"` // a JSON string if the model sent no valid JSON
}

// ToolEnd is the end of a call.
type ToolEnd struct {
	Tool   string          `json:"tool"`
	Status string          `json:"status"` // ok, error, denied, not_run, stopped
	Result json.RawMessage `json:"result,omitempty"`
	Text   string          `json:"text,omitempty"` // what the tool said beside a JSON result
	Parts  []Part          `json:"parts,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	Fuel   int64           `json:"fuel,omitempty"`
	// FuelVaries means that the module reads the clock or random numbers, as
	// every Go program does when it starts, so the same call may use a
	// different amount of fuel.
	FuelVaries bool  `json:"fuel_varies,omitempty"`
	MS         int64 `json:"ms"`
}

// Part is a part of a result that is not text: an image or a resource.
type Part struct {
	Type  string `json:"type"`
	MIME  string `json:"mimeType,omitempty"`
	Name  string `json:"name,omitempty"`
	Bytes int    `json:"bytes"`
	Data  string `json:"data"` // base64
}

// String describes the part in one line for people: "[image logo.png:
// image/png, 1234 bytes]".
func (p Part) String() string {
	what := p.Type
	if p.Name != "" {
		what += " " + p.Name
	}
	return fmt.Sprintf("[%s: %s, %d bytes]", what, p.MIME, p.Bytes)
}

// Approval is the gate's decision about a call, or a person's answer to a
// question of another kind.
type Approval struct {
	Kind     string `json:"kind,omitempty"` // "" for a call; else trust, turns or resume
	Tool     string `json:"tool,omitempty"` // for a call
	Setting  string `json:"setting"`        // preApproved, ask, blocked
	Rule     string `json:"rule,omitempty"` // for a call: where the setting is written; else what was asked
	Source   string `json:"source"`         // setting, cache, mode, user
	Decision string `json:"decision"`       // run, deny
	Remember string `json:"remember,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Allow    string `json:"allow,omitempty"` // if nobody could be asked: the rule (YAML) that would have let the call run
}

// Clearance says that the state of a staged item changed.
type Clearance struct {
	Item    string `json:"item,omitempty"`
	Action  string `json:"action"`
	Message string `json:"message,omitempty"`
	Target  string `json:"target,omitempty"`
	// OK says whether the action that a person chose was carried out, and Error why it was
	// not. Both are nil for other actions.
	OK    *bool        `json:"ok,omitempty"`
	Error *fault.Fault `json:"error,omitempty"`
	// Items are the first pending items, each with its number and its message, if Action
	// is "pending".
	Items []string `json:"items,omitempty"`
}

// Message is what a person says in a conversation after the first input, which
// is in RunStart.
type Message struct {
	Role  string    `json:"role"` // user; in RunStart.Earlier also assistant
	Text  string    `json:"text"`
	Files []FileRef `json:"files,omitempty"` // that go with it
	// Steering says that it was sent while an exchange ran, and is part of that exchange.
	Steering bool `json:"steering,omitempty"`
}

// FileRef is a file that goes with a message.
type FileRef struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// Fallback says that the model of a hardened worker answers, because the worker's module did
// not (SPEC §18). The input of the call is a new case for golem harden --again.
type Fallback struct {
	Tool    string       `json:"tool"`
	Call    string       `json:"call,omitempty"` // the id of the module's call; "": it was not asked
	Reason  string       `json:"reason"`         // failed, schema, unsure, input
	Message string       `json:"message,omitempty"`
	Error   *fault.Fault `json:"error,omitempty"`
}

// Text says for people why the module did not answer.
func (f Fallback) Text() string {
	why := f.Message
	if f.Error != nil {
		why = f.Error.Error()
	}
	switch f.Reason {
	case "unsure":
		return "the code of " + f.Tool + " is unsure, so the worker answers: " + why
	case "schema":
		return "the answer of the code of " + f.Tool + " does not fit, so the worker answers: " + why
	case "input":
		return "the code of " + f.Tool + " was not asked, so the worker answers: " + why
	}
	return "the code of " + f.Tool + " failed, so the worker answers: " + why
}

// Permission says that a person changed what the session may do without asking
// (approval.Permission).
type Permission struct {
	Permission string `json:"permission"` // ask, edits, plan
	// Early says that the run has not begun: the event is only shown, and comes again after
	// RunStart.
	Early bool `json:"-"`
}

// Warning is something that a person should know and that does not stop the
// run.
type Warning struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Error is an error that belongs to no call.
type Error struct {
	Code    fault.Code   `json:"code"`
	Message string       `json:"message"`
	Where   *fault.Where `json:"where,omitempty"`
	Hint    string       `json:"hint,omitempty"`
}

// Delta is a piece of an answer while it arrives. Reset means that the text of
// this turn so far is void.
type Delta struct {
	Text  string `json:"text"`
	Reset bool   `json:"reset,omitempty"`

	Broken bool `json:"-"` // with no Text: the model was stopped or failed, so that the text has no end
}

// Reasoning is a piece of what a model reasons before it answers, while it arrives. It is no
// part of the answer and is not kept. A Delta with Reset makes it void, too. Over is set,
// and Text empty, when the answer begins: how long and how much the model has reasoned in
// this turn up to now.
type Reasoning struct {
	Text string    `json:"text"`
	Over *Reasoned `json:"over,omitempty"`

	Broken bool `json:"-"` // with Over: the model was stopped or failed, so that the text has no end
}

// Progress is the state of a call of a worker. The event's id and depth are
// those of the called worker (S4-22, S4-33).
type Progress struct {
	Status      string `json:"status"`         // pending, running, complete, failed
	Description string `json:"description"`    // the worker
	Task        string `json:"task,omitempty"` // the beginning of what it is to do
}

// Status is a line of text for a person (S4-23, S4-33). Level is info, warn or
// error.
type Status struct {
	Text  string `json:"text"`
	Level string `json:"level"`
	// Conversation is the branch in which a chat goes on after it went back; "": the chat
	// stays in its conversation.
	Conversation string `json:"conversation,omitempty"`
	// Draft is a message that a person took back, for the editor.
	Draft string `json:"draft,omitempty"`
	// Before is the number of the person's message, from 1, before which the chat goes on in
	// Conversation: this message and what follows are not in it.
	Before int `json:"before,omitempty"`
}

// Diff is a change to a file (S4-24, S4-33).
type Diff struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"` // SHA-256, hex; "" = did not exist
	After  string `json:"after,omitempty"`
	Patch  string `json:"patch"` // unified
}

// Ask says that a person is being asked. Request is an approval.Request as
// JSON.
type Ask struct {
	Request json.RawMessage `json:"request"`
}

// Sink receives events. Emit is called from many goroutines and must not block
// for long. The event is valid only during the call, so a sink that needs it
// later must copy it.
type Sink interface {
	Emit(Event)
}
