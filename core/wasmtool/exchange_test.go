package wasmtool_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/tool"
	"golem/core/wasmtool"
)

// SECURITY 7: a request of 32 MiB is refused before it is parsed: three million headers
// would take a gigabyte.
func TestExchangeIsBounded(t *testing.T) {
	var asked int
	h := wasmtool.Host{HTTP: func(context.Context, wasmtool.HTTPRequest) (wasmtool.HTTPResponse, error) {
		asked++
		return wasmtool.HTTPResponse{Status: 200}, nil
	}}
	request := append(bytes.Repeat([]byte(`{"headers":{"a":""},`), 32<<20/20), `"url":"https://example.com/"}`...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := h.Exchange(t.Context(), request, nil, time.Second)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fault.Tool) || asked != 0 {
		t.Errorf("%v, asked %d times", err, asked)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("it took %d bytes", n)
	}
	if _, _, err := h.Exchange(t.Context(), []byte(`{"url":"https://example.com/"}`), nil, time.Second); err != nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// The name and arguments of a callback are limited before they are shown or traced.
func TestCallBackIsBounded(t *testing.T) {
	var called int
	h := wasmtool.Host{Call: func(context.Context, string, []byte) []byte {
		called++
		return []byte("yes")
	}}
	for _, c := range []struct {
		name string
		args int
		want string
	}{
		{"tool", tool.MaxArgs, "yes"},
		{"tool", tool.MaxArgs + 1, "E_TOOL_INPUT"},
		{strings.Repeat("n", 1<<20), 2, "E_UNKNOWN_TOOL"},
	} {
		if got := string(h.CallBack(t.Context(), c.name, make([]byte, c.args))); !strings.Contains(got, c.want) || len(got) > 1000 {
			t.Errorf("%d bytes of name, %d of arguments: %.200q, want %s", len(c.name), c.args, got, c.want)
		}
	}
	if called != 1 {
		t.Errorf("called %d times", called)
	}
}
