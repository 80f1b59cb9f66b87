package openaiserve

import (
	"fmt"
	"net/http"
	"strings"

	"golem/core/run"
	"golem/core/trace"
)

// answer is the answer to one request. What follows worker is set when the run has ended.
type answer struct {
	id      string // of the run
	created int64  // seconds since 1970
	request *request
	worker  Worker

	text     string
	note     string // what the text ends with: the sentence about denied calls
	cut      bool   // the answer reached the model's output limit
	usage    trace.Usage
	denied   []run.Denial // nobody could be asked about them
	declined []run.Denial // other calls that did not run
	problem  *problem     // the run failed
}

// finish sets what a run led to.
func (a *answer) finish(res run.Result, cut bool) {
	a.cut, a.usage, a.denied, a.declined = cut, res.Spent(), res.Denied, res.Declined
	if res.Error != nil {
		a.problem = ofFault(res.Error)
		return
	}
	a.text = res.Output.String()
	for _, p := range res.Output.Parts {
		a.text += fmt.Sprintf("\n\n[golem: %s %s (%s, %d bytes) is not sent]", p.Type, p.Name, p.MIME, len(p.Data))
	}
	a.note = a.denials()
	a.problem = a.request.format.judge(a.worker, a.text)
}

// denials returns the sentence about denied calls; "" for an answer in JSON, which has no
// place for it.
func (a *answer) denials() string {
	if len(a.denied) == 0 || a.worker.Output != nil {
		return ""
	}
	var names []string
	for _, d := range a.denied {
		names = append(names, d.Tool+" (call "+d.ID+")")
	}
	return "\n\n[golem: denied, because nobody could be asked: " + strings.Join(names, ", ") + "]"
}

// deniedHeader is the header that lists the calls that were denied, as TOOL/CALL.
const deniedHeader = "X-Golem-Denied"

// setDenied sets the header, or after the beginning of a stream the trailer.
func (a *answer) setDenied(h http.Header) {
	var names []string
	for _, d := range append(a.denied[:len(a.denied):len(a.denied)], a.declined...) {
		names = append(names, d.Tool+"/"+d.ID)
	}
	if len(names) > 0 {
		h.Set(deniedHeader, headerList(names))
	}
}

// about is what golem adds to an answer.
type about struct {
	Run       string       `json:"run"`
	Denied    []deniedCall `json:"denied,omitempty"`
	Estimated bool         `json:"usage_estimated,omitempty"`
}

// deniedCall is a call that was denied.
type deniedCall struct {
	Tool   string `json:"tool"`
	Call   string `json:"call"`
	Reason string `json:"reason"`
}

func (a answer) about() *about {
	out := &about{Run: a.id, Estimated: a.usage.Estimated}
	for _, d := range a.denied {
		out.Denied = append(out.Denied, deniedCall{d.Tool, d.ID, "it needs approval, and nobody could be asked"})
	}
	for _, d := range a.declined {
		out.Denied = append(out.Denied, deniedCall{d.Tool, d.ID, "a setting or the approval mode denies it"})
	}
	return out
}
