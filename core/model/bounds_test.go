package model

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core/fault"
)

// flood is a doer whose answer repeats one piece n times, or for ever if n < 0.
type flood struct {
	head, piece, tail string
	n                 int
}

func (f flood) Do(r *http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader(f.head), &repeat{piece: []byte(f.piece), n: f.n}, strings.NewReader(f.tail))
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(body), Request: r}, nil
}

type repeat struct {
	piece, rest []byte
	n           int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.rest) == 0 {
			if r.n == 0 {
				break
			}
			r.n--
			r.rest = r.piece
		}
		k := copy(p[n:], r.rest)
		n, r.rest = n+k, r.rest[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Whatever a provider sends, and however much of it, ends in a turn or in a coded fault
// (SECURITY 12).
func TestFloods(t *testing.T) {
	const mib = 1 << 20
	x := strings.Repeat("x", mib)
	call := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":`
	for _, c := range []struct {
		name string
		flood
		text, args int    // sizes of the turn's text and arguments
		err        string // or a part of the fault's message
	}{
		{"a line of 1 MiB", flood{"", "data: " + text(x) + "\n\n", ok("stop"), 1}, mib, 0, ""},
		{"an answer of 8 MiB", flood{"", eventsOf(text(x)), ok("stop"), 8}, 8 * mib, 0, ""},
		{"arguments of 1 MiB", flood{eventsOf(fragmentOf("0", "a", "one", `{"a":"`)), eventsOf(fragmentOf("0", "", "", x)), eventsOf(fragmentOf("0", "", "", `"}`)) + ok("tool_calls"), 1}, 0, mib + 8, ""},
		{"arguments of 1 MiB in one line", flood{"data: " + call + `"`, x, `"}}]}}]}` + "\n\n" + ok("tool_calls"), 1}, 0, mib, ""},
		{"an answer of 50 MiB", flood{"", eventsOf(text(x)), ok("stop"), 50}, 0, 0, "longer than 33554432 bytes"},
		{"a line of 50 MiB", flood{"data: ", x, "\n\n", 50}, 0, 0, "longer than 33554432 bytes"},
		{"a document of 50 MiB", flood{`{"choices":[{"message":{"content":"`, x, `"}}]}`, 50}, 0, 0, "longer than 33554432 bytes"},
		{"text without an end", flood{"", eventsOf(text("x")), "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"arguments without an end", flood{"", eventsOf(fragmentOf("0", "a", "one", "xxxxxxxxxxxxxxxx")), "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"blank lines without an end", flood{"", "\n", "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"comments without an end", flood{"", ": x\n\n", "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"data lines without an end", flood{"", "data: {\n", "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"reasoning details without an end", flood{"", eventsOf(delta(`"reasoning_details":[{"type":"t","index":1,"text":"xxxxxxxx"}]`)), "", -1}, 0, 0, "longer than 4194304 bytes"},
		{"a million blank lines", flood{"", "\n\n", eventsOf(text("Hello")) + ok("stop"), mib}, 5, 0, ""},
		{"deep nesting", flood{"data: ", "[", "\n\n", 100_000}, 0, 0, "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := Config{HTTP: c.flood, Env: env(key)}
			if c.n < 0 {
				config.MaxBytes = 4 * mib
			}
			m := open(t, "openrouter:m", config)
			turn, err := m.Generate(context.Background(), request(), func(Delta) {})
			if c.err != "" {
				fails(t, err, fault.Model, c.err)
				if n := len(err.Error()); n > 2000 {
					t.Errorf("the error has %d bytes", n)
				}
				return
			}
			if err != nil || len(turn.Text) != c.text || c.args > 0 && (len(turn.Calls) != 1 || len(turn.Calls[0].Args) != c.args) {
				t.Errorf("%d bytes of text, %d calls, %v", len(turn.Text), len(turn.Calls), err)
			}
		})
	}
}

// An answer that is cut at any byte never counts as a whole answer, in none of the
// protocols: no partial text is accepted, and no call runs (SPEC §10).
func TestCutAtEveryByte(t *testing.T) {
	said, call := "Let me see.", outCall("one", `{"n":1}`)
	for _, c := range []struct{ name, api, whole, end string }{
		{"openai:m", Chat, eventsOf(text(said), fragmentOf("0", "a", "one", `{"n":1}`), stop("tool_calls"), used(12, 3), done), stop("tool_calls")},
		{"openai:m", Chat, reply(`{"content":"Let me see.","tool_calls":[{"function":{"name":"one","arguments":"{\"n\":1}"}}]}`, `"stop"`), ""},
		{"openai:m", Responses, typed(outText(said), outDone(0, outMessage(said)), outDone(1, call), outEnd("completed", "")), outEnd("completed", "")},
		{"anthropic:m", "", typed(start) + textBlock(0, said) + callBlock(1, "one", `{"n":1}`) + messageEnd("tool_use"), `{"type":"message_stop"}`},
	} {
		ended := len(c.whole)
		if c.end != "" {
			ended = strings.LastIndex(c.whole, c.end) + len(c.end)
		}
		for n := range len(c.whole) + 1 {
			p := &player{behaviour: behaviour{body: []string{c.whole[:n]}}}
			turn, err := open(t, c.name, Config{HTTP: p, Env: env(key), Providers: map[string]Provider{"openai": {API: c.api}}}).Generate(context.Background(), request(), nil)
			if n < ended {
				if f := failureOf(err); f == nil || !f.retry || len(turn.Calls) > 0 {
					t.Fatalf("%s %s cut after %d bytes (…%q): %+v %v", c.name, c.api, n, c.whole[max(0, n-20):n], turn, err)
				}
			} else if err != nil || len(turn.Calls) != 1 || turn.Text != said {
				t.Fatalf("%s %s cut after %d bytes: %+v %v", c.name, c.api, n, turn, err)
			}
		}
	}
}
