// Package model talks to language models. It has the table of providers with
// their three protocols, models that answer from a script or a recording,
// recording, and retries (SPEC §10).
package model

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/tool"
)

// Role says who wrote a message.
type Role string

// The roles, with the names of the OpenAI protocol.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Part is a part of a message in addition to its text: an image, a PDF, a
// complete text file or, in a tool's result, any other file.
type Part struct {
	Kind string `json:"kind"` // "image", "pdf", "text", "file"
	Name string `json:"name"` // file name shown to the model
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"`
}

// Call is a tool call that a model requested. Args are the provider's bytes and
// may not be valid JSON. ID is made by golem and unique in the conversation
// (SECURITY 12).
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
	// Invalid is the reason why the call must not run: its bytes are not text,
	// or the provider could not read the call. It is "" for other calls. The
	// model gets the reason and can correct the call.
	Invalid string `json:"invalid,omitempty"`
}

// Message is one entry of a conversation.
type Message struct {
	Role  Role   `json:"role"`
	Text  string `json:"text"`
	Parts []Part `json:"parts,omitempty"`
	Calls []Call `json:"calls,omitempty"` // of an Assistant message
	Kept  *Kept  `json:"kept,omitempty"`  // of an Assistant message: Kept of its Turn
	// These are set in a message with ToolRole: the call that it answers, the
	// tool's name, and the error code if the result is an error (the rules of
	// scripts use the last two).
	CallID string     `json:"call_id,omitempty"`
	Tool   string     `json:"tool,omitempty"`
	Error  fault.Code `json:"error,omitempty"`
	// Inner marks a User message that golem added itself (a request to repair
	// an answer, or a note). It does not begin a new exchange.
	Inner bool `json:"inner,omitempty"`
	// Summary marks an Inner message that stands for messages that were dropped.
	Summary bool `json:"summary,omitempty"`
	// Note marks an Inner message that tells the model what happened meanwhile, such as a
	// decision on staged changes. It is not the last message for the rules of scripts.
	Note bool `json:"note,omitempty"`
}

// Request is the request of one turn. Messages is shared and must not be
// changed.
type Request struct {
	Worker       string // ID of the worker, for script rules and error messages
	Conversation string // identifies a worker run or a chat: the sequences of a script advance inside one
	ID           string // the call id of the worker run, "0.2"
	Turn         int    // of this worker run, from 1
	Messages     []Message
	Tools        []tool.Spec
	OutputSchema json.RawMessage // nil: free text
	Settings     Settings
	ServerTools  []string      // that the provider is asked to run; those that it does not have are left out
	Timeout      time.Duration // how long the caller waits; a provider may be silent as long, if that is more than Config.Idle
	MayEnd       bool          // an empty answer is the end of a turn and no error
	Budget       Budget        // pays for each attempt, if the model is wrapped by WithRetry; nil: nothing limits them
	fellBack     bool          // an earlier model of a list gave no answer
}

// Usage is the number of tokens that the provider bills. Estimated is set if
// the provider did not report it.
type Usage struct {
	In        int  `json:"in"`                // Cached included
	Out       int  `json:"out"`               // reasoning included
	Cached    int  `json:"cached,omitempty"`  // input read from the provider's cache
	Written   int  `json:"written,omitempty"` // input written to the provider's cache, where it says so
	Estimated bool `json:"estimated,omitempty"`
	// Cost is what these tokens cost, or 0 where nothing is billed (script,
	// replay). Unpriced means that some of the tokens have no known price and
	// are not in Cost. Suggested means that some prices come only from the
	// project. A recording contains none of these.
	Cost      money.USD `json:"-"`
	Unpriced  bool      `json:"-"`
	Suggested bool      `json:"-"`
}

// Add returns the sum. Estimated, Unpriced and Suggested are set in the sum if
// they are set in one of the two.
func (u Usage) Add(o Usage) Usage {
	return Usage{
		In: u.In + o.In, Out: u.Out + o.Out, Cached: u.Cached + o.Cached, Written: u.Written + o.Written, Estimated: u.Estimated || o.Estimated,
		Cost: u.Cost.Plus(o.Cost), Unpriced: u.Unpriced || o.Unpriced, Suggested: u.Suggested || o.Suggested,
	}
}

// Minus returns what u has beyond o, which is a part of it.
func (u Usage) Minus(o Usage) Usage {
	u.In, u.Out, u.Cached, u.Written, u.Cost = u.In-o.In, u.Out-o.Out, u.Cached-o.Cached, u.Written-o.Written, u.Cost-o.Cost
	return u
}

// Turn is one answer. Finish is "stop", "tool_calls" or "length", never empty:
// a stream that ends too early is an error and runs no tool. Text and Calls are
// not both empty (scenario 47), unless a script answers so.
type Turn struct {
	Text   string
	Calls  []Call
	Kept   *Kept // must be copied into the history
	Finish string
	Usage  Usage
	// Reasoning is how many tokens of Usage.Out the model reasoned; 0: the provider does not
	// say. A recording does not contain it.
	Reasoning int
	Model     string // the full name of the model that answered, "openai:gpt-5-mini"
	// Attempts is how many requests the answer took. WithRetry sets it; a model
	// without it sets 1.
	Attempts    int
	ServerCalls []ServerCall // what ran at the provider meanwhile
	// Paused means that the provider wants the answer back as it is, to go on with it: the
	// next request ends with it.
	Paused bool
}

// Delta is a piece of a streamed answer, or of what the model reasons before it: one of
// Text and Reasoning is set. Reset means that both are void for this turn so far, because
// the stream ended too early and the request is repeated.
type Delta struct {
	Text      string
	Reasoning string
	Reset     bool
}

// Model answers requests. Generate must be safe for concurrent use. It calls
// show, which may be nil, only from the calling goroutine. Errors are a
// *fault.Fault (E_MODEL, E_TIMEOUT, E_REPLAY, E_ATTACHMENT) or the context's
// error. With an error, only Usage and Model of the turn are set: what was
// billed nevertheless.
type Model interface {
	Name() string
	Generate(ctx context.Context, r Request, show func(Delta)) (Turn, error)
}

// HTTPDoer is the platform's HTTP client; it is go-openai's interface. It must
// end when the request's context ends, and must not follow redirects: it
// returns the redirecting response.
type HTTPDoer interface {
	Do(*http.Request) (*http.Response, error)
}
