package main

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall/js"

	"golem/cmd/wasm/jsbytes"
	"golem/core/fault"
	"golem/sandbox/opfs"
)

// fetcher is an HTTPDoer that uses the browser's fetch, so that Go's HTTP transport is
// not linked. It streams responses; when the request's context ends, the request is
// aborted. It follows no redirect and sends no cookie.
type fetcher struct{}

// unwanted are headers that strict endpoints refuse in a CORS preflight, or
// that a browser sets itself.
var unwanted = map[string]bool{"Cache-Control": true, "Connection": true, "Accept": true, "User-Agent": true, "Accept-Encoding": true, "Content-Length": true, "Host": true}

// Do sends a request and returns when the response's head is there.
func (fetcher) Do(r *http.Request) (*http.Response, error) {
	headers := js.Global().Get("Object").New()
	for name, values := range r.Header {
		if !unwanted[name] {
			headers.Set(strings.ToLower(name), strings.Join(values, ", "))
		}
	}
	if r.URL.Host == "api.anthropic.com" {
		headers.Set("anthropic-dangerous-direct-browser-access", "true")
	}
	return send(r, headers, "manual")
}

// serverFetcher is an HTTPDoer for MCP servers. Unlike fetcher it sends the header
// Accept, which MCP servers need.
type serverFetcher struct{}

// Do sends a request and returns when the response's head is there.
func (serverFetcher) Do(r *http.Request) (*http.Response, error) {
	headers := js.Global().Get("Object").New()
	for name, values := range r.Header {
		if name == "Accept" || !unwanted[name] {
			headers.Set(strings.ToLower(name), strings.Join(values, ", "))
		}
	}
	return send(r, headers, "manual")
}

// send calls the browser's fetch with these headers. redirect says how fetch treats a
// redirect: "error" makes it an error, "manual" returns a response with status 307
// and without Location, which the browser does not show to a page.
func send(r *http.Request, headers js.Value, redirect string) (*http.Response, error) {
	abort := js.Global().Get("AbortController").New()
	options := js.ValueOf(map[string]any{
		"method": r.Method, "signal": abort.Get("signal"), "redirect": redirect, "credentials": "omit",
		"referrerPolicy": "no-referrer", "cache": "no-store",
	})
	options.Set("headers", headers)
	if r.Body != nil && r.Body != http.NoBody {
		body, err := readBody(r)
		if err != nil {
			return nil, err
		}
		array := js.Global().Get("Uint8Array").New(len(body))
		js.CopyBytesToJS(array, body)
		options.Set("body", array)
	}
	stop := afterFunc(r, func() { abort.Call("abort") })
	opfs.Flush() // the log is written before the request has effects elsewhere
	res, err := jsbytes.Await(js.Global().Call("fetch", r.URL.String(), options))
	if err != nil {
		stop()
		if r.Context().Err() != nil {
			return nil, r.Context().Err()
		}
		return nil, fault.New(fault.Network, "%s cannot be reached from this page: %s", r.URL.Host, err.Error()).
			Hinting("check the address, and whether the endpoint allows requests from web pages (CORS)")
	}
	return response(r, res, abort, stop), nil
}

// readBody reads the whole body of a request and closes it. If the length is known, it
// allocates memory once.
func readBody(r *http.Request) ([]byte, error) {
	defer r.Body.Close()
	if r.ContentLength <= 0 {
		return io.ReadAll(r.Body)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}

// afterFunc runs f when the request's context ends, unless stop was called before.
func afterFunc(r *http.Request, f func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-r.Context().Done():
			f()
		case <-done:
		}
	}()
	var closed bool
	return func() {
		if !closed {
			closed = true
			close(done)
		}
	}
}

func response(r *http.Request, res, abort js.Value, stop func()) *http.Response {
	out := &http.Response{
		StatusCode: res.Get("status").Int(), Status: res.Get("statusText").String(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, ContentLength: -1, Request: r,
	}
	if res.Get("type").String() == "opaqueredirect" {
		out.StatusCode = http.StatusTemporaryRedirect
	}
	iter := res.Get("headers").Call("entries")
	for {
		next := iter.Call("next")
		if next.Get("done").Bool() {
			break
		}
		pair := next.Get("value")
		out.Header.Add(pair.Index(0).String(), pair.Index(1).String())
	}
	b := &fetchBody{abort: abort, stop: stop, request: r}
	if stream := res.Get("body"); stream.Truthy() {
		b.reader = stream.Call("getReader")
	}
	out.Body = b
	return out
}

// fetchBody reads a response's stream chunk by chunk.
type fetchBody struct {
	reader  js.Value // a ReadableStreamDefaultReader; undefined: the body is empty
	rest    []byte
	abort   js.Value
	stop    func()
	request *http.Request
	err     error
}

func (b *fetchBody) Read(p []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.reader.IsUndefined() {
			return 0, io.EOF
		}
		chunk, err := jsbytes.Await(b.reader.Call("read"))
		switch {
		case err != nil && b.request.Context().Err() != nil:
			b.err = b.request.Context().Err()
		case err != nil:
			b.err = errors.New("the connection broke: " + err.Error())
		case chunk.Get("done").Bool():
			b.err = io.EOF
		default:
			v := chunk.Get("value")
			b.rest = make([]byte, v.Length())
			js.CopyBytesToGo(b.rest, v)
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *fetchBody) Close() error {
	b.stop()
	if b.err == nil {
		b.err = io.ErrClosedPipe
		b.abort.Call("abort")
	}
	return nil
}
