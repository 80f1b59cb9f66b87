// Package trace is the record of a run: one Event struct that the trace file,
// the page, the terminal and the tests share, the sinks that carry it, and
// the reader that turns a file back into a tree (SPEC §14, §16; S3-06, S3-21).
package trace

import (
	"encoding/json"
	"fmt"

	"golem/core/fault"
	"golem/core/money"
)

// Event is one line. Seq and TS are set by the writer; transient events
// (Body.Transient) have no Seq and are not kept in a trace file.
//
// As JSON the fields of Body stand beside the others in one flat object.
type Event struct {
	Seq    int64
	TS     string // RFC 3339, UTC, microseconds
	ID     string // of the call this belongs to; "0" is the root
	Parent string // "" for the root
	Worker string // the running worker's ID
	Depth  int
	Body   Body
}

// Usage mirrors model.Usage: tokens, whether they were estimated, and what they
// cost in US dollars, exact; without a cost nobody knows it, or nothing is billed.
type Usage struct {
	In        int  `json:"in"`
	Out       int  `json:"out"`
	Cached    int  `json:"cached,omitempty"`  // of In, read from the provider's cache
	Written   int  `json:"written,omitempty"` // of In, written to the provider's cache
	Estimated bool `json:"estimated,omitempty"`

	Cost money.USD `json:"cost_usd,omitempty"`
	// CostPartial: for some of the tokens nobody knows the price, so that it was
	// at least Cost.
	CostPartial bool `json:"cost_partial,omitempty"`
}

// Header is a trace file's first line.
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

// RunStart is the person's input.
type RunStart struct {
	Input json.RawMessage `json:"input"` // a JSON string or object
}

// RunEnd closes a run.
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

// WorkerStart opens a worker run.
type WorkerStart struct {
	Source string `json:"source"` // project-relative file, or "builtin:…"
	Digest string `json:"digest"` // SHA-256 of the definition, hex
	Model  string `json:"model"`
	// ModelFrom is who chose the model: "command line", "main.worker:3",
	// "environment GOLEM_MODEL", "project.yaml:4", "caller main".
	ModelFrom string   `json:"model_from,omitempty"`
	Tools     []string `json:"tools"` // offered to the model, in order
}

// WorkerEnd closes a worker run.
type WorkerEnd struct {
	Status string          `json:"status"` // ok, needs_input, error, interrupted
	Output json.RawMessage `json:"output,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	Usage  Usage           `json:"usage"`         // of the worker and all below it
	Own    *Usage          `json:"own,omitempty"` // of the worker's own requests, where that is less
	MS     int64           `json:"ms"`
}

// ModelStart opens a model request. Messages is how many it holds; artifacts
// hold them whole.
type ModelStart struct {
	Turn     int `json:"turn"`
	Messages int `json:"messages"`
}

// CallRef is a tool call as the model made it.
type CallRef struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ModelEnd is a model's answer.
type ModelEnd struct {
	Turn     int       `json:"turn"`
	Model    string    `json:"model"`
	Finish   string    `json:"finish"`
	Text     string    `json:"text"`
	Calls    []CallRef `json:"calls,omitempty"`
	Usage    Usage     `json:"usage"`
	Attempts int       `json:"attempts"`
	MS       int64     `json:"ms"`
}

// Retry says that a model request is tried again after WaitMS milliseconds.
type Retry struct {
	Turn    int        `json:"turn"`
	Attempt int        `json:"attempt"` // the one that failed, from 1
	Code    fault.Code `json:"code"`
	Message string     `json:"message,omitempty"`
	WaitMS  int64      `json:"wait_ms"`
}

// ToolStart opens a call of a tool or a worker.
type ToolStart struct {
	Tool   string          `json:"tool"`
	Kind   string          `json:"kind"` // builtin, wasm, worker
	Module string          `json:"module,omitempty"`
	Args   json.RawMessage `json:"args"` // a JSON string if what the model sent is no JSON
}

// ToolEnd closes a call.
type ToolEnd struct {
	Tool   string          `json:"tool"`
	Status string          `json:"status"` // ok, error, denied, not_run, stopped
	Result json.RawMessage `json:"result,omitempty"`
	Parts  []Part          `json:"parts,omitempty"`
	Error  *fault.Fault    `json:"error,omitempty"`
	Fuel   int64           `json:"fuel,omitempty"`
	// FuelVaries: the module asks for the time or for random numbers, as every
	// Go program does when it starts, so the same call may use other fuel.
	FuelVaries bool  `json:"fuel_varies,omitempty"`
	MS         int64 `json:"ms"`
}

// Part is a piece of a result that is no text: an image, or a resource.
type Part struct {
	Type  string `json:"type"`
	MIME  string `json:"mimeType,omitempty"`
	Name  string `json:"name,omitempty"`
	Bytes int    `json:"bytes"`
	Data  string `json:"data"` // base64
}

// String is the part in one line, for people: "[image logo.png: image/png, 1234 bytes]".
func (p Part) String() string {
	what := p.Type
	if p.Name != "" {
		what += " " + p.Name
	}
	return fmt.Sprintf("[%s: %s, %d bytes]", what, p.MIME, p.Bytes)
}

// Approval is the gate's decision on one call, or a person's on a question of
// another kind.
type Approval struct {
	Kind     string `json:"kind,omitempty"` // "" of a call; trust
	Tool     string `json:"tool,omitempty"` // of a call
	Setting  string `json:"setting"`        // preApproved, ask, blocked
	Rule     string `json:"rule,omitempty"` // where the setting stands; of another kind what was asked
	Source   string `json:"source"`         // setting, cache, mode, user
	Decision string `json:"decision"`       // run, deny
	Remember string `json:"remember,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// Clearance is a staged item's change of state.
type Clearance struct {
	Item    string `json:"item"`
	Action  string `json:"action"`
	Message string `json:"message,omitempty"`
	Target  string `json:"target,omitempty"`
}

// Message is what a person says in a conversation, beside the first input,
// which is run.start's.
type Message struct {
	Role string `json:"role"` // user
	Text string `json:"text"`
}

// Warning is something a person should know that stops nothing.
type Warning struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// Error is a fault that belongs to no call.
type Error struct {
	Code    fault.Code   `json:"code"`
	Message string       `json:"message"`
	Where   *fault.Where `json:"where,omitempty"`
	Hint    string       `json:"hint,omitempty"`
}

// Delta is streamed text. Reset voids what was shown of this turn.
type Delta struct {
	Text  string `json:"text"`
	Reset bool   `json:"reset,omitempty"`
}

// Progress is how far a worker's call is. The event's id is the call's, which
// is the child's; its depth is the child's too (S4-22, S4-33).
type Progress struct {
	Status      string `json:"status"`         // pending, running, complete, failed
	Description string `json:"description"`    // the worker
	Task        string `json:"task,omitempty"` // the beginning of what it is to do
}

// Status is a line for a person (S4-23, S4-33). Level: info, warn, error.
type Status struct {
	Text  string `json:"text"`
	Level string `json:"level"`
}

// Diff shows a change to a file (S4-24, S4-33).
type Diff struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"` // SHA-256, hex; "" = did not exist
	After  string `json:"after,omitempty"`
	Patch  string `json:"patch"` // unified
}

// Ask announces that a person is being asked. Request is approval.Request as JSON.
type Ask struct {
	Request json.RawMessage `json:"request"`
}

// Sink takes events. Emit is called from many goroutines and must not block
// for long; it keeps nothing of the event after it returns unless it copies.
type Sink interface {
	Emit(Event)
}
