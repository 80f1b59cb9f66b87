package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"syscall/js"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// moduleFetcher is a wasmtool.Fetcher.
type moduleFetcher struct{}

// Fetch makes a module's HTTP request with the browser's fetch, if the policy allows
// its URL. A redirect is an error, because the policy could not check where it leads. The
// browser's own rules (CORS, private networks) apply too.
func (moduleFetcher) Fetch(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
	u, err := p.URL(r.URL)
	if err != nil {
		return wasmtool.HTTPResponse{}, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), http.NoBody)
	if err != nil {
		return wasmtool.HTTPResponse{}, fault.New(fault.Network, "the module's HTTP request is not valid: %w", err)
	}
	if len(r.Body) > 0 {
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
	}
	headers := js.Global().Get("Object").Call("create", js.Null()) // so that __proto__ is an ordinary name
	for name, value := range r.Header {
		headers.Set(strings.ToLower(name), value)
	}
	res, err := send(req, headers, "error")
	if err != nil {
		return wasmtool.HTTPResponse{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, p.Received()+1))
	if err != nil {
		return wasmtool.HTTPResponse{}, fault.Of(err, fault.Network)
	}
	if int64(len(body)) > p.Received() {
		return wasmtool.HTTPResponse{}, p.TooMuch("")
	}
	out := wasmtool.HTTPResponse{Status: res.StatusCode, Header: map[string]string{}, Body: body}
	for name, values := range res.Header {
		out.Header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return out, nil
}
