package wasmtool

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Limits, in bytes, of what a module passes to golem.
const (
	maxAsked  = 512 << 10 // a request as JSON: URL and headers, escaped
	maxCallee = 256       // the name of a tool or worker
)

// Exchange makes the HTTP request that a module wrote as JSON. The request must end
// within the time left. Exchange returns the response, and its headers as the JSON
// that http_headers returns. It checks sizes itself: an engine may shorten a request
// that is too large, but must leave it too large.
func (h Host) Exchange(ctx context.Context, request, body []byte, left time.Duration) (HTTPResponse, []byte, error) {
	if len(request) > maxAsked { // before it is parsed, because the parsed request is even larger
		return HTTPResponse{}, nil, fault.New(fault.Tool, "the module's HTTP request has more than %d bytes without its body", maxAsked)
	}
	var r HTTPRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return HTTPResponse{}, nil, fault.New(fault.Tool, "the module's HTTP request is not a JSON object with url, method and headers")
	}
	r.Body = body
	if h.HTTP == nil {
		return HTTPResponse{}, nil, fault.New(fault.Grant, "the module tried to use the network, which it was not granted").
			Hinting("list the host under allowed_hosts in toolsets.custom.modules and set sandbox.network_enabled: true")
	}
	ctx, stop := context.WithTimeout(ctx, left)
	defer stop()
	res, err := h.HTTP(ctx, r)
	if err != nil {
		return HTTPResponse{}, nil, err
	}
	names := make(map[string]string, len(res.Header))
	for k, v := range res.Header {
		names[strings.ToLower(k)] = v
	}
	head, err := json.Marshal(names)
	return res, head, err
}

// CallBack implements golem_call: it returns the result, or {"error":…}, also if the
// module may not call anything. Names and arguments that are too long are rejected
// here, because they would be shown and traced.
func (h Host) CallBack(ctx context.Context, name string, args []byte) []byte {
	switch {
	case h.Call == nil:
		return []byte(fault.New(fault.Grant, "the module called a tool or worker, and no worker runs this call").Result())
	case len(name) > maxCallee:
		return []byte(fault.New(fault.UnknownTool, "the module called a tool whose name has more than %d bytes", maxCallee).Result())
	case len(args) > tool.MaxArgs:
		return []byte(fault.New(fault.ToolInput, "the arguments have more than %d bytes", tool.MaxArgs).Result())
	}
	return h.Call(ctx, name, args)
}
