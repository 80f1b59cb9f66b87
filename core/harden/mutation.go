package harden

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/worktest"
)

// Mutated is what code did on inputs that were changed: there is no right answer for them, but
// each must end well.
type Mutated struct {
	Inputs int `json:"inputs"`
	Unsure int `json:"unsure"` // it left the answer to the worker
	// Refused are inputs that input_schema does not allow: the code never sees such.
	Refused int            `json:"refused"`
	Failed  map[string]int `json:"failed,omitempty"` // by code: traps, fuel, answers that miss the schema
	First   []Difference   `json:"first,omitempty"`  // of those that failed

	tried map[string]int // as in Part
}

// mutants is how many inputs of the cases are changed, each in every way.
const mutants = 8

// hugeText is the size of a huge text, in bytes.
const hugeText = 200_000

// mutations are the ways to change a text.
var mutations = []struct {
	name   string
	change func(string) string
}{
	{"drop", func(s string) string { half := []rune(s); return string(half[:len(half)/2]) }},
	{"repeat", func(s string) string { return s + " " + s }},
	{"empty", func(string) string { return "" }},
	{"Unicode", func(s string) string { return "\u202e\u0301é漢\U0001F600\u2028" + s + "\ufeff" }},
	{"huge", func(s string) string { return strings.Repeat(s+" ", hugeText/(len(s)+1)+1)[:hugeText] }},
}

// mutate calls code with changed inputs of cases.
func mutate(ctx context.Context, code Code, cases []worktest.Example) (m Mutated, err error) {
	m.Failed = map[string]int{}
	for _, c := range cases[:min(len(cases), mutants)] {
		for _, in := range mutantsOf(c.Input) {
			changed := c
			changed.Input = in
			got := code.Call(ctx, changed)
			if ctx.Err() != nil {
				return m, fault.Of(context.Cause(ctx), fault.Interrupted)
			}
			m.Inputs++
			addTried(&m.tried, got.Tried)
			switch {
			case got.Unsure != "":
				m.Unsure++
			case got.Fault != nil && got.Fuel == 0 && got.Fault.Code == fault.ToolInput:
				m.Refused++
			case got.Fault != nil:
				if m.Failed[string(got.Fault.Code)]++; len(m.First) < 5 {
					m.First = append(m.First, Difference{Input: brief(in), Fault: got.Fault.Error()})
				}
			}
		}
	}
	return m, nil
}

// mutantsOf returns an input changed in every way: a text as a whole, an object in its texts
// and its lists, and without one of its fields.
func mutantsOf(input json.RawMessage) (out []json.RawMessage) {
	add := func(v any) {
		if data, err := json.Marshal(v); err == nil {
			out = append(out, data)
		}
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		return nil
	}
	for _, m := range mutations {
		add(changed(value, m.change))
	}
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		less := maps.Clone(object)
		delete(less, slices.Sorted(maps.Keys(object))[0])
		add(less)
	}
	return out
}

// changed returns a value with all of its texts changed.
func changed(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = changed(e, change)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = changed(e, change)
		}
		return out
	}
	return value
}

// brief returns the beginning of an input as a JSON text, if it is long.
func brief(in json.RawMessage) json.RawMessage {
	const most = 200
	if len(in) <= most {
		return in
	}
	text, err := json.Marshal(strings.ToValidUTF8(string(in[:most]), "") + "…")
	if err != nil { // unreachable: texts always encode
		return nil
	}
	return text
}
