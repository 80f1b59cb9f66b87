// Package harden makes code of a worker that proved itself (SPEC §18): a model writes it
// against a part of the worker's cases, and the part that it never sees decides how good it is.
// The package runs nothing itself: package core asks the model, runs the code, and writes what
// a person applies.
package harden

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/worktest"
)

// Worker is what the code replaces.
type Worker struct {
	ID           string          `json:"worker"`
	Tool         string          `json:"tool"` // its name as a tool
	Description  string          `json:"description,omitempty"`
	Instructions string          `json:"instructions"`
	Input        json.RawMessage `json:"input_schema,omitempty"`
	Output       json.RawMessage `json:"output_schema,omitempty"`
	Files        bool            `json:"reads_files,omitempty"` // hardened.fs
	Calls        []string        `json:"may_call,omitempty"`    // hardened.calls
}

// Cases are the distinct cases of a worker, in two parts by the digests of their inputs.
type Cases struct {
	Shown []worktest.Example // the model sees these
	Held  []worktest.Example // it never sees these
}

// fewest is the number of cases below which nothing can be said about the code.
const fewest = 6

// Split returns the cases in parts of 70 and 30 percent. The cases are distinct and in the order
// of their digests, as worktest.Distinct returns them.
func Split(distinct []worktest.Example) (Cases, error) {
	n := len(distinct)
	if n < fewest {
		return Cases{}, fault.New(fault.Usage, "golem has %s with one answer each of this worker, and hardening needs at least %d", fault.Count(n, "distinct input"), fewest).
			Hinting("write tests, or run the worker on more inputs: golem keeps the conversations")
	}
	at := n - max(1, (n*3+5)/10)
	return Cases{distinct[:at:at], distinct[at:]}, nil
}

// Request asks a model for the code.
type Request struct {
	Worker
	Cases    []worktest.Example `json:"-"`
	Examples []Shown            `json:"cases"`
	Source   string             `json:"source,omitempty"`   // the code of the last round
	Problem  string             `json:"problem,omitempty"`  // why it cannot be used at all
	Failures []Difference       `json:"failures,omitempty"` // where its answers are wrong
}

// Shown is a case as the model sees it.
type Shown struct {
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	// Files lie in the project while the case runs, Changes are what the worker made of the
	// files; null: it deleted the file.
	Files   map[string]string  `json:"files,omitempty"`
	Changes map[string]*string `json:"changes,omitempty"`
}

// shownOf returns a case as the model sees it, and its size in bytes.
func shownOf(c worktest.Example) (out Shown, size int) {
	out, size = Shown{Input: c.Input, Output: c.Output}, len(c.Input)+len(c.Output)
	if c.Setting != nil {
		out.Files = c.Setting.Files
	}
	for name, text := range out.Files {
		size += len(name) + len(text)
	}
	for name, data := range c.Written {
		if out.Changes == nil {
			out.Changes = map[string]*string{}
		}
		out.Changes[name] = nil
		if size += len(name) + len(data); data != nil {
			text := c.Written.State(name).Text
			out.Changes[name] = &text
		}
	}
	return out, size
}

// Spent is what a request to a model used.
type Spent struct {
	In      int       `json:"in"`
	Out     int       `json:"out"`
	Cost    money.USD `json:"cost_usd,omitempty"`
	Partial bool      `json:"cost_partial,omitempty"` // the price of some of it is not known
}

// Writer asks a model for code.
type Writer interface {
	Write(ctx context.Context, r Request) (source string, spent Spent, err error)
}

// Result is what code made of one input.
type Result struct {
	Output json.RawMessage
	Unsure string       // why it leaves the answer to the worker
	Fault  *fault.Fault // it gave no answer that counts
	// Written is what it made of the files, also if it gave no answer.
	Written worktest.Written
	Tried   []string // what it may not do, and was refused: "write_file: E_PROTECTED"
	Fuel    int64
	MS      int64
}

// Code is code that can be called as the worker would call it.
type Code interface {
	// Call calls it with the input of a case, in the setting of the case.
	Call(ctx context.Context, c worktest.Example) Result
}

// Broken is an error that is not one of the source: nothing can be hardened then.
type Broken struct{ Err error }

// Error returns the text of the error.
func (b Broken) Error() string { return b.Err.Error() }

// Unwrap returns the error.
func (b Broken) Unwrap() error { return b.Err }

// Linker makes source runnable. An error in the source is a fault with its place; any other is
// Broken.
type Linker interface {
	Link(ctx context.Context, source string) (Code, error)
}

// Watcher sees the rounds.
type Watcher interface {
	// Writing is called before the model is asked for the code of a round.
	Writing(n, of int)
	// Rounded is called after each round.
	Rounded(n, of int, r Round)
}

// Hardening makes the code of one worker.
type Hardening struct {
	Worker Worker
	Cases  Cases
	Rounds int    // how often the model is asked at most
	Source string // the code to begin with; "": none
	Writer Writer
	Linker Linker
	Watch  Watcher // nil: nobody waits
}

// Round is one attempt of the model.
type Round struct {
	Problem string `json:"problem,omitempty"` // the source cannot be used
	Shown   Part   `json:"shown"`
	Spent   Spent  `json:"spent"`
}

// attempt is code with what it did on the shown part.
type attempt struct {
	source string
	code   Code
	shown  Part
}

// Run asks the model until its code answers all shown cases as the worker did, or the rounds are
// used up, and judges the best attempt. Report.Source is empty if no attempt can be used.
func (h *Hardening) Run(ctx context.Context) (*Report, error) {
	out := &Report{Golem: "harden", V: 1, Worker: h.Worker.ID, ShownCases: len(h.Cases.Shown), HeldCases: len(h.Cases.Held)}
	var best *attempt
	request := Request{Worker: h.Worker, Cases: h.Cases.Shown, Source: h.Source}
	for n := 1; n <= h.Rounds; n++ {
		request.Examples = examplesOf(h.Cases.Shown)
		if h.Watch != nil {
			h.Watch.Writing(n, h.Rounds)
		}
		source, spent, err := h.Writer.Write(ctx, request)
		out.Spent.add(spent)
		if err != nil {
			return out, err
		}
		round := Round{Spent: spent}
		a := &attempt{source: source}
		if a.code, err = h.Linker.Link(ctx, source); errors.As(err, new(Broken)) {
			return out, err
		} else if err != nil {
			round.Problem = fault.Of(err, fault.ToolModule).Error()
		} else if a.shown, err = judge(ctx, a.code, h.Cases.Shown); err != nil {
			return out, err
		}
		round.Shown = a.shown.counts()
		out.Rounds = append(out.Rounds, round)
		if h.Watch != nil {
			h.Watch.Rounded(n, h.Rounds, round)
		}
		if round.Problem == "" && (best == nil || a.shown.Same > best.shown.Same) {
			best = a
		}
		if round.Problem == "" && a.shown.Same == a.shown.Cases || source == request.Source {
			break // it is done, or the model has nothing else to say
		}
		request.Source, request.Problem, request.Failures = source, round.Problem, firstOf(a.shown.Differences)
	}
	if best == nil {
		return out, nil
	}
	return out, h.judge(ctx, best, out)
}

// judge writes what the best attempt does into the report.
func (h *Hardening) judge(ctx context.Context, a *attempt, out *Report) (err error) {
	out.Source, out.Shown = a.source, a.shown
	if out.Held, err = judge(ctx, a.code, h.Cases.Held); err != nil {
		return err
	}
	out.Table, out.Reach = tableOf(a.source, h.Cases.Shown), reachOf(a.source, h.Worker)
	out.Mutated, err = mutate(ctx, a.code, h.Cases.Held)
	for _, tried := range []map[string]int{out.Shown.tried, out.Held.tried, out.Mutated.tried} {
		for what, n := range tried {
			if out.Tried == nil {
				out.Tried = map[string]int{}
			}
			out.Tried[what] += n
		}
	}
	out.After, out.Changing = costOf(a.shown, out.Held), out.Shown.changing+out.Held.changing
	return err
}

func (s *Spent) add(t Spent) {
	s.In, s.Out, s.Cost, s.Partial = s.In+t.In, s.Out+t.Out, s.Cost.Plus(t.Cost), s.Partial || t.Partial
}

// Bounds of what a model is shown in one request, in bytes and cases.
const (
	maxExamples = 150_000
	maxFailures = 15
)

// examplesOf returns the cases that have room in a request.
func examplesOf(cases []worktest.Example) []Shown {
	out, size := []Shown{}, 0
	for _, c := range cases {
		one, more := shownOf(c)
		if size += more; size > maxExamples && len(out) > 0 {
			break
		}
		out = append(out, one)
	}
	return out
}

// firstOf returns the first failures, with what can be shown of their files.
func firstOf(list []Difference) []Difference {
	out := slices.Clone(list[:min(len(list), maxFailures)])
	for i := range out {
		files := slices.Clone(out[i].Files)
		for n := range files {
			files[n].Want.Text, files[n].Got.Text = beginning(files[n].Want.Text), beginning(files[n].Got.Text)
		}
		out[i].Files = files
	}
	return out
}

// beginning returns the first part of a text that is long.
func beginning(text string) string {
	const most = 4000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
