package worktest

import (
	"encoding/json"
	"regexp"
	"strings"

	"golem/core/fault"
	"golem/core/trace"
)

// The statuses of a verdict.
const (
	Passed    = "passed"
	Failed    = "failed"
	Stale     = "stale"      // there is no recording, or it no longer fits (E_STALE)
	NotJudged = "not_judged" // the case could not be judged, see Verdict.Fault
)

// Verdict is the result of one run of a case. Two platforms give equal verdicts, apart from
// MS.
type Verdict struct {
	File   string `json:"file"`
	Case   string `json:"case"`
	Line   int    `json:"line"`
	Worker string `json:"worker"`
	Model  string `json:"model"`            // replay, or the name of the model
	Sample int    `json:"sample,omitempty"` // from 1, if the case has several
	Status string `json:"status"`
	Misses []Miss `json:"misses,omitempty"` // of a case that failed
	// Fault says why a case is stale or could not be judged.
	Fault  *fault.Fault `json:"error,omitempty"`
	Score  *float64     `json:"score,omitempty"` // of the judge
	Output string       `json:"output"`
	// Value is the output as JSON, see ValueOf.
	Value json.RawMessage `json:"-"`
	// Written is what the run made of the files, if that was asked for.
	Written Written     `json:"-"`
	Turns   int64       `json:"turns"`
	Usage   trace.Usage `json:"usage"`
	MS      int64       `json:"ms"`
	// RecordedMS is how long the requests took when they were recorded; 0: it is not known.
	RecordedMS int64 `json:"-"`
	// PassRate is the part of the case's samples that must pass.
	PassRate float64 `json:"pass_rate"`
	// Recorded is the recording that was written; "" if none was.
	Recorded string `json:"recorded,omitempty"`
}

// Note sets what a run did.
func (v *Verdict) Note(got Outcome) {
	v.Output, v.Value, v.Turns, v.Usage = textOf(got.Output), ValueOf(got.Output), got.Turns, got.Usage
}

// Settle sets the status from the misses, or from the error that kept the case from being
// judged.
func (v *Verdict) Settle(err error) {
	switch f := fault.Of(err, fault.Config); {
	case f != nil && f.Code == fault.Stale:
		v.Status, v.Fault, v.Misses = Stale, f, nil
	case f != nil:
		v.Status, v.Fault, v.Misses = NotJudged, f, nil
	case len(v.Misses) > 0:
		v.Status = Failed
	default:
		v.Status = Passed
	}
}

// FilesModels is the word that stands for the models which the files of tests name.
const FilesModels = "tests"

// IsScript reports whether the model of a test is a script.
func IsScript(model string) bool { return strings.HasPrefix(model, "script:") }

// RecordLine returns the command that records a case again.
func RecordLine(file, name string) string {
	return "golem test --record --filter " + quoted("^"+regexp.QuoteMeta(file+": "+name)+"$")
}

// quoted returns a text as one word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
