package wasmtool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"golem/core/fault"
	"golem/core/tool"
)

// Description is one tool as its module describes it. What the module says can
// make golem stricter, never less strict (SPEC §6).
type Description struct {
	Name          string          `json:"name"`
	Description   string          `json:"description,omitempty"`
	Input         json.RawMessage `json:"inputSchema,omitempty"`
	Output        json.RawMessage `json:"outputSchema,omitempty"`
	Risk          tool.Risk       `json:"risk,omitempty"` // also destructive if MCP's annotations say destructiveHint
	Exec          tool.Exec       `json:"exec,omitempty"`
	NeedsApproval *bool           `json:"needs_approval,omitempty"`
	Stateful      bool            `json:"stateful,omitempty"`
	Timeout       string          `json:"timeout,omitempty"` // a Go duration; "": the worker's tool_timeout
	// Command has the arguments of a WASI command that was not written for golem, and
	// Stdin its standard input, with {field} for fields of the call's arguments. nil: the
	// command is called with call NAME and the arguments as JSON on standard input.
	Command []string `json:"command,omitempty"`
	Stdin   string   `json:"stdin,omitempty"`
}

// Limits of a description.
const (
	maxDocument    = 1 << 20 // bytes of the whole description
	maxTools       = 256
	maxDescription = 16 << 10  // bytes of one text
	maxSchema      = 256 << 10 // bytes of one schema
)

// A flaw is an error in a description, with its place.
type flaw struct {
	tool  int    // index of the tool; -1: not in one tool
	key   string // key of the tool; "": the tool as a whole
	fault *fault.Fault
}

func flawed(tool int, key, format string, args ...any) *flaw {
	return &flaw{tool, key, fault.New(fault.ToolContract, format, args...)}
}

// parseDescription parses the JSON description that a module gives. Keys that
// MCP defines and golem does not use are ignored.
func parseDescription(doc []byte) ([]Description, error) {
	ds, bad := readDescriptions(doc)
	if bad != nil {
		return nil, bad.fault
	}
	return ds, nil
}

func readDescriptions(doc []byte) ([]Description, *flaw) {
	const shape = `a description has the form {"tools":[{"name","description","inputSchema"}]}`
	top, err := object(doc, maxDocument)
	if err != nil {
		bad := flawed(-1, "", "its description is not valid JSON of tools: %s", err)
		bad.fault = bad.fault.Hinting(shape)
		return nil, bad
	}
	var tools []json.RawMessage
	if raw := top["tools"]; !jsonList(raw) || json.Unmarshal(raw, &tools) != nil {
		bad := flawed(-1, "", "its description has no list named tools")
		bad.fault = bad.fault.Hinting(shape)
		return nil, bad
	}
	if len(tools) == 0 {
		return nil, flawed(-1, "", "its description names no tools")
	}
	if len(tools) > maxTools {
		return nil, flawed(-1, "", "its description names %d tools; at most %d are allowed", len(tools), maxTools)
	}
	ds := make([]Description, len(tools))
	seen := map[string]bool{}
	for i, raw := range tools {
		if bad := ds[i].read(i, raw); bad != nil {
			return nil, bad
		}
		if seen[ds[i].Name] {
			return nil, flawed(i, "name", "its description names the tool %s twice", ds[i].Name)
		}
		seen[ds[i].Name] = true
	}
	return ds, nil
}

// object parses one JSON object strictly: UTF-8, no duplicate keys, limited
// size. Keys are compared exactly.
func object(raw []byte, limit int) (map[string]json.RawMessage, error) {
	if len(raw) > limit {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(raw), limit)
	}
	if _, err := tool.Canonical(raw); err != nil {
		return nil, fmt.Errorf("%s", fault.Of(err, fault.ToolInput).Message)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("it is not a JSON object")
	}
	return fields, nil
}

func jsonList(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) }

func jsonObject(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }

// read parses one tool.
func (d *Description) read(i int, raw json.RawMessage) *flaw {
	var fields map[string]json.RawMessage
	if !jsonObject(raw) || json.Unmarshal(raw, &fields) != nil {
		return flawed(i, "", "tool %d of its description is not a JSON object", i+1)
	}
	who := fmt.Sprintf("tool %d", i+1)
	for _, f := range []struct {
		key, want string
		to        any
	}{
		{"name", "text", &d.Name}, {"description", "text", &d.Description}, {"risk", "a word", &d.Risk}, {"exec", "a word", &d.Exec},
		{"needs_approval", "true or false", &d.NeedsApproval}, {"stateful", "true or false", &d.Stateful},
		{"timeout", "text such as 10s", &d.Timeout}, {"command", "a list of texts", &d.Command}, {"stdin", "text", &d.Stdin},
	} {
		if raw := fields[f.key]; raw != nil && json.Unmarshal(raw, f.to) != nil {
			return flawed(i, f.key, "the %s of %s is not %s", f.key, who, f.want)
		}
		if f.key == "name" && tool.ValidName(d.Name) {
			who = d.Name
		}
	}
	d.Input, d.Output = fields["inputSchema"], fields["outputSchema"]
	var hints struct {
		Destructive bool `json:"destructiveHint"`
	}
	if raw := fields["annotations"]; raw != nil && json.Unmarshal(raw, &hints) != nil {
		return flawed(i, "annotations", "the annotations of %s do not have the form that MCP defines", who)
	}
	if hints.Destructive && d.Risk != tool.Command {
		d.Risk = tool.Destructive
	}
	return d.check(i)
}

// check checks that golem can offer the tool to a model.
func (d *Description) check(i int) *flaw {
	if !tool.ValidName(d.Name) {
		return flawed(i, "name", "its description has a tool named %q; a name has 1 to 64 letters, digits, _ and -", Escape([]byte(d.Name), 80))
	}
	if len(d.Description) > maxDescription {
		return flawed(i, "description", "the description of %s has %d bytes; at most %d are allowed", d.Name, len(d.Description), maxDescription)
	}
	d.Description = printable(d.Description)
	if bad := d.checkCommand(i); bad != nil {
		return bad
	}
	if bad := d.schemas(i); bad != nil {
		return bad
	}
	switch d.Risk {
	case "", tool.Read, tool.Write, tool.Network, tool.Destructive, tool.Command:
	default:
		return flawed(i, "risk", "the risk of %s is %q; use read, write, network, destructive or command", d.Name, Escape([]byte(d.Risk), 40))
	}
	switch d.Exec {
	case "", tool.ExecLLM, tool.ExecManual, tool.ExecBoth:
	default:
		return flawed(i, "exec", "the exec of %s is %q; use llm, manual or both", d.Name, Escape([]byte(d.Exec), 40))
	}
	if d.Timeout != "" {
		if t, err := time.ParseDuration(d.Timeout); err != nil || t <= 0 {
			return flawed(i, "timeout", "the timeout of %s is %q; write a duration like 10s", d.Name, Escape([]byte(d.Timeout), 40))
		}
	}
	return nil
}

func (d *Description) schemas(i int) *flaw {
	for _, s := range []struct {
		key string
		raw *json.RawMessage
	}{{"inputSchema", &d.Input}, {"outputSchema", &d.Output}} {
		raw := *s.raw
		if *s.raw = nil; len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if len(raw) > maxSchema {
			return flawed(i, s.key, "the %s of %s has %d bytes; at most %d are allowed", s.key, d.Name, len(raw), maxSchema)
		}
		var small bytes.Buffer
		if !jsonObject(raw) || json.Compact(&small, raw) != nil {
			return flawed(i, s.key, "the %s of %s is not a JSON Schema: it is not a JSON object", s.key, d.Name)
		}
		raw = small.Bytes()
		if s.key == "inputSchema" {
			var bad *flaw
			if raw, bad = d.ofObject(i, raw); bad != nil {
				return bad
			}
		}
		if _, err := tool.Compile(raw); err != nil {
			f := fault.Of(err, fault.Schema)
			return &flaw{i, s.key, fault.New(fault.Schema, "the %s of %s is not valid: %s", s.key, d.Name, Escape([]byte(f.Message), 400))}
		}
		*s.raw = raw
	}
	return nil
}

// ofObject makes sure that a schema is that of an object, because providers
// accept nothing else for arguments. If the schema has no type, it adds type
// object.
func (d *Description) ofObject(i int, raw json.RawMessage) (json.RawMessage, *flaw) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil, flawed(i, "inputSchema", "the inputSchema of %s is not a JSON Schema", d.Name)
	}
	switch t := fields["type"]; {
	case t == nil && len(fields) == 0:
		return json.RawMessage(`{"type":"object"}`), nil
	case t == nil:
		return append([]byte(`{"type":"object",`), raw[1:]...), nil
	case string(t) != `"object"`:
		return nil, flawed(i, "inputSchema", "the inputSchema of %s has the type %s; a tool's arguments are always an object", d.Name, Escape(t, 40))
	}
	return raw, nil
}

// printable makes a text safe for models and people: control and invisible
// characters become escapes, tabs become spaces.
func printable(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	var out strings.Builder
	for _, r := range s {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
