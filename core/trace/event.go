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

// Usage is a number of tokens, as the provider bills them, and their cost. Tokens of answers
// that failed count, as far as the provider says.
type Usage struct {
	In        int  `json:"in"`                  // tokens that the model read
	Out       int  `json:"out"`                 // tokens that it wrote
	Cached    int  `json:"cached,omitempty"`    // the part of "in" that came from the provider's cache
	Written   int  `json:"written,omitempty"`   // the part of "in" that was written to the cache
	Estimated bool `json:"estimated,omitempty"` // golem counted the tokens itself

	Cost        money.USD `json:"cost_usd,omitempty"`     // US dollars, an exact decimal number
	CostPartial bool      `json:"cost_partial,omitempty"` // the price of some of the tokens is not known: the cost is at least "cost_usd"
}

// Header is the first line of a trace file. Readers ignore fields and types that they do not
// know; "v" rises only if they could not.
type Header struct {
	Golem    string `json:"golem"`    // always "trace"
	V        int    `json:"v"`        // 1
	Run      string `json:"run"`      // the name of the run
	Version  string `json:"version"`  // of golem
	Platform string `json:"platform"` // "native" or "browser"
	Project  string `json:"project"`  // the name of the project
	Entry    string `json:"entry"`    // the first worker
	Started  string `json:"started"`  // RFC 3339, UTC
}

// RunStart is the start of a run, with the person's input.
type RunStart struct {
	Input json.RawMessage `json:"input"`           // a JSON string or object
	Files []FileRef       `json:"files,omitempty"` // the attachments
	// the messages before the input, of a conversation that another program keeps
	Earlier []Message `json:"earlier,omitempty"`
	// the ID of the conversation that the run goes on with
	Resumes string `json:"resumes,omitempty"`
}

// RunEnd is the end of a run.
type RunEnd struct {
	Status string          `json:"status"`           // "ok", "needs_input", "error" or "interrupted"
	Exit   int             `json:"exit"`             // the exit code
	Output json.RawMessage `json:"output,omitempty"` // the answer
	Error  *fault.Fault    `json:"error,omitempty"`  // a fault
	Denied []string        `json:"denied,omitempty"` // ids of the calls that were denied because nobody could be asked
	Failed []string        `json:"failed,omitempty"` // ids of the workers below the first one that failed
	Opened []string        `json:"opened,omitempty"` // the files of the project that were read while loading, sorted
	Usage  Usage           `json:"usage"`            // of all workers
	MS     int64           `json:"ms"`               // the duration
}

// WorkerStart is the start of a worker.
type WorkerStart struct {
	Source string `json:"source"` // its file, from the root of the project, or "builtin:…"
	Digest string `json:"digest"` // the SHA-256 of its definition
	Model  string `json:"model"`  // provider:name
	// who chose the model: "command line", "main.worker:3", "environment GOLEM_MODEL",
	// "project.yaml:4", "caller main", or "/model" in a chat
	ModelFrom string   `json:"model_from,omitempty"`
	Tools     []string `json:"tools"`              // the tools that the model gets, in order
	Hardened  string   `json:"hardened,omitempty"` // the module that answers before the model
}

// WorkerEnd is the end of a worker.
type WorkerEnd struct {
	Status string          `json:"status"`           // as in "run.end"
	Output json.RawMessage `json:"output,omitempty"` // its answer
	Error  *fault.Fault    `json:"error,omitempty"`  // a fault
	Usage  Usage           `json:"usage"`            // of the worker and all below it
	Own    *Usage          `json:"own,omitempty"`    // of the worker's own requests, if that is less
	MS     int64           `json:"ms"`               // the duration
}

// ModelStart is a request to a model. "--artifacts" keeps its complete text.
type ModelStart struct {
	Turn     int `json:"turn"`     // the number of the request, from 1
	Messages int `json:"messages"` // how many messages it has
}

// CallRef is a call as the model made it.
type CallRef struct {
	ID   string `json:"id"`   // the provider's id
	Name string `json:"name"` // the tool
}

// ModelEnd is the answer to a request.
type ModelEnd struct {
	Turn     int       `json:"turn"`            // that of the request
	Model    string    `json:"model"`           // that answered
	Finish   string    `json:"finish"`          // why the answer ends, such as "stop", "tool_calls" or "length"
	Text     string    `json:"text"`            // the answer
	Calls    []CallRef `json:"calls,omitempty"` // the calls that it wants
	Usage    Usage     `json:"usage"`           // of the request
	Attempts int       `json:"attempts"`        // how often it was tried
	// how long and how much the model reasoned, if the provider says it
	Reasoning *Reasoned `json:"reasoning,omitempty"`
	MS        int64     `json:"ms"` // the duration
}

// Reasoned says how long and how much a model reasoned in one turn.
type Reasoned struct {
	MS        int64 `json:"ms"`                  // the duration
	Tokens    int   `json:"tokens"`              // a part of "usage.out"
	Estimated bool  `json:"estimated,omitempty"` // golem counted the tokens itself
}

// Retry says that a request is tried again.
type Retry struct {
	Turn    int        `json:"turn"`              // that of the request
	Attempt int        `json:"attempt"`           // the attempt that failed, from 1
	Code    fault.Code `json:"code"`              // why
	Message string     `json:"message,omitempty"` // why, in words
	WaitMS  int64      `json:"wait_ms"`           // the time until the next attempt
}

// ToolStart is the start of a call of a tool or a worker.
type ToolStart struct {
	Tool   string          `json:"tool"`             // its name
	Kind   string          `json:"kind"`             // "builtin", "wasm", "worker", or "provider" for a tool that ran at the provider, which golem cannot gate
	Module string          `json:"module,omitempty"` // of a custom tool: "tools/a.wasm@sha256:…"
	Args   json.RawMessage `json:"args"`             // as the model sent them; a JSON string if they are not valid JSON
}

// ToolEnd is the end of a call.
type ToolEnd struct {
	Tool       string          `json:"tool"`                  // its name
	Status     string          `json:"status"`                // "ok", "error", "denied", "not_run" or "stopped"
	Result     json.RawMessage `json:"result,omitempty"`      // what the model reads
	Text       string          `json:"text,omitempty"`        // what it reads beside a JSON result
	Parts      []Part          `json:"parts,omitempty"`       // images and resources
	Error      *fault.Fault    `json:"error,omitempty"`       // a fault
	Fuel       int64           `json:"fuel,omitempty"`        // what a custom tool computed; the same call uses the same fuel
	FuelVaries bool            `json:"fuel_varies,omitempty"` // it does not, because the module reads the clock or random numbers
	MS         int64           `json:"ms"`                    // the duration
}

// Part is a part of a result that is not text: an image or a resource.
type Part struct {
	Type  string `json:"type"`               // "image" or "resource"
	MIME  string `json:"mimeType,omitempty"` // such as "image/png"
	Name  string `json:"name,omitempty"`     // of the file
	Bytes int    `json:"bytes"`              // its size
	Data  string `json:"data"`               // base64
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

// Approval is a decision of the gate, exactly one for each call that reached it, or a person's
// answer to a question of another kind.
type Approval struct {
	Kind     string `json:"kind,omitempty"`     // of a question that is not about a call: "trust", "turns", "resume" or "secret"
	Tool     string `json:"tool,omitempty"`     // of a call
	Setting  string `json:"setting"`            // "preApproved", "ask" or "blocked"
	Rule     string `json:"rule,omitempty"`     // where the setting is written; of another kind what was asked
	Source   string `json:"source"`             // who decided: "setting", "cache" (an earlier answer), "mode" or "user"
	Decision string `json:"decision"`           // "run" or "deny"
	Remember string `json:"remember,omitempty"` // "session", "always", "never" or "keep"
	Reason   string `json:"reason,omitempty"`   // why, in words
	Allow    string `json:"allow,omitempty"`    // if nobody could be asked: the rule, as YAML, that would have let the call run
}

// Clearance says that the state of a staged change changed.
type Clearance struct {
	Item    string `json:"item,omitempty"`    // its number
	Action  string `json:"action"`            // "staged"; "push", "discard" or "defer", as a person decided; "pending" at the end of a run
	Message string `json:"message,omitempty"` // what the worker says about it
	Target  string `json:"target,omitempty"`  // where it goes
	OK      *bool  `json:"ok,omitempty"`      // whether what the person decided was done
	// why it was not: a fault
	Error *fault.Fault `json:"error,omitempty"`
	// of "pending": the first items, each with its number and message
	Items []string `json:"items,omitempty"`
}

// Message is what a person says in a conversation after the first input. The commands "/new",
// "/model NAME" and "/set NAME=VALUE" are messages, too.
type Message struct {
	Role     string    `json:"role"`               // "user"; in "earlier" of "run.start" also "assistant"
	Text     string    `json:"text"`               // what was said
	Files    []FileRef `json:"files,omitempty"`    // the attachments
	Steering bool      `json:"steering,omitempty"` // it was sent during an exchange, and is a part of it
}

// FileRef is a file that goes with a message.
type FileRef struct {
	Name  string `json:"name"`  // its name
	Bytes int    `json:"bytes"` // its size
}

// Fallback says that the model of a hardened worker answers, because the worker's module did
// not (SPEC §18). The input is a new case for "golem harden --again".
type Fallback struct {
	Tool    string       `json:"tool"`              // the worker
	Call    string       `json:"call,omitempty"`    // the id of the module's call, unless it was not asked
	Reason  string       `json:"reason"`            // "failed", "schema", "unsure" or "input"
	Message string       `json:"message,omitempty"` // what the module says
	Error   *fault.Fault `json:"error,omitempty"`   // a fault
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

// Permission says that a person changed what workers may do without asking.
type Permission struct {
	Permission string `json:"permission"` // "ask", "edits" or "plan"
	// Early says that the run has not begun: the event is only shown, and comes again after
	// RunStart.
	Early bool `json:"-"`
}

// Warning is something to know that does not stop the run. E_TOOL_INPUT: arguments of the call
// were coerced.
type Warning struct {
	Code    fault.Code `json:"code"`            // an error code
	Message string     `json:"message"`         // what happened
	Level   string     `json:"level,omitempty"` // "info": a person asked for it
}

// Error is an error that belongs to no call.
type Error struct {
	Code    fault.Code       `json:"code"`            // an error code
	Message string           `json:"message"`         // what happened
	Where   *fault.Where     `json:"where,omitempty"` // the place in a file
	Hint    string           `json:"hint,omitempty"`  // what to do
	Page    *fault.PageWords `json:"page,omitempty"`  // what the page shows in place of "message" and "hint"
}

// NewError returns the event of a fault.
func NewError(f *fault.Fault) Error { return Error{f.Code, f.Message, f.Where, f.Hint, f.Page} }

// Delta is a piece of an answer while it arrives.
type Delta struct {
	Text  string `json:"text"`            // the piece
	Reset bool   `json:"reset,omitempty"` // the text of this turn up to now is void, and what the model reasoned

	Broken bool `json:"-"` // with no Text: the model was stopped or failed, so that the text has no end
}

// Reasoning is a piece of what a model reasons before it answers, while it arrives.
type Reasoning struct {
	Text string    `json:"text"`           // the piece; empty when the answer begins
	Over *Reasoned `json:"over,omitempty"` // when the answer begins: as "reasoning" of "model.end", up to now

	Broken bool `json:"-"` // with Over: the model was stopped or failed, so that the text has no end
}

// Progress is the state of a call of a worker. "id" and "depth" are those of the called worker
// (S4-22, S4-33).
type Progress struct {
	Status      string `json:"status"`         // "pending", "running", "complete" or "failed"
	Description string `json:"description"`    // the worker
	Task        string `json:"task,omitempty"` // the beginning of what it must do
}

// Status is a line of text for the person (S4-23, S4-33).
type Status struct {
	Text  string `json:"text"`           // what to show
	Page  string `json:"page,omitempty"` // what the page shows in its place
	Level string `json:"level"`          // "info", "warn" or "error"
	// the branch in which a chat goes on after it went back
	Conversation string `json:"conversation,omitempty"`
	// a message that the person took back, to edit it
	Draft string `json:"draft,omitempty"`
	// the number of the person's message, from 1, before which the chat goes on in "conversation"
	Before int `json:"before,omitempty"`
	// the title that the conversation has now, after /title
	Title string `json:"title,omitempty"`
}

// Diff is a change to a file (S4-24, S4-33).
type Diff struct {
	Path   string `json:"path"`             // the file
	Before string `json:"before,omitempty"` // the SHA-256 of its content before, if there was one
	After  string `json:"after,omitempty"`  // the SHA-256 after, if there is one
	Patch  string `json:"patch"`            // a unified diff
}

// Ask is a question to the person.
type Ask struct {
	Request json.RawMessage `json:"request"` // the question: see "--json" in the page about traces
}

// Sink receives events. Emit is called from many goroutines and must not block
// for long. The event is valid only during the call, so a sink that needs it
// later must copy it.
type Sink interface {
	Emit(Event)
}
