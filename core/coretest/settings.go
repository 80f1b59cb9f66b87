package coretest

import (
	"encoding/json"
	"fmt"
	"time"
)

// Settings are a case's case.json: what the person typed and what they answer.
// With the zero value, the entry runs once without input, and nobody can be
// asked: the case fails if anything asks.
type Settings struct {
	Command string            `json:"command,omitempty"` // run (default), chat, check, workers, plan
	Entry   string            `json:"entry,omitempty"`
	Inputs  []json.RawMessage `json:"inputs,omitempty"` // strings, or one object
	Model   string            `json:"model,omitempty"`  // default script:script.yaml; "none" gives none
	// Approval, MaxDepth, Limits (--limit) and Strict are the flags with these
	// names.
	Approval string            `json:"approval,omitempty"`
	MaxDepth *int              `json:"max_depth,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
	Strict   bool              `json:"strict,omitempty"`
	// Set has the model settings of --set.
	Set map[string]json.RawMessage `json:"set,omitempty"`
	Env map[string]string          `json:"env,omitempty"`
	// Secrets has the person's secrets by name (golem secret set).
	Secrets map[string]string `json:"secrets,omitempty"`
	Attach  []string          `json:"attach,omitempty"` // names under outside/, or mcp:SERVER:URI
	// Flags with these names.
	NoImportTools      bool   `json:"no_import_tools,omitempty"`
	AllowModuleImports bool   `json:"allow_module_imports,omitempty"`
	Platform           string `json:"platform,omitempty"`
	Trust              bool   `json:"trust,omitempty"`
	// Config is the content of the person's config.yaml.
	Config string `json:"config,omitempty"`
	// Answers has the person's answers by call id, one or a list; "0" is the
	// question about trust before the run. Headless means that nobody can be
	// asked. A question without either fails the case.
	Answers  map[string]Answers `json:"answers,omitempty"`
	Headless bool               `json:"headless,omitempty"`
	// Interrupt is an event, as "tool.start 0.1" or by its number "#7", at
	// which the person stops the run. The run must then end within a second.
	Interrupt string `json:"interrupt,omitempty"`
	// NoReplay means that a replay cannot give the same outcome, because something in the
	// recording is redacted, or a timeout decided the outcome.
	NoReplay bool `json:"no_replay,omitempty"`

	// Steer means that the inputs after the first are sent while the exchange before them
	// still runs.
	Steer bool `json:"steer,omitempty"`

	Status string   `json:"status,omitempty"` // wanted; default ok
	Exit   int      `json:"exit,omitempty"`   // wanted
	Asked  []string `json:"asked,omitempty"`  // wanted call ids of all questions, in order; checked if given
	Quiet  bool     `json:"quiet,omitempty"`  // wanted: no question is asked
	Absent []string `json:"absent,omitempty"` // project files that must not be there afterwards
	// The complete outcome (output, trace, requests, faults) must contain every
	// text in Contains, and none in Lacks.
	Contains []string `json:"contains,omitempty"`
	Lacks    []string `json:"lacks,omitempty"`

	Quoted []string `json:"quoted,omitempty"` // files given as one Go string literal
	Bare   []string `json:"bare,omitempty"`   // files without the archive's last newline
}

// Answers are the answers to the questions of one call, in order.
type Answers []Answer

// Answer is an answer of the person, given after the time After.
type Answer struct {
	Answer string   `json:"answer"` // yes no session always never keep
	Reason string   `json:"reason,omitempty"`
	Text   string   `json:"text,omitempty"` // the answer to a question for a text
	After  Duration `json:"after,omitempty"`
	// Wrong gives the answer the id of another question, as a faulty front end
	// might.
	Wrong bool `json:"wrong,omitempty"`
}

// UnmarshalJSON accepts "yes", an object, or a list of both.
func (a *Answers) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	for _, raw := range list {
		var one Answer
		if json.Unmarshal(raw, &one.Answer) != nil {
			type plain Answer
			if err := json.Unmarshal(raw, (*plain)(&one)); err != nil {
				return err
			}
		}
		switch one.Answer {
		case "yes", "no", "session", "always", "never", "keep":
		default:
			return fmt.Errorf("no such answer: %q", one.Answer)
		}
		*a = append(*a, one)
	}
	return nil
}

// Duration is written in JSON as in Go: "150ms".
type Duration time.Duration

// UnmarshalJSON parses a string such as "150ms".
func (d *Duration) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}
