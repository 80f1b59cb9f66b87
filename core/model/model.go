// Package model speaks to language models: the provider table behind three
// protocols, the embedded script model, replay and recording, and retries
// (SPEC §10).
package model

import (
	"context"
	"encoding/json"
	"net/http"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/tool"
)

// Role is who a message is from.
type Role string

// Roles as the OpenAI protocol names them.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Part is a piece of a message that is not its text: an image, a PDF, a text
// file given whole, or, in a tool's result, any other file.
type Part struct {
	Kind string `json:"kind"` // "image", "pdf", "text", "file"
	Name string `json:"name"` // file name shown to the model
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Call is one tool call a model asked for. Args are the provider's bytes,
// possibly not JSON; ID is golem's own and unique in the conversation
// (SECURITY 12).
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
	// Invalid says why the call must not run, "" if it may: bytes that are no
	// text, or a call that the provider could not read. It is the model's to mend.
	Invalid string `json:"invalid,omitempty"`
}

// Message is one entry of a conversation.
type Message struct {
	Role  Role   `json:"role"`
	Text  string `json:"text"`
	Parts []Part `json:"parts,omitempty"`
	Calls []Call `json:"calls,omitempty"` // of an Assistant message
	Kept  *Kept  `json:"kept,omitempty"`  // of an Assistant message: its Turn's
	// For a ToolRole message: the call it answers, the tool's name, and the
	// code if the result is an error (script rules match on both).
	CallID string     `json:"call_id,omitempty"`
	Tool   string     `json:"tool,omitempty"`
	Error  fault.Code `json:"error,omitempty"`
	// Inner marks a User message that is golem's own (a repair, a note put in
	// before a request), so that it does not begin an exchange.
	Inner bool `json:"inner,omitempty"`
}

// Request is one turn's question. Messages is shared and must not be changed.
type Request struct {
	Worker       string // worker ID, for script rules and messages
	Conversation string // one worker run, or one chat: script sequences advance within it
	ID           string // the call id of the worker run, "0.2"
	Turn         int    // of this worker run, from 1
	Messages     []Message
	Tools        []tool.Spec
	OutputSchema json.RawMessage // nil: free text
	Settings     Settings
}

// Usage counts tokens as the provider bills them. Estimated is set when it
// reported none.
type Usage struct {
	In        int  `json:"in"`                // Cached included
	Out       int  `json:"out"`               // reasoning included
	Cached    int  `json:"cached,omitempty"`  // input read from the provider's cache
	Written   int  `json:"written,omitempty"` // input written to the provider's cache, where it says so
	Estimated bool `json:"estimated,omitempty"`
	// Cost is what these tokens cost; 0 where nothing is billed (a script, a
	// replay). Unpriced: for some of them nobody knows the price, and Cost leaves
	// them out. Suggested: for some it is the project's word alone. A recording
	// keeps none of them.
	Cost      money.USD `json:"-"`
	Unpriced  bool      `json:"-"`
	Suggested bool      `json:"-"`
}

// Add returns the sum; an estimate taints it, and so does a price that is not
// known or the project's.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		In: u.In + o.In, Out: u.Out + o.Out, Cached: u.Cached + o.Cached, Written: u.Written + o.Written, Estimated: u.Estimated || o.Estimated,
		Cost: u.Cost.Plus(o.Cost), Unpriced: u.Unpriced || o.Unpriced, Suggested: u.Suggested || o.Suggested,
	}
}

// Turn is one answer. Finish is "stop", "tool_calls" or "length"; it is never
// empty: a stream that breaks off is an error and runs no tool. Text and Calls
// are not both empty (scenario 47), unless a script says so.
type Turn struct {
	Text   string
	Calls  []Call
	Kept   *Kept // copy it into the history
	Finish string
	Usage  Usage
	Model  string // the full name that answered, "openai:gpt-5-mini"
	// Attempts counts the requests it took; WithRetry sets it, a model alone says 1.
	Attempts int
}

// Delta is a piece of a streamed answer. Reset says that what was shown of
// this turn is void, because the stream broke and is tried again.
type Delta struct {
	Text  string
	Reset bool
}

// Model answers requests. Generate may be called concurrently; show may be
// nil and is called from the calling goroutine only. Errors are *fault.Fault
// (E_MODEL, E_TIMEOUT, E_REPLAY, E_ATTACHMENT) or the context's. With an error the
// turn has at most Usage and Model: what was billed all the same.
type Model interface {
	Name() string
	Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error)
}

// HTTPDoer is what a platform lends for network access; go-openai's interface.
// It must end when the request's context ends, and must follow no redirect: it
// gives the answer that redirects, with its status.
type HTTPDoer interface {
	Do(*http.Request) (*http.Response, error)
}
