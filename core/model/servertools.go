package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The tools that can run at the provider (SPEC §2, server_tools).
const (
	WebSearch     = "web_search"
	CodeExecution = "code_execution"
)

// serverToolsOf are the names that a worker's server_tools can have.
func serverToolsOf() []string { return []string{WebSearch, CodeExecution} }

// serverForms has the declarations of server tools by protocol.
var serverForms = map[string]map[string]json.RawMessage{
	Responses: {
		WebSearch:     json.RawMessage(`{"type":"web_search"}`),
		CodeExecution: json.RawMessage(`{"type":"code_interpreter","container":{"type":"auto"}}`),
	},
	Anthropic: {
		WebSearch:     json.RawMessage(`{"type":"web_search_20250305","name":"web_search"}`),
		CodeExecution: json.RawMessage(`{"type":"code_execution_20250825","name":"code_execution"}`),
	},
}

// ServerCall is a call of a tool that ran at the provider. golem has not gated it.
type ServerCall struct {
	Name   string          `json:"name"`             // in golem's words if it is one of ServerTools, else the provider's
	Args   json.RawMessage `json:"args,omitempty"`   // as the provider says them
	Result json.RawMessage `json:"result,omitempty"` // what the provider says of it, without what only it can read
	Failed bool            `json:"failed,omitempty"`
}

// lackingTools returns those of the wanted server tools that the row does not have in its
// protocol.
func (p Provider) lackingTools(wanted []string, protocol string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		return slices.Contains(p.ServerTools, name) && serverForms[protocol][name] != nil
	})
}

// LackingTools returns the server tools that the provider of the named model does not have,
// in the given order. A script or replay lacks none, because nothing runs.
func (c Config) LackingTools(name string, wanted []string) []string {
	provider, _, err := Split(name)
	if err != nil || provider == "script" || provider == "replay" {
		return nil
	}
	row, err := c.row(provider)
	if err != nil {
		return nil
	}
	return row.lackingTools(wanted, row.apiAt(c.parsed(row)))
}

// LackingTools returns the same as Config.LackingTools, for an open model.
func LackingTools(m Model, wanted []string) []string {
	r, ok := undecorated(m).(*remote)
	if !ok {
		return nil
	}
	return r.end.row.lackingTools(wanted, r.end.row.apiAt(r.end.url))
}

// LackingToolText returns the warning about a server tool that the provider of the named model
// lacks.
func LackingToolText(model, name string) string {
	provider, _, _ := strings.Cut(model, ":")
	return fmt.Sprintf("%s does not run the server tool %s, so it is not offered", provider, name)
}

// withServerTools appends the declarations of a request's server tools to its encoded tools.
func (m *remote) withServerTools(p *payload, r Request) {
	forms := serverForms[m.end.row.apiAt(m.end.url)]
	for _, name := range r.ServerTools {
		if form := forms[name]; form != nil && slices.Contains(m.end.row.ServerTools, name) {
			p.tools = appended(p.tools, form)
		}
	}
}

// appended returns a JSON list with one more value; none is an empty list.
func appended(list, value json.RawMessage) json.RawMessage {
	if len(list) <= len("[]") {
		return json.RawMessage("[" + string(value) + "]")
	}
	return json.RawMessage(string(list[:len(list)-1]) + "," + string(value) + "]")
}

// serve adds a call that ran at the provider.
func (a *answer) serve(s ServerCall) {
	a.items.stateful = true // the provider needs its items back
	a.ran = append(a.ran, s)
}

// responsesServed returns the call that an item of Responses describes; false if the item is
// something else.
func responsesServed(raw json.RawMessage) (ServerCall, bool) {
	var it struct {
		Type, Status, Action, Code, Outputs, Queries, Results json.RawMessage
		Container                                             json.RawMessage `json:"container_id"`
	}
	if json.Unmarshal(raw, &it) != nil {
		return ServerCall{}, false
	}
	s := ServerCall{Failed: str(it.Status) == "failed"}
	switch kind := str(it.Type); kind {
	case "web_search_call":
		s.Name, s.Args = WebSearch, it.Action
	case "code_interpreter_call":
		s.Name, s.Args, s.Result = CodeExecution, members(fields{"code": it.Code}), it.Outputs
	case "file_search_call", "image_generation_call", "mcp_call", "computer_call":
		s.Name = strings.TrimSuffix(kind, "_call")
	default:
		return ServerCall{}, false
	}
	s.Args, s.Result = readable(s.Args), readable(s.Result)
	return s, true
}

// members returns an object without the members that have no value.
func members(f fields) json.RawMessage {
	for name, value := range f {
		if !given(value) {
			delete(f, name)
		}
	}
	data, err := json.Marshal(f)
	if err != nil {
		return nil
	}
	return data
}

// sealed are the members of a result that only the provider can read.
var sealed = []string{"encrypted_content", "encrypted_index", "encrypted_stdout"}

// readable returns a JSON value without the members that only the provider can read; nil for
// none.
func readable(raw json.RawMessage) json.RawMessage {
	if !given(raw) {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	data, err := json.Marshal(unsealed(v))
	if err != nil {
		return nil
	}
	return data
}

func unsealed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range sealed {
			delete(v, name)
		}
		for name, one := range v {
			v[name] = unsealed(one)
		}
	case []any:
		for i, one := range v {
			v[i] = unsealed(one)
		}
	}
	return v
}

// servedResult adds the result of a call that ran at Anthropic, which follows the call as a
// block of its own.
func (a *anthropicAnswer) servedResult(b *block) {
	at, found := a.serving[str(b.first["tool_use_id"])]
	if !found {
		return
	}
	result := b.first["content"]
	var failed struct {
		Code json.RawMessage `json:"error_code"`
	}
	a.ran[at].Result = readable(result)
	a.ran[at].Failed = json.Unmarshal(result, &failed) == nil && given(failed.Code)
}

// servedCall adds a call that runs at Anthropic. Its arguments go back with the history.
func (a *anthropicAnswer) servedCall(b *block) {
	if args := b.args.String(); json.Valid([]byte(args)) {
		b.first["input"] = json.RawMessage(args)
	}
	if a.serving == nil {
		a.serving = map[string]int{}
	}
	a.serving[str(b.first["id"])] = len(a.ran)
	a.serve(ServerCall{Name: str(b.first["name"]), Args: readable(b.first["input"])})
}
