package coretest

import (
	"maps"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/describe"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/trace"
)

// Elsewhere is the outcome of a case that another program played: the page,
// controlled from outside (scenario 40). A front end there answers as Settings
// say.
type Elsewhere struct {
	Status    string             `json:"status"` // "" if the run was refused: see Faults
	Exit      int                `json:"exit"`
	Text      string             `json:"text"`
	Error     *fault.Fault       `json:"error"`
	Faults    fault.List         `json:"faults"`    // of a check, or of a project that cannot be opened
	Listings  []project.Listing  `json:"listings"`  // of workers
	Plan      *describe.Plan     `json:"plan"`      // of plan
	Rules     []string           `json:"rules"`     // the rules that the page has afterwards, as YAML
	Trace     []byte             `json:"trace"`     // the lines of the trace that the front end saw
	Artifacts map[string]string  `json:"artifacts"` // by name
	Files     map[string][]byte  `json:"files"`     // afterwards, without golem's own
	Asked     []approval.Request `json:"asked"`
	Problems  []string           `json:"problems"`
}

// Outcome converts it into the form that Run returns, so that both can be
// compared.
func (e Elsewhere) Outcome() Outcome {
	o := Outcome{
		Status: e.Status, Exit: e.Exit, Output: e.Text + listingLines(e.Listings) + planLines(e.Plan), Faults: faultLines(e.Faults),
		Files: e.Files, Asked: e.Asked, Problems: slices.Clone(e.Problems),
	}
	if e.Error != nil {
		o.Output = "! " + e.Error.Error()
	}
	if e.Status == "config" || len(e.Trace) == 0 {
		return o
	}
	kept := prompts{byID: map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(e.Artifacts)) {
		if err := kept.Put(name, []byte(e.Artifacts[name])); err != nil {
			o.Problems = append(o.Problems, err.Error())
		}
	}
	o.Requests = kept.String()
	_, events, err := trace.Read(strings.NewReader(string(e.Trace)), nil)
	if err == nil {
		o.Problems = append(o.Problems, sound(events)...)
		o.Trace, err = compact(events)
	}
	if err != nil {
		o.Problems = append(o.Problems, "the trace: "+err.Error())
	}
	return o
}
