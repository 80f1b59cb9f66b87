package mcptest

import (
	"context"
	"encoding/json"
	"net/http"

	"golem/core/mcp"
)

// checked answers a request as the server's revision wants it.
func (s *Server) checked(ctx context.Context, in incoming, out func([]byte)) (any, error) {
	if s.Version != mcp.Stateless {
		return s.answer(ctx, in, out)
	}
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(in.Params, &p) // without parameters, _meta is missing
	switch {
	case in.Method == "initialize":
		return nil, &refused{mcp.CodeWrongRevision, "unsupported protocol version", map[string]any{"supported": []string{mcp.Stateless}}}
	case in.Method == "ping":
		return nil, &refused{Code: mcp.CodeUnknownMethod, Message: "there is no method ping"}
	case string(p.Meta[mcp.MetaRevision]) != `"`+mcp.Stateless+`"`, len(p.Meta[mcp.MetaCapabilities]) == 0, len(p.Meta[mcp.MetaClient]) == 0:
		return nil, &refused{Code: -32602, Message: "_meta lacks a field"}
	case in.Method == "server/discover":
		return map[string]any{
			"resultType": "complete", "supportedVersions": []string{mcp.Stateless}, "capabilities": s.capabilities(), "instructions": s.Instructions,
			"_meta": map[string]any{mcp.MetaServer: info},
		}, nil
	case in.Method == "subscriptions/listen":
		return s.listen(ctx, in, out)
	}
	result, err := s.answer(ctx, in, out)
	if fields, ok := result.(map[string]any); ok {
		fields["resultType"] = "complete"
	}
	return result, err
}

// listen tells of the next change of the tools, until ctx ends.
func (s *Server) listen(ctx context.Context, in incoming, out func([]byte)) (any, error) {
	tell := func(method string) {
		m, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": map[string]any{"_meta": map[string]any{"io.modelcontextprotocol/subscriptionId": in.ID}}})
		if err == nil {
			out(m)
		}
	}
	notice := s.notices()
	tell("notifications/subscriptions/acknowledged")
	select {
	case <-notice:
		tell("notifications/tools/list_changed")
		<-ctx.Done()
	case <-ctx.Done():
	}
	return nil, ctx.Err()
}

// headers reports what is wrong with the headers of a request of mcp.Stateless, "" for
// nothing.
func (s *Server) headers(r *http.Request, in incoming) string {
	var p struct{ Name, URI string }
	_ = json.Unmarshal(in.Params, &p) // server/discover has none
	want := map[string]string{mcp.RevisionHeader: mcp.Stateless, mcp.MethodHeader: in.Method, mcp.SessionHeader: "", mcp.NameHeader: ""}
	switch in.Method {
	case "tools/call", "prompts/get":
		want[mcp.NameHeader] = p.Name
	case "resources/read":
		want[mcp.NameHeader] = p.URI
	}
	for name, value := range want {
		if r.Header.Get(name) != value {
			return name + " is " + r.Header.Get(name)
		}
	}
	return ""
}
