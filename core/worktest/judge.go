package worktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// Miss is one thing that is not as the case expects.
type Miss struct {
	What string `json:"what"` // the key of the file of tests: output.equals, files a.md, calls.must
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Schemas finds the JSON Schema of a reference in a case.
type Schemas interface {
	Schema(ref string) (json.RawMessage, error)
}

// maxCompared is the largest file of which a case can expect something, in bytes.
const maxCompared = 16 << 20

// maxQuoted is how much of a value a Miss shows, in bytes.
const maxQuoted = 2000

// Compare returns everything in which an outcome differs from what a case expects; none: the
// case passes, apart from its judge. It fails if the expectation itself cannot be judged.
func Compare(want Expect, got Outcome, schemas Schemas) ([]Miss, error) {
	c := &comparison{schemas: schemas}
	if want.Status != got.Status {
		text := got.Status
		if got.Fault != nil {
			text = got.Fault.Error()
		}
		c.miss("status", want.Status, text)
	}
	if got.Status == "ok" || got.Status == "needs_input" || want.Status == got.Status {
		c.value("output", want.Output, ValueOf(got.Output), textOf(got.Output))
	}
	for _, f := range want.Files {
		c.file(f, got.Files)
	}
	c.calls(want, got.Calls)
	c.limits(want.Limits, got)
	return c.misses, c.err
}

// comparison gathers misses.
type comparison struct {
	schemas Schemas
	misses  []Miss
	err     error
}

func (c *comparison) miss(what, want, got string) {
	c.misses = append(c.misses, Miss{what, brief(want), brief(got)})
}

func brief(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	return strings.ToValidUTF8(s[:maxQuoted], "") + fmt.Sprintf("… (%d bytes)", len(s))
}

// value compares a value with what it must be. text is its form to search in.
func (c *comparison) value(what string, want Want, value json.RawMessage, text string) {
	if want.Equals != nil && !Same(want.Equals, value) {
		c.miss(what+".equals", plainText(want.Equals), text)
	}
	for _, part := range want.Contains {
		if !strings.Contains(text, part) {
			c.miss(what+".contains", part, text)
		}
	}
	if want.Matches != nil && !want.Matches.MatchString(text) {
		c.miss(what+".matches", want.Matches.String(), text)
	}
	c.schema(what+".schema", want, value, text)
	whole, isJSON := structure(value)
	for _, p := range want.JSON {
		found, there := pointed(whole, p.Pointer)
		switch {
		case !isJSON:
			c.miss(what+".json "+p.Pointer, string(p.Value), "not JSON: "+text)
		case !there:
			c.miss(what+".json "+p.Pointer, string(p.Value), "there is no such value in "+text)
		case !Same(p.Value, found):
			c.miss(what+".json "+p.Pointer, string(p.Value), string(found))
		}
	}
}

// plainText returns a JSON string as its text, and any other value as JSON.
func plainText(v json.RawMessage) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return text
	}
	return string(v)
}

func (c *comparison) schema(what string, want Want, value json.RawMessage, text string) {
	raw := want.Schema
	if want.SchemaRef != "" {
		if c.schemas == nil {
			c.fail(fault.New(fault.Schema, "the schema %s cannot be read here", want.SchemaRef))
			return
		}
		var err error
		if raw, err = c.schemas.Schema(want.SchemaRef); err != nil {
			c.fail(err)
			return
		}
	}
	if raw == nil {
		return
	}
	compiled, err := tool.Compile(raw)
	if err != nil {
		c.fail(fault.New(fault.Schema, "%s: the schema is not valid: %w", what, err))
		return
	}
	if parsed, ok := structure(value); ok {
		value = parsed
	}
	if vs := compiled.Validate(value); len(vs) > 0 {
		c.miss(what, tool.Describe(vs), text)
	}
}

func (c *comparison) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *comparison) file(want FileWant, files fs.FS) {
	what := "files " + want.Path
	data, err := sandbox.ReadFile(files, want.Path, maxCompared)
	switch {
	case want.Absent && err == nil:
		c.miss(what, "absent", string(data))
	case want.Absent && errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrNotExist):
		c.miss(what, "a file", "there is none")
	case err != nil:
		c.miss(what, "a file", fault.Of(err, fault.NotFound).Message)
	default:
		text := string(data)
		value, err := json.Marshal(text)
		if err != nil { // unreachable: texts always encode
			value = json.RawMessage(`""`)
		}
		c.value(what, want.Want, value, text)
	}
}

// calls compares the calls of all workers. A call that was denied or not run does not count
// as one.
func (c *comparison) calls(want Expect, calls []Call) {
	made, denied := map[string]int{}, []string{}
	for _, one := range calls {
		switch one.Status {
		case "denied":
			denied = append(denied, one.Tool)
		case "not_run":
		default:
			made[one.Tool]++
		}
	}
	list := listed(made)
	for _, name := range want.Must {
		if made[name] == 0 {
			c.miss("calls.must", name, list)
		}
	}
	for _, name := range want.Never {
		if made[name] > 0 {
			c.miss("calls.never", name, list)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want.AtMost)) {
		if made[name] > want.AtMost[name] {
			c.miss("calls.at_most", fmt.Sprintf("%s: %d", name, want.AtMost[name]), fmt.Sprintf("%s: %d", name, made[name]))
		}
	}
	if want.Denied == nil {
		return
	}
	slices.Sort(denied)
	if expected := slices.Sorted(slices.Values(want.Denied)); !slices.Equal(expected, denied) {
		c.miss("denied", orNone(expected), orNone(denied))
	}
}

func listed(made map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(made)) {
		parts = append(parts, fmt.Sprintf("%s: %d", name, made[name]))
	}
	return orNone(parts)
}

func orNone(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (c *comparison) limits(want Limits, got Outcome) {
	if want.Turns != nil && got.Turns > *want.Turns {
		c.miss("limits.turns", fmt.Sprint(*want.Turns), fmt.Sprint(got.Turns))
	}
	if tokens := int64(got.Usage.In) + int64(got.Usage.Out); want.Tokens != nil && tokens > *want.Tokens {
		c.miss("limits.tokens", fmt.Sprint(*want.Tokens), fmt.Sprint(tokens))
	}
	if want.Cost == nil {
		return
	}
	if got.Usage.CostPartial {
		c.fail(fault.New(fault.Budget, "limits.cost cannot be judged: the price of the model is not known").Hinting("give its price under providers: in your own config.yaml, or remove limits.cost"))
	} else if got.Usage.Cost > *want.Cost {
		c.miss("limits.cost", want.Cost.Text(), got.Usage.Cost.Text())
	}
}
