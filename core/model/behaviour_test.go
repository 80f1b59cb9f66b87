package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
)

// behaviour is one way in which a provider answers, and what golem must make of the
// answer. The same table runs on a fake doer and on a real server.
type behaviour struct {
	name     string
	provider string // default openai
	api      string // default chat
	status   int
	header   map[string]string
	body     []string
	pause    time.Duration // before each piece but the first
	cut      bool          // the connection breaks after the body
	hang     bool          // nothing more comes after the body
	redirect bool          // the answer comes from another host

	want  Turn   // if err is empty; usage is compared only where it is not estimated
	err   string // a part of the message
	retry bool
}

// eventsOf returns events in the form in which providers send them.
func eventsOf(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(data)
}

func text(s string) string {
	return `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":` + quoted(s) + `},"finish_reason":null}]}`
}

func fragmentOf(index, id, name, args string) string {
	fields := []string{}
	if index != "" {
		fields = append(fields, `"index":`+index)
	}
	if id != "" {
		fields = append(fields, `"id":`+quoted(id))
	}
	function := `{"arguments":` + quoted(args)
	if name != "" {
		function += `,"name":` + quoted(name)
	}
	fields = append(fields, `"type":"function","function":`+function+`}`)
	return `{"choices":[{"index":0,"delta":{"tool_calls":[{` + strings.Join(fields, ",") + `}]}}]}`
}

func stop(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + quoted(reason) + `}]}`
}

func used(in, out int) string {
	return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`, in, out, in+out)
}

const done = "[DONE]"

func eachByte(index, id, name, args string) []string {
	out := []string{fragmentOf(index, id, name, "")}
	for i := range len(args) {
		out = append(out, fragmentOf(index, "", "", args[i:i+1]))
	}
	return out
}

func bytesOf(s string) []string {
	out := make([]string, len(s))
	for i := range len(s) {
		out[i] = s[i : i+1]
	}
	return out
}

func answered(text, finish string, calls ...Call) Turn {
	return Turn{Text: text, Finish: finish, Calls: calls, Usage: Usage{In: 12, Out: 3}, Model: "openai:gpt-test", Attempts: 1}
}

// by returns t as a turn of another provider.
func (t Turn) by(provider string) Turn {
	t.Model = provider + ":gpt-test"
	return t
}

// keeping returns t with what goes back to the provider.
func (t Turn) keeping(provider string, message fields, calls ...fields) Turn {
	t.Kept = &Kept{Provider: provider, Message: message, Calls: calls}
	return t.by(provider)
}

func (t Turn) billed(u Usage) Turn {
	t.Usage = u
	return t
}

// config returns c with the behaviour's protocol for openai.
func (b behaviour) config(c Config) Config {
	if b.api != "" {
		c.Providers = map[string]Provider{"openai": {API: b.api}}
	}
	return c
}

// named returns the full name of the model that plays the behaviour.
func (b behaviour) named() string {
	if b.provider == "" {
		return "openai:gpt-test"
	}
	return b.provider + ":gpt-test"
}

// ok returns the end of a good stream.
func ok(reason string) string { return eventsOf(stop(reason), used(12, 3), done) }

var behaviours = slices.Concat(protocol, ends, words, bills, carried, ofResponses, ofAnthropic, ofGateways, ofServerTools)

var protocol = []behaviour{
	{name: "text", body: []string{eventsOf(text("Hel"), text("lo")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "text in Unix and Windows lines, comments and other fields",
		body: []string{"\uFEFF: hi\r\nevent: message\r\nid: 7\r\nretry: 9\r\n\r\ndata:" + text("Hello") + "\r\n\r\n", ok("stop")}, want: answered("Hello", "stop")},
	{name: "text in lines that end in CR", body: []string{": hi\revent: message\rdata: " + text("Hel") + "\r\r", "data: {\rdata: " + strings.TrimPrefix(text("lo"), "{") + "\r\r", ok("stop")}, want: answered("Hello", "stop")},
	{name: "an event of several lines that end in CRLF", body: []string{"data: {\r\ndata: " + strings.TrimPrefix(text("Hello"), "{") + "\r\n\r\n", ok("stop")}, want: answered("Hello", "stop")},
	{name: "a thousand keep-alives", body: []string{strings.Repeat(": OPENROUTER PROCESSING\n\n", 1000), eventsOf(text("Hello")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "byte by byte", body: bytesOf(eventsOf(text("Grüße")) + ok("stop")), want: answered("Grüße", "stop")},
	{name: "slow", pause: 5 * time.Millisecond, body: []string{eventsOf(text("Hel")), eventsOf(text("lo")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "no end mark", body: []string{eventsOf(text("Hello"), stop("stop"), used(12, 3))}, want: answered("Hello", "stop")},
	{name: "cut after the finish reason", cut: true, body: []string{eventsOf(text("Hello"), used(12, 3), stop("stop")), "data: {\"cho"}, want: answered("Hello", "stop")},
	{name: "content as parts", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"Hello"}]}}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "length", body: []string{eventsOf(text("Hel")), ok("length")}, want: answered("Hel", "length")},
	{name: "an unknown finish reason", body: []string{eventsOf(text("Hello")), ok("eos")}, want: answered("Hello", "stop")},
	{name: "only the first choice counts", body: []string{eventsOf(`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"}]}`, text("Hello")), ok("stop")}, want: answered("Hello", "stop")},

	{name: "a call", body: []string{eventsOf(fragmentOf("0", "a", "read_file", `{"path":"/a"}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "read_file", Args: `{"path":"/a"}`})},
	{name: "arguments split at every byte", body: []string{eventsOf(eachByte("0", "a", "read_file", `{"path":"/ä","n":[1,{"x":"}"}]}`)...), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "read_file", Args: "{\"path\":\"/\ufffd\ufffd\",\"n\":[1,{\"x\":\"}\"}]}"})},
	{name: "several calls, fragments mixed", body: []string{eventsOf(
		fragmentOf("0", "a", "one", ""), fragmentOf("1", "b", "two", ""),
		fragmentOf("1", "", "", `{"n"`), fragmentOf("0", "", "", `{"n":1`), fragmentOf("1", "", "", `:2}`), fragmentOf("0", "", "", `}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`}, Call{ID: "call00003", Name: "two", Args: `{"n":2}`})},
	{name: "duplicate ids", body: []string{eventsOf(fragmentOf("0", "same", "one", `{"n":1}`), fragmentOf("1", "same", "two", `{"n":2}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`}, Call{ID: "call00003", Name: "two", Args: `{"n":2}`})},
	{name: "an id of the past", body: []string{eventsOf(fragmentOf("0", "call00001", "one", `{}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{}`})},
	{name: "no ids", body: []string{eventsOf(fragmentOf("0", "", "one", `{}`), fragmentOf("1", "", "two", `{}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{}`}, Call{ID: "call00003", Name: "two", Args: `{}`})},
	{name: "no index", body: []string{eventsOf(fragmentOf("", "a", "one", `{"n"`), fragmentOf("", "", "", `:1}`), fragmentOf("", "b", "two", `{}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`}, Call{ID: "call00003", Name: "two", Args: `{}`})},
	{name: "neither index nor ids", body: []string{eventsOf(fragmentOf("", "", "one", `{}`), fragmentOf("", "", "one", `{}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{}`}, Call{ID: "call00003", Name: "one", Args: `{}`})},
	{name: "index 0 for every call", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n":1}`), fragmentOf("0", "b", "two", `{"n":2}`)), ok("stop")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`}, Call{ID: "call00003", Name: "two", Args: `{"n":2}`})},
	{name: "id and name in every fragment", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n"`), fragmentOf("0", "a", "one", `:1}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`})},
	{name: "an absurd index", body: []string{eventsOf(fragmentOf("-9223372036854775808", "a", "one", `{}`), fragmentOf("9223372036854775807", "b", "two", `{}`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{}`}, Call{ID: "call00003", Name: "two", Args: `{}`})},
	{name: "arguments that are not JSON", body: []string{eventsOf(fragmentOf("0", "a", "one", `{bad`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{bad`})},
	{name: "arguments as an object", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"one","arguments":{"n":1}}}]}}]}`), ok("stop")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{"n":1}`})},
	{name: "no arguments", body: []string{eventsOf(fragmentOf("0", "a", "one", "")), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `{}`})},
	{name: "a call without a name", body: []string{eventsOf(fragmentOf("0", "a", "", `{}`)), ok("tool_calls")}, err: "tool call without a name", retry: true},
	{name: "too many calls", body: []string{eventsOf(manyCalls(maxCalls + 1)...), ok("tool_calls")}, err: "more than 256 tool calls"},

	{name: "neither finish reason nor end mark", body: []string{eventsOf(text("Hello"), fragmentOf("0", "a", "one", `{}`))}, err: "without a finish reason", retry: true},
	{name: "ends in the middle", body: []string{eventsOf(text("Hello")), "data: {\"choices\":[{\"in"}, err: "ended early", retry: true},
	{name: "cut", cut: true, body: []string{eventsOf(text("Hello"))}, err: "openai", retry: true},
	{name: "cut before anything", cut: true, err: "cannot reach", retry: true},
	{name: "empty body", err: "empty answer", retry: true},
	{name: "empty choices", body: []string{eventsOf(`{"choices":[]}`, used(12, 3), done)}, err: "empty answer", retry: true},
	{name: "malformed JSON", body: []string{eventsOf(text("Hello"), `{"choices": nope}`)}, err: "malformed (not JSON at byte 14): {", retry: true},
	{name: "wrong types", body: []string{eventsOf(`{"choices":"many"}`)}, err: "malformed (choices is a JSON string): {"},
	{name: "no event stream", body: []string{"good morning\n"}, err: "malformed: good morning"},
	{name: "an error in the stream", body: []string{eventsOf(text("He"), `{"error":{"message":"overloaded","code":503}}`)}, err: "stopped with an error: overloaded", retry: true},
	{name: "an error without a shape", body: []string{eventsOf(`{"error":"out of memory"}`)}, err: "out of memory", retry: true},
	{name: "an error beside choices", body: []string{eventsOf(`{"id":"1","error":{"message":"no credit","code":402},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`)}, err: "no credit"},
	{name: "an error as a bare line", body: []string{`{"error":{"message":"bare"}}` + "\n"}, err: "stopped with an error: bare", retry: true},
	{name: "error null is none", body: []string{eventsOf(`{"error":null,"choices":[{"index":0,"delta":{"content":"Hello"}}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "silent", hang: true, body: []string{eventsOf(text("Hello"))}, err: "sent nothing for", retry: true},

	{name: "wrong content type", header: map[string]string{"Content-Type": "text/plain"}, body: []string{"hello"}, err: "answered with text/plain instead of an event stream", retry: true},
	{name: "an HTML page", header: map[string]string{"Content-Type": "text/html; charset=utf-8"}, body: []string{"<html>Welcome</html>"}, err: "an HTML page instead of an event stream"},
	{name: "JSON with an error", header: map[string]string{"Content-Type": "application/json"}, body: []string{`{"error":{"message":"no such thing"}}`}, err: "stopped with an error: no such thing", retry: true},
	{name: "401", status: 401, body: []string{`{"error":{"message":"Incorrect API key provided: sk-secret."}}`}, err: "openai refused the key in OPENAI_API_KEY (401): Incorrect API key provided: [redacted]."},
	{name: "403", status: 403, body: []string{`{"error":{"message":"not yours"}}`}, err: "does not allow the use of gpt-test (403): not yours"},
	{name: "404", status: 404, body: []string{`{"error":{"message":"The model does not exist"}}`}, err: "openai has no model gpt-test (404): The model does not exist"},
	{name: "404 with a page", status: 404, header: map[string]string{"Content-Type": "text/html"}, body: []string{"<html>"}, err: "(404): an HTML page, not an answer of an API"},
	{name: "400", status: 400, body: []string{`[{"error":{"code":400,"message":"bad \u001b[31mfield\u202e"}}]`}, err: "openai refused the request (400): bad [31mfield"},
	{name: "422", status: 422, body: []string{`{"detail":[{"loc":["body"]}]}`}, err: `(422): [{"loc":["body"]}]`},
	{name: "422 with places", status: 422, body: []string{`{"detail":[{"loc":["body","messages",0],"msg":"Field required"},{"msg":"no tools"}]}`}, err: "(422): body.messages.0: Field required; no tools"},
	{name: "408", status: 408, err: "(408)", retry: true},
	{name: "409", status: 409, err: "(409)", retry: true},
	{name: "429", status: 429, header: map[string]string{"Retry-After": "7"}, body: []string{`{"message":"slow down"}`}, err: "says that there were too many requests (429): slow down", retry: true},
	{name: "500", status: 500, body: []string{"internal"}, err: "openai had a server error (500): internal", retry: true},
	{name: "529", status: 529, err: "(529)", retry: true},
	{name: "redirect to another host", redirect: true, body: []string{eventsOf(text("Hello")), ok("stop")}, err: "redirect"},
	{name: "redirect not followed", status: 307, header: map[string]string{"Location": "https://evil.example/v1"}, err: "redirects to https://evil.example/v1, and golem follows no redirect (307)"},
}

func manyCalls(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fragmentOf(fmt.Sprint(i), "", "t", "{}")
	}
	return out
}

// request returns the request for every behaviour: a conversation with a past call.
func request() Request {
	return Request{
		Worker: "main", Conversation: "c", ID: "0", Turn: 2,
		Messages: []Message{
			{Role: System, Text: "You help."}, {Role: User, Text: "Hi"},
			{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "read_file", Args: `{"path":"/x"}`}}},
			{Role: ToolRole, CallID: "call00001", Tool: "read_file", Text: "x"},
		},
	}
}

// check compares what a model did with what the behaviour expects.
func (b behaviour) check(t *testing.T, turn Turn, shown string, err error) {
	t.Helper()
	if b.err != "" {
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code != fault.Model || !strings.Contains(f.Message, b.err) {
			t.Fatalf("error %v, want E_MODEL with %q", err, b.err)
		}
		if len(turn.Calls) > 0 {
			t.Fatalf("a failed answer has calls: %v", turn.Calls)
		}
		if got := failureOf(err); got == nil || got.retry != b.retry {
			t.Fatalf("failure %+v, want retry %v", got, b.retry)
		}
		if strings.Contains(err.Error(), "sk-secret") {
			t.Fatalf("the key shows: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if b.want.Usage.Estimated && turn.Usage.Estimated && turn.Usage.In > 0 {
		turn.Usage = b.want.Usage
	}
	turn.Usage.Unpriced = false // no table has these models
	if d := cmp.Diff(b.want, turn); d != "" {
		t.Fatal(d)
	}
	if shown != turn.Text {
		t.Fatalf("shown %q of %q", shown, turn.Text)
	}
}

// play runs one behaviour on a model.
func (b behaviour) play(t *testing.T, m Model) {
	t.Helper()
	var shown strings.Builder
	turn, err := m.Generate(context.Background(), request(), func(d Delta) { shown.WriteString(d.Text) })
	if b.want.Reasoning == 0 { // what most behaviours are about is something else
		turn.Reasoning = 0
	}
	b.check(t, turn, shown.String(), err)
}

// player is a doer that plays a behaviour in memory. It ends with the request's context.
type player struct {
	behaviour
	requests []*http.Request
	bodies   []string
}

func (p *player) Do(req *http.Request) (*http.Response, error) {
	var data []byte
	if req.Body != nil {
		var err error
		if data, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	p.requests, p.bodies = append(p.requests, req), append(p.bodies, string(data))
	if p.cut && len(p.body) == 0 {
		return nil, errors.New("connection reset by peer")
	}
	r, w := io.Pipe()
	go p.write(req.Context(), w)
	resp := &http.Response{StatusCode: max(p.status, 200), Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r, Request: req}
	if p.status >= 300 {
		resp.StatusCode = p.status
		resp.Header.Set("Content-Type", "application/json")
	}
	for k, v := range p.header {
		resp.Header.Set(k, v)
	}
	if p.redirect {
		other := req.Clone(req.Context())
		other.URL.Host = "evil.example"
		resp.Request = other
	}
	return resp, nil
}

func (p *player) write(ctx context.Context, w *io.PipeWriter) {
	for i, piece := range p.body {
		if i > 0 && p.pause > 0 {
			select {
			case <-time.After(p.pause):
			case <-ctx.Done():
			}
		}
		if _, err := w.Write([]byte(piece)); err != nil {
			return
		}
	}
	switch {
	case p.hang:
		<-ctx.Done()
		w.CloseWithError(ctx.Err())
	case p.cut:
		w.CloseWithError(errors.New("connection reset by peer"))
	default:
		w.Close()
	}
}

// env returns an environment with the variables of m.
func env(m map[string]string) func(string) string {
	return func(k string) string { return m[k] }
}

// key has the same key for every provider.
var key = func() map[string]string {
	out := map[string]string{}
	for _, row := range rows {
		out[row.KeyVar] = "sk-secret"
	}
	return out
}()

// inChat makes openai speak chat completions unless a test says otherwise: most
// of the suite is about that protocol.
func inChat(c Config) Config {
	rows := maps.Clone(c.Providers)
	if rows == nil {
		rows = map[string]Provider{}
	}
	if row := rows["openai"]; row.API == "" {
		row.API = Chat
		rows["openai"] = row
	}
	c.Providers = rows
	return c
}

func open(t *testing.T, name string, c Config) Model {
	t.Helper()
	m, err := Open(name, inChat(c))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
