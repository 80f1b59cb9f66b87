package worktest

import (
	"encoding/json"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/sorting"
	"golem/core/state"
	"golem/core/tool"
	"golem/core/trace"
)

// Example is an input of a worker with the output that it gave: a case {input, expected
// output}. Compare outputs with Same.
type Example struct {
	Input  json.RawMessage `json:"input"` // a JSON string, or an object
	Output json.RawMessage `json:"output"`
	From   string          `json:"from"` // "tests/a.yaml: NAME", or "conversation ID CALL"
	// Usage is what the worker's answer used, with its price at that time, and MS the time of
	// its requests to models in milliseconds; 0: it was not recorded.
	Usage trace.Usage `json:"-"`
	MS    int64       `json:"-"`
	// Setting is the test that it is from: its files, answers and results hold for the input.
	// nil: it is from a conversation.
	Setting *Case `json:"-"`
	// Written is what the worker made of the files.
	Written Written `json:"-"`
}

// LeftOut is an input that is not an example, and why.
type LeftOut struct {
	From string `json:"from"`
	Why  string `json:"why"`
}

// Conflict is an input for which the worker gave several outputs.
type Conflict struct {
	Input   json.RawMessage   `json:"input"`
	Outputs []json.RawMessage `json:"outputs"`
	From    []string          `json:"from"`
}

// key returns what examples have in common that are of the same input: the input itself, and
// what a test lays around it.
func (e Example) key() string {
	key := string(e.Input)
	if canonical, err := tool.Canonical(e.Input); err == nil {
		key = string(canonical)
	}
	c := e.Setting
	if c == nil || len(c.Files)+len(c.FilesFrom)+len(c.Laid)+len(c.Answers)+len(c.Results) == 0 {
		return key
	}
	around, err := json.Marshal([]any{c.Files, c.FilesFrom, c.Laid, c.Answers, c.Results})
	if err != nil { // unreachable: these always encode
		return key
	}
	return key + "\n" + string(around)
}

// Digest returns what tells whether a case is the same as another: a SHA-256 of its input, its
// output and the files, cut to 16 hexadecimal digits.
func (e Example) Digest() string {
	output := e.Output
	if canonical, ok := structure(output); ok {
		output = canonical
	}
	all, err := json.Marshal([]any{e.key(), string(output), e.Written})
	if err != nil { // unreachable: these always encode
		return ""
	}
	return digestOf(string(all))[:16]
}

// Distinct returns one example for each input, in the order of the inputs' digests, and the
// inputs that have several outputs, or after which the files are several ones.
func Distinct(all []Example) (distinct []Example, conflicts []Conflict) {
	byKey, order := map[string][]Example{}, []string{}
	for _, e := range all {
		key := e.key()
		if byKey[key] == nil {
			order = append(order, key)
		}
		byKey[key] = append(byKey[key], e)
	}
	sorting.By(order, func(a, b string) int { return strings.Compare(digestOf(a), digestOf(b)) })
	for _, key := range order {
		same := byKey[key]
		conflict, written := Conflict{Input: same[0].Input}, []Written{}
		for _, e := range same {
			known := false
			for i, o := range conflict.Outputs {
				known = known || Same(o, e.Output) && written[i].Same(e.Written)
			}
			if !known {
				conflict.Outputs, conflict.From, written = append(conflict.Outputs, e.Output), append(conflict.From, e.From), append(written, e.Written)
			}
		}
		if len(conflict.Outputs) > 1 {
			conflicts = append(conflicts, conflict)
			continue
		}
		distinct = append(distinct, same[0])
	}
	return distinct, conflicts
}

// FromConversations returns the examples of a worker in the kept conversations of a project.
// typed says that the worker has an input_schema. A conversation that is not genuine is left
// out, and so is an input that was redacted, cut, or had attachments.
func FromConversations(s *state.Store, worker string, typed bool) (out []Example, left []LeftOut) {
	if s == nil || !s.Kept() {
		return nil, nil
	}
	for _, l := range conversation.List(s) {
		from := "conversation " + l.ID
		k, err := conversation.Read(s, l.ID)
		if err == nil {
			err = k.Err
		}
		if err != nil {
			left = append(left, LeftOut{from, fault.Of(err, fault.Trust).Message})
			continue
		}
		for _, p := range k.Pairs() {
			if p.Worker != worker {
				continue
			}
			from := from + " " + p.ID
			e, why := exampleOf(p, typed)
			if why != "" {
				left = append(left, LeftOut{from, why})
				continue
			}
			e.From, e.Usage, e.MS = from, usageOf(p.Usage), p.MS
			out = append(out, e)
		}
	}
	return out, left
}

func usageOf(u model.Usage) trace.Usage {
	return trace.Usage{In: u.In, Out: u.Out, Cached: u.Cached, Written: u.Written, Estimated: u.Estimated, Cost: u.Cost, CostPartial: u.Unpriced}
}

// exampleOf returns a pair as an example; why says why it cannot be one.
func exampleOf(p conversation.Pair, typed bool) (e Example, why string) {
	e.Output = ValueOf(p.Output.Tool())
	switch {
	case p.Redacted:
		return e, "the input had a secret, which was not kept"
	case p.Changing != "":
		return e, "it called " + p.Changing + ", which can change something, and a conversation does not keep what was there before: only a test can be such a case"
	case p.Input != nil && len(p.Input.Files) > 0:
		return e, "the input had attachments"
	case p.Input != nil:
		e.Input = Input{Text: p.Input.Text, JSON: p.Input.JSON}.Raw()
	default:
		if e.Input, why = argumentsOf(p.Args, typed); why != "" {
			return e, why
		}
	}
	for _, v := range []json.RawMessage{e.Input, e.Output} {
		if strings.Contains(string(v), trace.Redacted) {
			return e, "a secret was removed from it"
		}
	}
	return e, ""
}

// argumentsOf returns the input that the arguments of a call give to a worker.
func argumentsOf(args string, typed bool) (in json.RawMessage, why string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &fields) != nil {
		return nil, "its arguments are not an object"
	}
	for _, extra := range []string{"instructions", "attachments", "prior", "worker"} {
		if _, has := fields[extra]; has && (!typed || extra != "worker") {
			return nil, "the call had " + extra
		}
	}
	if typed {
		return json.RawMessage(args), ""
	}
	if len(fields) != 1 || fields["input"] == nil {
		return nil, "the call had other arguments than input"
	}
	return fields["input"], ""
}
