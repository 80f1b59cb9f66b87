package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// recordingHeader is a recording's first line (SPEC §16).
type recordingHeader struct {
	Golem   string `json:"golem"`   // "recording"
	V       int    `json:"v"`       // 1
	Model   string `json:"model"`   // that answered
	Version string `json:"version"` // of golem
	// The word "names" if the keys of requests have only the names of built-in tools, so that
	// a golem that describes them in other words finds the same answers.
	Keys string `json:"keys,omitempty"`
}

// byNames is the value of recordingHeader.Keys in recordings for tests.
const byNames = "names"

// recordingLine is one attempt: what was asked, as a key, and what came.
type recordingLine struct {
	// The SHA-256 of the messages, tools and output schema (RFC 8785), after secrets were removed.
	Key      string           `json:"key"`
	ID       string           `json:"id"`                  // of the run of a worker, as in the trace
	Turn     int              `json:"turn"`                // of this run, from 1
	Worker   string           `json:"worker,omitempty"`    // its ID
	FellBack bool             `json:"fell_back,omitempty"` // this attempt was made with the next model of a list
	Answer   *recordedAnswer  `json:"answer,omitempty"`    // what the model answered
	Failure  *recordedFailure `json:"failure,omitempty"`   // why the attempt failed
	Deltas   []string         `json:"deltas,omitempty"`    // the pieces in which the text came
	Same     int              `json:"same,omitempty"`      // how many messages are those of the line before with this "id"
	Asked    []string         `json:"asked,omitempty"`     // the digests of the messages after these
	// The digests of the lines of each message in asked, 4 digits each, in a recording for a test.
	// They say which line differs, and are no part of any key.
	Lines []string `json:"lines,omitempty"`
}

type recordedAnswer struct {
	Text        string       `json:"text"`                   // of the answer
	Calls       []Call       `json:"calls,omitempty"`        // each with "id", "name" and "args"
	Kept        *Kept        `json:"kept,omitempty"`         // what goes back to the same provider only
	Finish      string       `json:"finish"`                 // why the answer ended
	Usage       Usage        `json:"usage"`                  // tokens
	ServerCalls []ServerCall `json:"server_calls,omitempty"` // calls that the provider made itself
	Paused      bool         `json:"paused,omitempty"`       // the provider wants to go on in another request
	// Milliseconds that the request took, in a recording for a test. It is no part of any key.
	MS int64 `json:"ms,omitempty"`
}

// recordedFailure is a failed attempt. Without a code it is E_MODEL; final
// says that another attempt was no use.
type recordedFailure struct {
	Status       int        `json:"status,omitempty"`         // of HTTP
	RetryAfterMS int64      `json:"retry_after_ms,omitempty"` // how long the provider asks to wait
	Message      string     `json:"message"`                  // what happened
	Code         fault.Code `json:"code,omitempty"`           // of the error
	Hint         string     `json:"hint,omitempty"`           // what to do
	Final        bool       `json:"final,omitempty"`          // golem did not try again
	Usage        *Usage     `json:"usage,omitempty"`          // what was billed all the same
}

// billed returns what a failed attempt was billed all the same.
func (f recordedFailure) billed() Usage {
	if f.Usage == nil {
		return Usage{}
	}
	return f.Usage.notNegative()
}

func (f recordedFailure) err() error {
	code := f.Code
	if code == "" {
		code = fault.Model
	}
	wait := time.Duration(max(0, min(f.RetryAfterMS, 1e9))) * time.Millisecond
	return (&failure{status: f.Status, retry: !f.Final, retryAfter: wait, message: cmp.Or(f.Message, "the recorded attempt failed")}).fault(code, remedy{hint: f.Hint})
}

// asked is the part of a request that its key depends on: no ids, no times, no model name.
type asked struct {
	Messages []askedMessage  `json:"messages"`
	Tools    []askedTool     `json:"tools"`
	Output   json.RawMessage `json:"output_schema"`
}

type askedMessage struct {
	Role  Role        `json:"role"`
	Text  string      `json:"text"`
	Parts []askedPart `json:"parts,omitempty"`
	Calls []askedCall `json:"calls,omitempty"`
	Tool  string      `json:"tool,omitempty"`
	Error fault.Code  `json:"error,omitempty"`
}

type askedPart struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	MIME   string `json:"mime"`
	SHA256 string `json:"sha256"`
}

type askedCall struct {
	Name string `json:"name"`
	Args string `json:"args"`
}

type askedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input"`
}

// requestDigests has the digests of a request: its key, and one for each message.
type requestDigests struct {
	key      string
	messages []string
	asked    []askedMessage
}

// shortDigest is how much of a message's digest a recording keeps: enough to
// tell messages apart, no more.
const shortDigest = 16

// digest returns a request's digests. The key is the SHA-256 of the RFC 8785 form of
// {messages, tools, output_schema}, in hexadecimal; every text is redacted before.
// With names, of built-in tools only the names count.
func digest(r Request, redact tool.Redactor, names bool) (requestDigests, error) {
	if redact == nil {
		redact = tool.NoSecrets{}
	}
	a := asked{Messages: []askedMessage{}, Tools: []askedTool{}, Output: raw(r.OutputSchema, redact)}
	q := requestDigests{}
	for _, m := range r.Messages {
		am := askMessage(m, redact)
		data, err := json.Marshal(am)
		if err != nil {
			return requestDigests{}, err
		}
		a.Messages = append(a.Messages, am)
		q.messages = append(q.messages, sum(data)[:shortDigest])
	}
	for _, s := range r.Tools {
		if names && (s.Kind == "" || s.Kind == tool.Builtin) && s.Toolset != "mcp" {
			a.Tools = append(a.Tools, askedTool{Name: redact.Redact(s.Name), Input: json.RawMessage("null")})
			continue
		}
		a.Tools = append(a.Tools, askedTool{redact.Redact(s.Name), redact.Redact(s.Description), raw(s.Input, redact)})
	}
	for _, name := range r.ServerTools {
		a.Tools = append(a.Tools, askedTool{Name: name, Description: "runs at the provider", Input: json.RawMessage("null")})
	}
	data, err := json.Marshal(a)
	if err != nil {
		return requestDigests{}, err
	}
	canonical, err := tool.Canonical(data)
	if err != nil {
		return requestDigests{}, err
	}
	q.key, q.asked = sum(canonical), a.Messages
	return q, nil
}

func askMessage(m Message, redact tool.Redactor) askedMessage {
	out := askedMessage{Role: m.Role, Text: redact.Redact(m.Text), Tool: redact.Redact(m.Tool), Error: m.Error}
	for _, p := range m.Parts {
		out.Parts = append(out.Parts, askedPart{p.Kind, redact.Redact(p.Name), p.MIME, sum(p.Data)})
	}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, askedCall{redact.Redact(c.Name), redact.Redact(c.Args)})
	}
	return out
}

// raw returns a schema without secrets. If redaction makes the JSON invalid, the result
// is a JSON string.
func raw(schema json.RawMessage, redact tool.Redactor) json.RawMessage {
	if len(schema) == 0 {
		return json.RawMessage("null")
	}
	text := redact.Redact(string(schema))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return quoted
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
