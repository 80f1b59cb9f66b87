package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/tool"
)

// sent returns the body of the request that a model makes of r.
func sent(t *testing.T, name string, r Request) map[string]any {
	t.Helper()
	p := &player{behaviour: behaviour{body: []string{eventsOf(text("Hello")), ok("stop")}}}
	if _, err := open(t, name, Config{HTTP: p, Env: env(key)}).Generate(context.Background(), r, nil); err != nil {
		t.Fatal(err)
	}
	if n := p.requests[0].ContentLength; n != int64(len(p.bodies[0])) {
		t.Errorf("content length %d of %d", n, len(p.bodies[0]))
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(p.bodies[0]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func same(t *testing.T, got any, want string) {
	t.Helper()
	var w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, got); d != "" {
		t.Error(d)
	}
}

func TestRequestBody(t *testing.T) {
	r := request()
	r.Tools = []tool.Spec{
		{Name: "read_file", Description: "reads", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: "now"}, {Name: "odd", Input: json.RawMessage(`{"$schema":"x","type":"object"}`)},
	}
	same(t, sent(t, "openai:gpt-test", r), `{
		"model":"gpt-test","stream":true,"stream_options":{"include_usage":true},
		"messages":[
			{"role":"system","content":"You help."},{"role":"user","content":"Hi"},
			{"role":"assistant","tool_calls":[{"id":"call00001","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"/x\"}"}}]},
			{"role":"tool","content":"x","tool_call_id":"call00001"}],
		"tools":[
			{"type":"function","function":{"name":"read_file","description":"reads","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},
			{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}},
			{"type":"function","function":{"name":"odd","parameters":{"type":"object","properties":{}}}}]}`)
	if _, has := sent(t, "mistral:m", r)["stream_options"]; has {
		t.Error("mistral refuses stream_options")
	}
}

// parallel_tool_calls is not sent without tools, because providers refuse it then.
func TestParallelCallsWithoutTools(t *testing.T) {
	for _, c := range []struct{ model, api, member string }{
		{"openai:gpt-test", Chat, "parallel_tool_calls"}, {"openai:gpt-test", Responses, "parallel_tool_calls"}, {"anthropic:claude-opus-5", "", "tool_choice"},
	} {
		r := request()
		r.Settings = Settings{"parallel_tool_calls": js("false")}
		for _, tools := range [][]tool.Spec{nil, {{Name: "now"}}} {
			r.Tools = tools
			if _, has := asks(t, c.model, c.api, r)[c.member]; has != (len(tools) > 0) {
				t.Errorf("%s %s, %d tools: %s sent: %v", c.model, c.api, len(tools), c.member, has)
			}
		}
	}
}

// A request replaces what providers refuse in a history.
func TestHistoryThatProvidersTake(t *testing.T) {
	r := Request{Messages: []Message{
		{Role: User},
		{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "bad näme!", Args: `{bad`}, {ID: "call00002", Name: "", Args: " "}, {ID: "call00003", Name: strings.Repeat("x", 99), Args: `[1]`}}},
		{Role: ToolRole, CallID: "call00001"},
		{Role: Assistant},
		{Role: User, Text: "on"},
	}}
	same(t, sent(t, "openai:m", r)["messages"], `[
		{"role":"user","content":"(empty)"},
		{"role":"assistant","tool_calls":[
			{"id":"call00001","type":"function","function":{"name":"bad_n_me_","arguments":"{\"not_a_json_object\":\"{bad\"}"}},
			{"id":"call00002","type":"function","function":{"name":"unnamed","arguments":"{}"}},
			{"id":"call00003","type":"function","function":{"name":"`+strings.Repeat("x", 64)+`","arguments":"{\"not_a_json_object\":\"[1]\"}"}}]},
		{"role":"tool","content":"(no output)","tool_call_id":"call00001"},
		{"role":"assistant","content":"(empty)"},
		{"role":"user","content":"on"}]`)
}

func TestParts(t *testing.T) {
	r := Request{Messages: []Message{
		{Role: User, Text: "look", Parts: []Part{
			{Kind: "text", Name: "a.txt", Data: []byte("A")},
			{Kind: "image", Name: "i.png", Data: []byte("png")},
			{Kind: "pdf", Name: "d.pdf", MIME: "application/pdf", Data: []byte("pdf")},
		}},
		{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "shot", Args: "{}"}}},
		{Role: ToolRole, CallID: "call00001", Text: "done", Parts: []Part{{Kind: "image", MIME: "image/jpeg", Data: []byte("jpg")}}},
	}}
	same(t, sent(t, "openai:m", r)["messages"], `[
		{"role":"user","content":[{"type":"text","text":"look"},
			{"type":"text","text":"<attachment name=\"a.txt\">\nA\n</attachment>"},
			{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},
			{"type":"file","file":{"filename":"d.pdf","file_data":"data:application/pdf;base64,cGRm"}}]},
		{"role":"assistant","tool_calls":[{"id":"call00001","type":"function","function":{"name":"shot","arguments":"{}"}}]},
		{"role":"tool","content":"done\n[image/jpeg, 3 bytes; it follows below]","tool_call_id":"call00001"},
		{"role":"user","content":[{"type":"text","text":"Files from the results above:"},{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,anBn"}}]}]`)
}

// Scenario 49: if the provider does not accept a part of a tool's result, a sentence
// stands for it and the request goes out.
func TestResultsThatAProviderCannotTake(t *testing.T) {
	r := Request{Messages: []Message{
		{Role: User, Text: "look"},
		{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "draw", Args: "{}"}}},
		{Role: ToolRole, CallID: "call00001", Parts: []Part{
			{Kind: "image", Name: "draw-1", MIME: "image/png", Data: []byte("png")}, {Kind: "pdf", Name: "d.pdf", MIME: "application/pdf", Data: []byte("pdf")},
			{Kind: "file", Name: "sound.ogg", MIME: "audio/ogg", Data: []byte("ogg")}, {Kind: "text", Name: "t.csv", MIME: "text/csv", Data: []byte("a,b")},
		}},
	}}
	messages := func(text, thought, bridge, more string) string {
		return `[{"role":"user","content":"look"},
			{"role":"assistant",` + thought + `"tool_calls":[{"id":"call00001","type":"function","function":{"name":"draw","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call00001","content":"` + text + `"},` + bridge + `
			{"role":"user","content":[{"type":"text","text":"Files from the results above:"},` + more + `{"type":"text","text":"<attachment name=\"t.csv\">\na,b\n</attachment>"}]}]`
	}
	const rest = `\n[sound.ogg: audio/ogg, 3 bytes; you cannot see it: no model accepts this type]\n[t.csv: text/csv, 3 bytes; it follows below]`
	same(t, sent(t, "deepseek:m", r)["messages"], messages(
		`[draw-1: image/png, 3 bytes; you cannot see it: deepseek does not accept images]\n[d.pdf: application/pdf, 3 bytes; you cannot see it: deepseek does not accept PDF files]`+rest, `"reasoning_content":"",`, "", ""))
	same(t, sent(t, "mistral:m", r)["messages"], messages(
		`[draw-1: image/png, 3 bytes; it follows below]\n[d.pdf: application/pdf, 3 bytes; you cannot see it: mistral does not accept PDF files]`+rest, "", `{"role":"assistant","content":"I have the results."},`,
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},`))
}

// SPEC §5: an attachment that a provider does not accept is refused before any request,
// and the hint names the providers that accept it.
func TestPartsThatAProviderCannotTake(t *testing.T) {
	c := Config{Env: env(map[string]string{"MISTRAL_API_KEY": "k", "DEEPSEEK_API_KEY": "k"}), Providers: map[string]Provider{"acme": {BaseURL: "http://x", PDF: true}}}
	for name, part := range map[string]Part{
		"mistral:m": {Kind: "pdf", Name: "d.pdf"}, "deepseek:m": {Kind: "image", Name: "i.png"}, "ollama:m": {Kind: "video", Name: "v.mp4"},
	} {
		p := &player{}
		c.HTTP = p
		_, err := open(t, name, c).Generate(context.Background(), Request{Messages: []Message{{Role: User, Parts: []Part{part}}}}, nil)
		fails(t, err, fault.Attachment, part.Name)
		if len(p.requests) != 0 {
			t.Error("a request went out")
		}
		if part.Kind == "pdf" {
			fails(t, err, fault.Attachment, "providers that accept it: acme, anthropic, openai, openrouter")
		}
	}
}

func TestOutputSchema(t *testing.T) {
	object := json.RawMessage(`{"type":"object","properties":{"score":{"type":"integer"}}}`)
	for _, c := range []struct {
		model, schema, format string
		tools, words          bool
	}{
		{"openai:m", string(object), `{"type":"json_schema","json_schema":{"name":"output","schema":` + string(object) + `,"strict":false}}`, true, false},
		{"openai:m", `{"type":"array"}`, `null`, false, true},
		{"deepseek:m", string(object), `{"type":"json_object"}`, true, true},
		{"groq:m", string(object), `{"type":"json_object"}`, false, true},
		{"groq:m", string(object), `null`, true, true}, {"google:m", string(object), `null`, true, true}, {"mistral:m", string(object), `null`, true, true},
		{"ollama:m", string(object), `null`, true, true}, {"lmstudio:m", string(object), `null`, true, true},
	} {
		r := request()
		r.OutputSchema = json.RawMessage(c.schema)
		if c.tools {
			r.Tools = []tool.Spec{{Name: "t"}}
		}
		body := sent(t, c.model, r)
		same(t, body["response_format"], c.format)
		first := body["messages"].([]any)[0].(map[string]any)["content"].(string)
		if got := strings.Contains(first, c.schema); got != c.words {
			t.Errorf("%s: schema in words: %v", c.model, got)
		}
	}
	r := Request{Messages: []Message{{Role: User, Text: "x", Parts: []Part{{Kind: "text", Name: "a"}}}}, OutputSchema: object}
	if m := sent(t, "deepseek:m", r)["messages"].([]any); len(m) != 2 || m[0].(map[string]any)["role"] != "system" {
		t.Error("no system message made", m)
	}
}

// Models that cannot reason and call tools at once, according to go-openai, are asked
// not to reason.
func TestReasoningModelsWithTools(t *testing.T) {
	r := request()
	r.Tools = []tool.Spec{{Name: "t"}}
	if got := sent(t, "openai:gpt-6-sol", r)["reasoning_effort"]; got != "none" {
		t.Error(got)
	}
	m := open(t, "openai:gpt-6-astra", Config{HTTP: &player{}, Env: env(key)})
	_, err := m.Generate(context.Background(), r, nil)
	fails(t, err, fault.Model, "gpt-6-astra cannot be used here")
	if f := failureOf(err); f == nil || f.retry {
		t.Error("would be retried")
	}
}

func TestEstimate(t *testing.T) {
	if n := EstimateTokens(nil); n != 0 {
		t.Error(n)
	}
	small := EstimateTokens([]Message{{Role: User, Text: "Hello there"}})
	more := EstimateTokens([]Message{{Role: User, Text: "Hello there"}, {Role: Assistant, Calls: []Call{{Name: "a", Args: "{}"}}}})
	image := EstimateTokens([]Message{{Role: User, Parts: []Part{{Kind: "image", Data: make([]byte, 1<<20)}}}})
	pdf := EstimateTokens([]Message{{Role: User, Parts: []Part{{Kind: "pdf", Data: make([]byte, 4000)}}}})
	large := EstimateTokens([]Message{{Role: User, Parts: []Part{{Kind: "pdf", Data: make([]byte, 1<<20)}}}})
	unsent := EstimateTokens([]Message{{Role: ToolRole, Parts: []Part{{Kind: "file", Data: make([]byte, 1<<20)}}}})
	if small != 7 || more <= small || image != tokensImage+tokensMessage || pdf != image || large != 52428+tokensMessage || unsent != tokensMessage {
		t.Error(small, more, image, pdf, large, unsent)
	}
}

// The estimate of a growing conversation is that of the whole one, also after changes,
// and messages are not counted again.
func TestEstimatorIsIncremental(t *testing.T) {
	specs := []tool.Spec{{Name: "read_file", Description: "reads", Input: json.RawMessage(`{}`)}}
	rapid.Check(t, func(t *rapid.T) {
		var e Estimator
		var messages []Message
		for range rapid.IntRange(1, 30).Draw(t, "turns") {
			switch rapid.IntRange(0, 9).Draw(t, "change") {
			case 0:
				messages = nil
			case 1:
				if n := len(messages); n > 2 {
					messages = append(messages[:1:1], messages[2:]...)
				}
			default:
				text := strings.Repeat("x", rapid.IntRange(0, 20).Draw(t, "length"))
				messages = append(messages, Message{Role: User, Text: text}, Message{Role: Assistant, Calls: []Call{{Name: "read_file", Args: text}}})
			}
			if got, want := e.Request(messages, specs, nil), EstimateRequest(messages, specs, nil); got != want {
				t.Fatalf("%d messages are %d tokens, want %d", len(messages), got, want)
			}
		}
	})
	var e Estimator
	var messages []Message
	for range 1600 {
		messages = append(messages, Message{Role: Assistant, Text: "x"}, Message{Role: ToolRole, Text: "y"})
		e.Request(messages, specs, nil)
	}
	if e.counted > 6*len(messages) { // append moves a growing list now and then, and all is counted again
		t.Errorf("%d messages were counted for %d", e.counted, len(messages))
	}
}

// BenchmarkEstimate shows that a turn's estimate takes the same time however long the
// conversation is.
func BenchmarkEstimate(b *testing.B) {
	for _, turns := range []int{100, 1600} {
		var messages []Message
		for range turns {
			messages = append(messages, Message{Role: Assistant, Calls: []Call{{Name: "read_file", Args: `{"path":"/a"}`}}}, Message{Role: ToolRole, Text: strings.Repeat("x", 500)})
		}
		each := func(name string, size func([]Message) int) {
			b.Run(fmt.Sprintf("%s, %d turns", name, turns), func(b *testing.B) {
				for b.Loop() {
					for n := 2; n <= len(messages); n += 2 {
						size(messages[:n])
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(turns), "ns/turn")
			})
		}
		each("anew", func(m []Message) int { return EstimateRequest(m, nil, nil) })
		var e Estimator
		each("incremental", func(m []Message) int { return e.Request(m, nil, nil) })
	}
}
