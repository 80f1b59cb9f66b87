package options

import (
	"encoding/json"
	"maps"
	"strconv"

	"golem/core/fault"
)

// Run has the options of one run, chat, check or another command about a project. The zero
// value of an option means that nobody chose it: it overrides nothing (SPEC §3).
type Run struct {
	Opening
	Running
	Host
	Display
	Batch
	Page PageOnly
}

// Batch has the options of a batch (SPEC §19). Running.Doubt is another one.
type Batch struct {
	Inputs string // where they are
	Key    string // the field that names an item
	Name   string // of the batch; "": the usual one
	Out    string // the directory of the outputs
	Jobs   int    // how many items run beside each other
	Retry  int    // how often an item that failed is run again
	Queue  string // the address of a NATS server, for workers of other machines; "": this machine runs the items
}

// CheckBatch returns E_USAGE for an option of a batch that has none of its values.
func (r Run) CheckBatch() error {
	switch {
	case r.Jobs < 1 || r.Jobs > 1000:
		return fault.New(fault.Usage, "jobs %d is not between 1 and 1000", r.Jobs)
	case r.Retry < 0 || r.Retry > 100:
		return fault.New(fault.Usage, "retry %d is not between 0 and 100", r.Retry)
	}
	return r.CheckDoubt()
}

// Opening has the options with which a project is opened.
type Opening struct {
	Entry     string // the worker to start with; "": the project's entry
	NoProject bool   // a manifest in the root does not apply
	Model     string
	Approval  string // a mode in any spelling of project.ParseMode
	MaxDepth  *int
	// MaxTurns is the limit turns. It wins over Limits.
	MaxTurns *int
	// Limits and ModelSettings count for every worker of the run, by their names in worker
	// files.
	Limits             Limits
	ModelSettings      Settings
	AllowOutside       bool   // mounts may lie outside the project
	NoImportTools      bool   // golem looks for no tool module
	AllowModuleImports bool   // pkg.mod:register may be named
	Sandbox            string // Memory, or "" for the disk
	// Trust means that the person trusts, for this run, everything that the project's files
	// allow beyond its sandbox.
	Trust bool
}

// Memory is the value of Opening.Sandbox with which changes stay in memory.
const Memory = "memory"

// InMemory reports whether changes stay in memory.
func (o Opening) InMemory() bool { return o.Sandbox == Memory }

// RunLimits returns Limits with MaxTurns in it.
func (o Opening) RunLimits() Limits {
	if o.MaxTurns == nil {
		return o.Limits
	}
	out := Limits{}
	maps.Copy(out, o.Limits)
	out["turns"] = strconv.Itoa(*o.MaxTurns)
	return out
}

// Running has the options of a run or chat in an open project.
type Running struct {
	// Strict makes the exit code 1 if any call was denied or any worker failed (SPEC §12).
	Strict bool
	// Resume is the ID of the kept conversation to go on with; "" is the one that was written
	// last. nil: a new one starts.
	Resume *string
	// At is the number of the person's message, from 1, before which a branch of the
	// conversation begins. 0 means no branch: the conversation continues at its end.
	At int
	// Changed answers yes to the question whether to resume although files of the workers
	// have changed.
	Changed bool
	// Doubt settles calls of a resumed conversation whose end is not known: DoubtAsk or "",
	// DoubtRepeat or DoubtFail.
	Doubt string
}

// The values of Running.Doubt: ask the person, run the call again, take it as failed.
const (
	DoubtAsk    = "ask"
	DoubtRepeat = "repeat"
	DoubtFail   = "fail"
)

// CheckDoubt returns E_USAGE if Doubt has none of its values.
func (r Running) CheckDoubt() error {
	switch r.Doubt {
	case "", DoubtAsk, DoubtRepeat, DoubtFail:
		return nil
	}
	return fault.New(fault.Usage, "%q says nothing about calls whose end is not known", r.Doubt).Hinting("ask, repeat or fail")
}

// Host has the options that the program around the core carries out: where the project and
// its input are, and what is written where.
type Host struct {
	Project, Verify  string
	Lib              []string
	Input, InputFile string
	Attach           []string
	Headless         bool // nobody can be asked
	Unconfined       bool

	Check, ListWorkers, DryRun       bool   // do this instead of the run
	Platform                         string // of a check: native or browser; "": both
	Trace, Artifacts, Record, Output string

	OTLP         string // where the trace is sent when the run ends; "": the environment decides
	OTLPContents bool   // what was said is sent, too
}

// Display has the options for how a run is shown.
type Display struct {
	JSON, Plain, Quiet, Verbose, NoColor bool
}

// PageOnly has the options for what only a page must be given.
type PageOnly struct {
	Config  string // the person's config.yaml
	Env     map[string]string
	Secrets map[string]string
	Trace   *bool // false keeps no trace
	Prompts bool  // keep prompts beside the trace
	// Assistant opens golem's own worker assistant over the project's files.
	Assistant bool
}

// Limits are limits by their names, as texts.
type Limits map[string]string

// UnmarshalJSON reads an object of texts and numbers.
func (l *Limits) UnmarshalJSON(data []byte) error {
	return texts(l, data, func(raw json.RawMessage) string {
		var text string
		var number float64
		switch {
		case json.Unmarshal(raw, &text) == nil:
			return text
		case json.Unmarshal(raw, &number) == nil:
			return strconv.FormatFloat(number, 'f', -1, 64)
		}
		return string(raw)
	})
}

// Settings are model settings by their names, as YAML.
type Settings map[string]string

// UnmarshalJSON reads an object of any values: JSON is valid YAML.
func (s *Settings) UnmarshalJSON(data []byte) error {
	return texts(s, data, func(raw json.RawMessage) string { return string(raw) })
}

// texts reads a JSON object, each of whose values text turns into a text.
func texts[M ~map[string]string](into *M, data []byte, text func(json.RawMessage) string) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil || all == nil {
		return err
	}
	*into = M{}
	for name, raw := range all {
		(*into)[name] = text(raw)
	}
	return nil
}
