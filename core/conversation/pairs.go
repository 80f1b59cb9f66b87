package conversation

import (
	"strings"

	"golem/core/model"
)

// Pair is an input that a worker got, and what it answered.
type Pair struct {
	ID       string // of the call; "0" of the root
	Worker   string
	Input    *Input // of the root
	Args     string // of a call: its arguments as the caller wrote them
	Redacted bool   // the input had a secret, which was not kept
	Output   *Output
	Usage    model.Usage // of the worker and of all below it
	MS       int64       // of the requests to models, in milliseconds; 0: it was not kept
	Changing string      // a tool that it called and that can change something; "": there is none
}

// Pairs returns the inputs of all worker runs that ended well, with their answers, in the
// order of the file: of the root only that of its first message, because later ones depend on
// what was said before, as a first one does that came with Input.Earlier. Answers that a
// hardened worker's module gave are left out: they are not the worker's.
func (k *Kept) Pairs() []Pair {
	var out []Pair
	if len(k.Steps) > 0 && k.Steps[0].T == InputEntry && k.Steps[0].Done != nil && k.Steps[0].Done.Status == "ok" {
		var last *Entry
		for i := range k.entries {
			if e := &k.entries[i]; e.T == AnswerEntry && e.ID == "0" && e.step == 0 && e.Answer != nil {
				last = e
			}
		}
		if last != nil && len(last.Answer.Calls) == 0 && len(k.Steps[0].Input.Earlier) == 0 {
			out = append(out, Pair{ID: "0", Worker: k.Head.Worker, Input: k.Steps[0].Input, Output: &Output{Text: last.Answer.Text}})
			k.measure(&out[0], 0)
		}
	}
	calls, byModel := map[string]Pair{}, map[string]bool{}
	for i := range k.entries {
		switch e := &k.entries[i]; {
		case e.T == AnswerEntry && e.Answer != nil:
			byModel[e.ID] = true
			for n, c := range e.Answer.Calls {
				calls[e.CallID(n)] = Pair{Args: c.Args}
			}
			for _, n := range e.Redacted {
				calls[e.CallID(n)] = Pair{Redacted: true}
			}
		case e.T == EndEntry && e.ByFile && byModel[e.ID] && e.Status == "ok" && e.Output != nil && !e.Output.NeedsInput:
			p := calls[e.ID]
			if p.Args == "" && !p.Redacted {
				p.Args = e.Args
			}
			p.ID, p.Worker, p.Output = e.ID, e.Worker, e.Output
			k.measure(&p, e.step)
			out = append(out, p)
		}
	}
	return out
}

// measure sets what a call and all below it used in a step, and what it called.
func (k *Kept) measure(p *Pair, step int) {
	for i := range k.entries {
		e := &k.entries[i]
		if e.step != step || e.ID != p.ID && !strings.HasPrefix(e.ID, p.ID+".") {
			continue
		}
		p.Usage = p.Usage.Add(e.Usage.Usage())
		if e.Answer != nil {
			p.MS += e.Answer.MS
		}
		if e.T == StartEntry && p.Changing == "" {
			p.Changing = e.Tool
		}
	}
}
