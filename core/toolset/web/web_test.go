package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/web"
	"golem/core/wasmtool"
)

// open returns the tools of a worker by name.
func open(t *testing.T, s web.Source, options string) map[string]tool.Tool {
	t.Helper()
	set, err := toolset.NewRegistry(web.Toolset(s)).Open(t.Context(), "web", json.RawMessage(options), toolset.Env{Worker: "main", Network: true})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tool.Tool{}
	for _, tl := range set.Tools() {
		out[tl.Spec().Name] = tl
	}
	return out
}

// web_search is offered only if a person configured a provider or the worker asks for it.
func TestSearchIsOffered(t *testing.T) {
	brave := web.Source{Search: web.Search{Provider: "brave"}}
	for _, c := range []struct {
		source  web.Source
		options string
		want    bool
	}{
		{web.Source{}, `{}`, false}, {brave, `{}`, true}, {brave, `{"search":false}`, false}, {web.Source{}, `{"search":{}}`, true},
	} {
		if _, got := open(t, c.source, c.options)["web_search"]; got != c.want {
			t.Errorf("%v with %s: offered %t", c.source.Search, c.options, got)
		}
	}
}

// Each provider gets requests only at its own address, with the key only in its own header.
// If the key is not set, there is an error and no request.
func TestProviders(t *testing.T) {
	answers := map[string]string{
		"brave":   `{"web":{"results":[{"title":"<b>T</b>","url":"https://a.example/","description":"D &amp; d"}]}}`,
		"searxng": `{"results":[{"title":"T","url":"https://a.example/","content":"D & d"}]}`,
		"tavily":  `{"results":[{"title":"T","url":"https://a.example/","content":"D & d"}]}`,
	}
	for _, c := range []struct{ provider, url, key, host, header string }{
		{"brave", "", "BRAVE_API_KEY", "api.search.brave.com", "x-subscription-token=KEY"},
		{"tavily", "", "TAVILY_API_KEY", "api.tavily.com", "authorization=Bearer KEY"},
		{"searxng", "https://sx.example:8443/s", "", "sx.example:8443", ""},
	} {
		var sent wasmtool.HTTPRequest
		requests := 0
		s := web.Source{
			Search: web.Search{Provider: c.provider, URL: c.url}, Env: map[string]string{c.key: "KEY"},
			Fetch: fetchFunc(func(_ context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (out wasmtool.HTTPResponse, err error) {
				requests++
				u, err := p.URL(r.URL)
				if err != nil {
					return out, err
				}
				if _, err := p.URL("https://other.example/"); u.Host != c.host || err == nil {
					t.Errorf("%s: asked at %s, another host is refused: %v", c.provider, u.Host, err)
				}
				sent = r
				return wasmtool.HTTPResponse{Status: 200, Body: []byte(answers[c.provider])}, nil
			}),
		}
		search := open(t, s, `{}`)["web_search"]
		out, err := search.Call(t.Context(), tool.Call{Name: "web_search", Args: tool.ReadArguments([]byte(`{"query":"owls \" & co"}`))})
		if err != nil || out.Text != "1. T\n   https://a.example/\n   D & d\n" || !out.Untrusted {
			t.Errorf("%s: %q, %v", c.provider, out.Text, err)
		}
		name, value, _ := strings.Cut(c.header, "=")
		if c.header != "" && sent.Header[name] != value || strings.Contains(sent.URL+string(sent.Body), "KEY") {
			t.Errorf("%s: sent %s %v %s", c.provider, sent.URL, sent.Header, sent.Body)
		}
		if c.key == "" {
			continue
		}
		s.Env, requests = nil, 0
		_, err = open(t, s, `{}`)["web_search"].Call(t.Context(), tool.Call{Name: "web_search", Args: tool.ReadArguments([]byte(`{"query":"x"}`))})
		if !errors.Is(err, fault.Config) || !strings.Contains(err.Error(), c.key) || requests > 0 {
			t.Errorf("%s without a key: %v after %d requests", c.provider, err, requests)
		}
	}
}

// An answer of a type that cannot be read is an error, and an image is returned as a part.
func TestContent(t *testing.T) {
	answer := wasmtool.HTTPResponse{Status: 200, Header: map[string]string{}}
	fetch := open(t, web.Source{Fetch: fetchFunc(func(context.Context, wasmtool.HTTPRequest, wasmtool.Policy) (wasmtool.HTTPResponse, error) {
		return answer, nil
	})}, `{}`)["web_fetch"]
	call := func() (tool.Output, error) {
		return fetch.Call(t.Context(), tool.Call{Name: "web_fetch", Args: tool.ReadArguments([]byte(`{"url":"https://example.com/a.png"}`))})
	}
	answer.Header["content-type"], answer.Body = "image/png", []byte("\x89PNG")
	if out, err := call(); err != nil || len(out.Parts) != 1 || out.Parts[0].MIME != "image/png" || out.Parts[0].Name != "a.png" {
		t.Errorf("an image: %+v, %v", out, err)
	}
	answer.Body = make([]byte, 5_000_001)
	if _, err := call(); !errors.Is(err, fault.Limit) {
		t.Errorf("a large image: %v", err)
	}
	answer.Header["content-type"], answer.Body = "", []byte("\x00\x01")
	if _, err := call(); !errors.Is(err, fault.Network) {
		t.Errorf("bytes of no type: %v", err)
	}
	answer.Header["content-type"], answer.Body = "application/problem+json", []byte("{\"a\": \"b\u200b\"}")
	if out, err := call(); err != nil || !strings.HasSuffix(out.Text, "\n{\"a\": \"b\"}") || !out.Untrusted {
		t.Errorf("json: %+v, %v", out, err)
	}
}

// fetchFunc is a Fetcher.
type fetchFunc func(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error)

func (f fetchFunc) Fetch(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
	return f(ctx, r, p)
}
