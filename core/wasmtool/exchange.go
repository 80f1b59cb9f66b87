package wasmtool

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"golem/core/fault"
)

// Exchange makes the HTTP request that a module wrote as JSON, within left. It
// returns the response and its headers as the JSON that http_headers gives.
func (h Host) Exchange(ctx context.Context, request, body []byte, left time.Duration) (HTTPResponse, []byte, error) {
	var r HTTPRequest
	if err := json.Unmarshal(request, &r); err != nil {
		return HTTPResponse{}, nil, fault.New(fault.Tool, "the module's HTTP request is no JSON object with url, method and headers")
	}
	r.Body = body
	if h.HTTP == nil {
		return HTTPResponse{}, nil, fault.New(fault.Grant, "the module asks for the network, which it was not granted").
			Hinting("list the host under allowed_hosts in toolsets.custom.modules and set sandbox.network_enabled")
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
// called.
func (h Host) CallBack(ctx context.Context, name string, args []byte) []byte {
	if h.Call == nil {
		return []byte(fault.New(fault.Grant, "this call has nobody to call back").Result())
	}
	return h.Call(ctx, name, args)
}
