package wasmtool

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"golem/core/fault"
	"golem/core/tool"
)

// Bounds of what a module asks for, in bytes.
const (
	maxAsked  = 512 << 10 // a request as JSON: address and headers, escaped
	maxCallee = 256       // a tool's or worker's name
)

// Exchange makes the HTTP request that a module wrote as JSON, within left. It
// returns the response and its headers as the JSON that http_headers gives. What
// it says of sizes holds where an engine cut what was too large already.
func (h Host) Exchange(ctx context.Context, request, body []byte, left time.Duration) (HTTPResponse, []byte, error) {
	if len(request) > maxAsked { // before it is read: what is made of it is larger yet
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

// CallBack is golem_call: the result, or {"error":…} also where nobody can be
// called. What is too large goes no further, where it would be shown and traced.
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
