package harden

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/money"
	"golem/core/ui"
	"golem/core/worktest"
)

// Report says how good the code is that takes the place of a worker.
type Report struct {
	Golem      string  `json:"golem"` // "harden"
	V          int     `json:"v"`
	Worker     string  `json:"worker"`
	Source     string  `json:"source"` // "": there is no code that can be used
	Rounds     []Round `json:"rounds"`
	ShownCases int     `json:"shown_cases"`
	HeldCases  int     `json:"held_cases"`
	Shown      Part    `json:"shown"`
	Held       Part    `json:"held"`
	Suspicion
	Mutated   Mutated             `json:"mutated"`
	Conflicts []worktest.Conflict `json:"conflicts,omitempty"` // inputs with several answers
	LeftOut   []worktest.LeftOut  `json:"left_out,omitempty"`
	Before    Cost                `json:"before"` // of a call of the worker
	After     Cost                `json:"after"`  // of a call of the code, where it answers
	Spent     Spent               `json:"spent"`  // by the model that wrote the code
	Advice
	// Files are the files that are written if a person applies the code, in the order of
	// their names.
	Files   []string `json:"files,omitempty"`
	Draft   string   `json:"draft,omitempty"` // the SHA-256 of what they would have
	Applied bool     `json:"applied"`
}

// Suspicion is what speaks against code whatever it answers.
type Suspicion struct {
	Table Table          `json:"table"`
	Reach []string       `json:"reach,omitempty"` // what the source names, and may not use
	Tried map[string]int `json:"tried,omitempty"` // what the code may not do, and how often it was refused
}

// Advice is what a person should know before the code is applied.
type Advice struct {
	Changing int      `json:"changing,omitempty"` // cases in which the worker changes files
	MayCall  []string `json:"may_call,omitempty"` // hardened.calls
	// NothingNew says that the code which the worker has answers all new cases that a model
	// would see as the worker did: no model was asked, and there is no Source.
	NothingNew bool   `json:"nothing_new,omitempty"`
	HeldNew    int    `json:"new_unseen,omitempty"` // with NothingNew: new cases that no model would see, and that are not the same
	Warning    string `json:"warning,omitempty"`    // why a person should not apply the code, see Doubt
}

// Cost is what a call costs.
type Cost struct {
	Calls int       `json:"calls"` // that were measured
	Cost  money.USD `json:"cost_usd,omitempty"`
	MS    int64     `json:"ms"` // of the worker: of its requests to models; 0: not recorded
	Fuel  int64     `json:"fuel,omitempty"`
	// Tokens of a call, in and out.
	In  int `json:"in,omitempty"`
	Out int `json:"out,omitempty"`
	// Unpriced says that the price of the worker's model is not known.
	Unpriced bool `json:"unpriced,omitempty"`
}

func costOf(parts ...Part) Cost {
	var c Cost
	for _, p := range parts {
		c.Calls, c.MS, c.Fuel = c.Calls+p.Cases, c.MS+p.ms, c.Fuel+p.fuel
	}
	if n := int64(c.Calls); n > 0 {
		c.MS, c.Fuel = c.MS/n, c.Fuel/n
	}
	return c
}

// Doubt says why a person should not apply the code; "" if nothing speaks against it.
func (r *Report) Doubt() string {
	if r.NothingNew {
		return ""
	}
	if r.Source == "" {
		return "no code that can be used was written"
	}
	var why []string
	if r.Table.isTable() {
		why = append(why, fmt.Sprintf("the source contains a table: %d of the %d cases that the model saw are in it", r.Table.Found, r.Table.Of))
	}
	if len(r.Reach) > 0 {
		why = append(why, "the source uses "+strings.Join(r.Reach, ", ")+", which code that answers by its input alone may not use")
	}
	if len(r.Tried) > 0 {
		why = append(why, "it tried what it may not: "+triedText(r.Tried))
	}
	switch {
	case r.Held.Differ > 0:
		why = append(why, fmt.Sprintf("for %d of the %d cases that the model did not see, it answers otherwise than the worker, or leaves other files", r.Held.Differ, r.Held.Cases))
	case r.Held.Same == 0:
		why = append(why, fmt.Sprintf("it answers none of the %d cases that the model did not see", r.Held.Cases))
	}
	return strings.Join(why, "; ")
}

// Text returns the report for people.
func (r *Report) Text() string {
	if r.NothingNew {
		return r.nothingNew()
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s: %d cases that the model saw, %d that it did not", safe(r.Worker), r.ShownCases, r.HeldCases)
	for n, round := range r.Rounds {
		if round.Problem != "" {
			line("  round %d: cannot be used: %s", n+1, safe(round.Problem))
			continue
		}
		line("  round %d: %s", n+1, round.Shown.text())
	}
	line("")
	if d := r.Doubt(); d != "" {
		line("Do not apply it unread: %s.", d)
	} else {
		line("Nothing found speaks against it. What it leaves open (unsure, failed) the worker answers.")
	}
	if r.Source != "" {
		line("")
		r.rows(&b)
		r.differences(&b)
		r.mutated(&b)
		line("")
		line("  a call before: %s", r.Before.text())
		line("  a call after:  %s", r.After.text())
		line("  writing it:    %s", r.Spent.text())
	}
	if r.Changing > 0 && len(r.MayCall) == 0 {
		line("")
		line("  In %d of %s the worker changes files, and its code may not. Give it rights first: add", r.Changing, fault.Count(r.ShownCases+r.HeldCases, "case"))
		line("  hardened: {module: …, calls: [write_file]} to the worker, then harden it again.")
	}
	r.writeUnused(&b)
	return b.String()
}

// text returns the counts in one line.
func (p Part) text() string {
	out := fmt.Sprintf("%d of %d the same", p.Same, p.Cases)
	for _, more := range []struct {
		n    int
		what string
	}{{p.Differ, "differ"}, {p.Fail, "fail"}, {p.Unsure, "unsure"}} {
		if more.n > 0 {
			out += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return out
}

// mostShown is how many differences a report shows.
const mostShown = 10

func (r *Report) differences(b *strings.Builder) {
	for _, p := range []struct {
		name string
		Part
	}{{"seen", r.Shown}, {"unseen", r.Held}} {
		for _, d := range p.Differences[:min(len(p.Differences), mostShown)] {
			got := "code:   " + clip(string(d.Code))
			switch {
			case d.Unsure != "":
				got = "code is unsure: " + clip(d.Unsure)
			case d.Fault != "":
				got = "code fails: " + clip(d.Fault)
			}
			fmt.Fprintf(b, "\n  %s: %s\n    worker: %s\n    %s\n", p.name, clip(string(d.Input)), clip(string(d.Worker)), got)
			for _, f := range d.Files[:min(len(d.Files), mostShown)] {
				fmt.Fprintf(b, "    %s: the worker left it %s, the code %s\n", safe(f.Path), stateText(f.Want), stateText(f.Got))
			}
		}
		if more := len(p.Differences) - mostShown; more > 0 {
			fmt.Fprintf(b, "\n  %s: %s more; --json lists them\n", p.name, fault.Count(more, "case"))
		}
	}
}

func (r *Report) mutated(b *strings.Builder) {
	m := r.Mutated
	if m.Inputs == 0 {
		return
	}
	failed := 0
	var codes []string
	for _, code := range slices.Sorted(maps.Keys(m.Failed)) {
		failed += m.Failed[code]
		codes = append(codes, fmt.Sprintf("%d %s", m.Failed[code], code))
	}
	fmt.Fprintf(b, "\n  %d changed inputs (shortened, repeated, empty, Unicode, huge): ", m.Inputs)
	if failed == 0 {
		fmt.Fprintf(b, "none fails")
	} else {
		fmt.Fprintf(b, "%s (%s)", map[bool]string{true: "1 fails", false: fmt.Sprintf("%d fail", failed)}[failed == 1], strings.Join(codes, ", "))
	}
	fmt.Fprintf(b, ", %d unsure, %d that the worker refuses as input\n", m.Unsure, m.Refused)
}

// writeUnused tells what was not used.
func (r *Report) writeUnused(b *strings.Builder) {
	for _, c := range r.Conflicts[:min(len(r.Conflicts), mostShown)] {
		fmt.Fprintf(b, "\n  left out, the worker gave several answers: %s\n", clip(string(c.Input)))
	}
	if n := len(r.Conflicts) - mostShown; n > 0 {
		fmt.Fprintf(b, "  and %d more inputs with several answers\n", n)
	}
	why := map[string]int{}
	for _, l := range r.LeftOut {
		why[l.Why]++
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		fmt.Fprintf(b, "\n  left out, %d: %s\n", why[reason], safe(reason))
	}
}

// text returns what a call cost, on one line.
func (c Cost) text() string {
	if c.Calls == 0 {
		return "not measured"
	}
	parts := []string{Spent{In: c.In, Out: c.Out, Cost: c.Cost, Partial: c.Unpriced}.text()}
	switch {
	case c.MS > 0 || c.Fuel > 0:
		parts = append(parts, timeText(c.MS))
	default:
		parts = append(parts, "time not recorded")
	}
	if c.Fuel > 0 {
		parts = append(parts, fmt.Sprintf("%.1f million units of fuel", float64(c.Fuel)/1e6))
	}
	return strings.Join(parts, ", ")
}

// text returns what requests used, on one line.
func (s Spent) text() string {
	switch {
	case s.In+s.Out == 0:
		return "$0.00"
	case s.Partial:
		return fmt.Sprintf("price not known, %d tokens in, %d out", s.In, s.Out)
	}
	return fmt.Sprintf("%s, %d tokens in, %d out", s.Cost.Text(), s.In, s.Out)
}

func timeText(ms int64) string {
	if ms == 0 {
		return "less than 1 ms"
	}
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// stateText returns what was made of a file, with the beginning of its content.
func stateText(s worktest.FileState) string {
	if s.State != "written" {
		return s.State
	}
	text, err := json.Marshal(beginning(s.Text))
	if err != nil { // unreachable: texts always encode
		return s.State
	}
	return "with " + clip(string(text))
}

// clip returns the beginning of a text on one line.
func clip(s string) string {
	const most = 160
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	return safe(s)
}

func safe(s string) string { return ui.OneLine(s) }
