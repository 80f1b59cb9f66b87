package run

import (
	"encoding/json"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/tool"
	"golem/core/trace"
)

// Input is what a caller passes to a callable. If JSON is set, it is an object, and
// Text is ignored.
type Input struct {
	Text        string
	JSON        json.RawMessage
	Attachments []File
	// Earlier are messages of a conversation that another program keeps and sends along,
	// oldest first. They count only with the first message of a conversation.
	Earlier []Earlier
}

// File is an attachment from outside the sandbox. Name is its base name. If Resource is
// set, it is the resource URI of the MCP server Server, which is read when the message
// is sent; Name is then the whole mcp:SERVER:URI.
type File struct {
	Name        string
	Data        []byte
	Resource    bool
	Server, URI string
}

// MaxInput is the largest input of a run, or message of a chat, in bytes.
const MaxInput = 16 << 20

// Check fails with E_LIMIT if the input, or what was said earlier, has more than MaxInput
// bytes.
func (in Input) Check() error {
	earlier := 0
	for _, e := range in.Earlier {
		earlier += len(e.Text)
	}
	if max(len(in.Text), len(in.JSON), earlier) > MaxInput {
		return TooLarge("the input")
	}
	return nil
}

// TooLarge returns the fault of an input that has more than MaxInput bytes; what
// names the input.
func TooLarge(what string) *fault.Fault {
	return fault.New(fault.Limit, "%s has more than %d bytes (%d MiB)", what, MaxInput, MaxInput>>20).
		Hinting("attach it, or put it into a file of the project")
}

// Raw returns the input as JSON: the object, or the text as a JSON string.
func (in Input) Raw() json.RawMessage {
	if len(in.JSON) > 0 {
		return in.JSON
	}
	return quote(in.Text)
}

// Status is how a worker run ended (SPEC §16).
type Status string

// The four ends of a run.
const (
	OK          Status = "ok"
	NeedsInput  Status = "needs_input"
	Failed      Status = "error"
	Interrupted Status = "interrupted"
)

// Result is how a run ended, at its root.
type Result struct {
	Status Status
	Output tool.Output
	Error  *fault.Fault // set if Status is Failed or Interrupted
	Denied []Denial     // calls that needed an answer while nobody could be asked
	// Declined are all other denied calls: blocked by a setting, or refused by the
	// mode or by a person.
	Declined []Denial
	Failed   []Failure // workers that were called and failed, at any depth
	Strict   bool      // any denied call and any failed worker makes the exit code 1
	Usage    model.Usage
	// Refused says that the run could not begin, because the configuration is wrong or
	// there is no such model. No model was asked, and nothing was called.
	Refused bool
	// Unasked says that the run failed with E_TRUST because nobody could be
	// asked: exit 3.
	Unasked bool
	// Conversation is the name of the kept conversation; "" if nothing of it was kept.
	Conversation string
}

// Spent returns Usage in the form of the trace.
func (r Result) Spent() trace.Usage { return usage(r.Usage) }

// Exit returns the process exit code of SPEC §12.
func (r Result) Exit() int {
	switch {
	case r.Status == Interrupted: // a run that was stopped did not fail
		return 130
	case r.Unasked && !r.Strict:
		return 3
	case r.Refused:
		return 2
	case r.Strict && len(r.Denied)+len(r.Declined)+len(r.Failed) > 0:
		return 1
	case r.Status == Failed:
		return 1
	case len(r.Denied) > 0:
		return 3
	}
	return 0
}

// Denial names a call that was denied.
type Denial struct {
	ID    string // of the call
	Tool  string
	Allow string // the rule (YAML) that would have let it run; "": no rule can
	Trust bool   // a person would have been asked to trust the project's files (SPEC §3)
}

// Failure is a worker below the root that failed. The run may have gone on after it.
type Failure struct {
	ID     string // of the call
	Worker string
	Error  *fault.Fault
}

// quote encodes s as a JSON string; invalid UTF-8 becomes U+FFFD.
func quote(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil { // unreachable: strings always encode
		return json.RawMessage(`""`)
	}
	return b
}
