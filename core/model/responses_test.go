package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/tool"
)

// typed returns a stream of events with event lines, which repeat the type in the data.
func typed(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		typ, _, _ := strings.Cut(strings.SplitN(e, `"type":"`, 2)[1], `"`)
		b.WriteString("event: " + typ + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

func outText(s string) string {
	return `{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":` + quoted(s) + `,"sequence_number":4}`
}

func outDone(index int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, index, item)
}

func outMessage(text string) string {
	return `{"id":"msg_1","type":"message","status":"completed","role":"assistant","phase":"final_answer","content":[{"type":"output_text","text":` + quoted(text) + `,"annotations":[]}]}`
}

func outCall(name, args string) string {
	return `{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_x","name":` + quoted(name) + `,"arguments":` + quoted(args) + `}`
}

func outEnd(kind, members string) string {
	return `{"type":"response.` + kind + `","response":{"id":"resp_1","object":"response","status":"` + kind + `",` + members + `"usage":{"input_tokens":12,"input_tokens_details":{"cached_tokens":0},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":1},"total_tokens":15}}}`
}

const outThought = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"}`

func inResponses(name string, body []string, want Turn) behaviour {
	return behaviour{name: "responses: " + name, api: Responses, body: body, want: want}
}

func failsInResponses(name string, body []string, err string, retry bool) behaviour {
	return behaviour{name: "responses: " + name, api: Responses, body: body, err: err, retry: retry}
}

var ofResponses = []behaviour{
	inResponses("text", []string{typed(`{"type":"response.created","response":{"id":"resp_1","error":null}}`, outText("Hel"), outText("lo"), outDone(0, outMessage("Hello")), outEnd("completed", `"output":[`+outMessage("Hello")+`],`))}, answered("Hello", "stop")),
	inResponses("byte by byte", bytesOf(typed(outText("Grüße"), outDone(0, outMessage("Grüße")), outEnd("completed", ""))), answered("Grüße", "stop")),
	inResponses("what was not streamed", []string{typed(outText("Hel"), outDone(0, outMessage("Hello")), outEnd("completed", ""))}, answered("Hello", "stop")),
	inResponses("two messages", []string{typed(outText("Look. "), outDone(0, outMessage("Look. ")), outText("Hello"), outDone(1, outMessage("Hello")), outEnd("completed", ""))}, answered("Look. Hello", "stop")),
	inResponses("calls", []string{typed(
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","name":"one","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"n\""}`,
		outDone(0, outCall("one", `{"n":1}`)), outDone(1, outCall("two", "")), outEnd("completed", ""))},
		answered("", "tool_calls", one, Call{ID: "call00003", Name: "two", Args: "{}"})),
	inResponses("reasoning that goes back, in its place", []string{typed(outDone(0, outThought), outText("Look."), outDone(1, outMessage("Look.")), outDone(2, outCall("one", `{"n":1}`)), outEnd("completed", ""))},
		Turn{Text: "Look.", Finish: "tool_calls", Calls: []Call{one}, Usage: Usage{In: 12, Out: 3}, Model: "openai:gpt-test", Attempts: 1,
			Kept: &Kept{Provider: "openai", Items: items(outThought, outMessage("Look."), callItem)}}),
	inResponses("reasoning that cannot go back", []string{typed(outDone(0, `{"id":"rs_1","type":"reasoning","summary":[]}`), outText("Hello"), outDone(1, outMessage("Hello")), outEnd("completed", ""))}, answered("Hello", "stop")),
	inResponses("reasoning that nothing follows", []string{typed(outDone(0, outMessage("Look.")), outDone(1, outThought), outEnd("incomplete", `"output":[`+outMessage("Look.")+`,`+outThought+`],"incomplete_details":{"reason":"max_output_tokens"},`))},
		answered("Look.", "length")),
	inResponses("reasoning before and after", []string{typed(outDone(0, outThought), outDone(1, outMessage("Look.")), outDone(2, strings.Replace(outThought, "rs_1", "rs_2", 1)), outDone(3, strings.Replace(outThought, "rs_1", "rs_3", 1)), outEnd("incomplete", `"incomplete_details":{"reason":"max_output_tokens"},`))},
		Turn{Text: "Look.", Finish: "length", Usage: Usage{In: 12, Out: 3}, Model: "openai:gpt-test", Attempts: 1, Kept: &Kept{Provider: "openai", Items: items(outThought, outMessage("Look."))}}),
	inResponses("a custom call, numbers in odd places", []string{typed(`{"type":"response.custom","code":7,"delta":{"a":1}}`, outDone(0, `{"type":"custom_tool_call","name":"one","input":"{\"n\":1}"}`), outEnd("completed", ""))}, answered("", "tool_calls", one)),
	inResponses("only the last event", []string{typed(outEnd("completed", `"output":[`+outMessage("Hello")+`,`+outCall("one", `{"n":1}`)+`],`))}, answered("Hello", "tool_calls", one)),
	inResponses("a document", []string{`{"id":"resp_1","object":"response","status":"completed","output":[` + outMessage("Hello") + `],"usage":{"input_tokens":12,"output_tokens":3,"total_tokens":15}}`}, answered("Hello", "stop")),
	inResponses("cut at the limit", []string{typed(outText("Hel"), outEnd("incomplete", `"incomplete_details":{"reason":"max_output_tokens"},`))}, answered("Hel", "length")),
	inResponses("cached input", []string{typed(outText("Hello"), strings.Replace(outEnd("completed", ""), `"cached_tokens":0`, `"cached_tokens":8`, 1))}, answered("Hello", "stop").billed(Usage{In: 12, Out: 3, Cached: 8})),
	inResponses("arguments that are no UTF-8", []string{typed(outDone(0, strings.Replace(outCall("one", "{}"), `"{}"`, "\"{\\\"n\\\":\\\"\xff\\\"}\"", 1)), outEnd("completed", ""))},
		answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: "{\"n\":\"\uFFFD\"}", Invalid: noText})),

	failsInResponses("filtered", []string{typed(outText("I"), outEnd("incomplete", `"incomplete_details":{"reason":"content_filter"},`))}, "the content filter of openai stopped the answer", false),
	failsInResponses("nothing but thoughts at the limit", []string{typed(outDone(0, outThought), outEnd("incomplete", `"incomplete_details":{"reason":"max_output_tokens"},`))}, "reached its output limit before it answered: it sent only its reasoning", false),
	failsInResponses("refused", []string{typed(`{"type":"response.refusal.delta","delta":"I cannot."}`, outDone(0, `{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}`), outEnd("completed", ""))}, "gpt-test refused to answer: I cannot.", false),
	failsInResponses("nothing", []string{typed(outEnd("completed", ""))}, "openai sent an empty answer", true),
	failsInResponses("cut", []string{typed(outText("Hello"), outDone(0, outCall("one", "{}")))}, "without a finish reason", true),
	failsInResponses("failed", []string{typed(outText("He"), `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model had an error."}}}`)}, "stopped with an error: The model had an error.", true),
	failsInResponses("a rate limit inside", []string{typed(`{"type":"error","code":"rate_limit_exceeded","message":"Slow down."}`)}, "Slow down.", true),
	failsInResponses("no quota inside", []string{typed(`{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"No more."}}`)}, "No more.", false),
	failsInResponses("a bare error", []string{eventsOf(`{"error":{"message":"bad request","type":"invalid_request_error"}}`)}, "bad request", false),
	{name: "responses: 400", api: Responses, status: 400, body: []string{`{"error":{"message":"Unknown parameter: 'x'.","type":"invalid_request_error"}}`}, err: "openai refused the request (400): Unknown parameter: 'x'."},
}

func items(raw ...string) (out []json.RawMessage) {
	for _, r := range raw {
		out = append(out, js(r))
	}
	return out
}

// asks returns the body of the request that a model makes of r in a protocol.
func asks(t *testing.T, name, api string, r Request) map[string]any {
	t.Helper()
	p := &player{}
	c := Config{HTTP: p, Env: env(key)}
	if api != "" {
		c.Providers = map[string]Provider{"openai": {API: api}}
	}
	_, err := open(t, name, c).Generate(context.Background(), r, nil)
	fails(t, err, fault.Model, "empty answer")
	if n := p.requests[0].ContentLength; n != int64(len(p.bodies[0])) {
		t.Errorf("content length %d of %d", n, len(p.bodies[0]))
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(p.bodies[0]), &out); err != nil {
		t.Fatalf("%v\n%s", err, p.bodies[0])
	}
	return out
}

func lookedAt(kept *Kept) []Message {
	return []Message{
		{Role: System, Text: "You help."},
		{Role: User, Text: "look", Parts: []Part{{Kind: "image", Data: []byte("png")}, {Kind: "pdf", Name: "d.pdf", Data: []byte("pdf")}, {Kind: "text", Name: "a.txt", Data: []byte("A")}}},
		{Role: Assistant, Text: "Look.", Kept: kept, Calls: []Call{{ID: "call00001", Name: "one", Args: `{"n":1}`}, {ID: "call00002", Name: "two", Args: "{bad"}}},
		{Role: ToolRole, CallID: "call00001", Text: "1", Parts: []Part{{Kind: "image", MIME: "image/jpeg", Name: "j", Data: []byte("jpg")}}},
		{Role: ToolRole, CallID: "call00002", Error: fault.ToolInput, Text: "no"},
	}
}

func TestResponsesRequest(t *testing.T) {
	r := Request{
		Messages: lookedAt(nil), Tools: []tool.Spec{{Name: "one", Description: "does", Input: js(`{"type":"object","properties":{}}`)}},
		OutputSchema: js(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`),
		Settings:     Settings{"verbosity": js(`"low"`), "reasoning_effort": js(`"high"`), "max_output_tokens": js("100"), "seed": js("1"), "extra": js(`{"user":"u"}`)},
	}
	call := `{"type":"function_call","call_id":"call00001","name":"one","arguments":"{\"n\":1}"},
		{"type":"function_call","call_id":"call00002","name":"two","arguments":"{\"not_a_json_object\":\"{bad\"}"},
		{"type":"function_call_output","call_id":"call00001","output":"1\n[j: image/jpeg, 3 bytes; it follows below]"},
		{"type":"function_call_output","call_id":"call00002","output":"no"},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"Files from the results above:"},{"type":"input_image","image_url":"data:image/jpeg;base64,anBn"}]}`
	begin := `{"type":"message","role":"system","content":"You help."},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,cG5n"},
			{"type":"input_file","filename":"d.pdf","file_data":"data:application/pdf;base64,cGRm"},{"type":"input_text","text":"<attachment name=\"a.txt\">\nA\n</attachment>"}]}`
	got := asks(t, "openai:gpt-6-sol", Responses, r)
	same(t, got, `{"model":"gpt-6-sol","stream":true,"store":false,"include":["reasoning.encrypted_content"],
		"input":[`+begin+`,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Look."}]},`+call+`],
		"tools":[{"type":"function","name":"one","description":"does","parameters":{"type":"object","properties":{}},"strict":false}],
		"text":{"format":{"type":"json_schema","name":"output","strict":true,"schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},"verbosity":"low"},
		"reasoning":{"effort":"high"},"max_output_tokens":100,"user":"u"}`)

	r.Messages = lookedAt(&Kept{Provider: "openai", Items: items(outThought, outMessage("Look."), callItem, callItem)})
	same(t, asks(t, "openai:gpt-6-sol", Responses, r)["input"], `[`+begin+`,`+outThought+`,`+outMessage("Look.")+`,`+call+`]`)
	r.Messages = lookedAt(&Kept{Provider: "anthropic", Items: items(outThought, callItem)})
	if d := cmp.Diff(got["input"], asks(t, "openai:gpt-6-sol", Responses, r)["input"]); d != "" {
		t.Error("another provider's blocks go to openai:", d)
	}
	r.Messages = lookedAt(&Kept{Provider: "openai", Items: items(outThought, outMessage("Look."), callItem, callItem)})
	plain := asks(t, "openai:gpt-4.1", Responses, r)
	if _, has := plain["include"]; has {
		t.Error("a model that does not reason is asked for its reasoning")
	}
	if d := cmp.Diff(got["input"], plain["input"]); d != "" {
		t.Error("a model that does not reason is sent reasoning:", d)
	}
}

// OpenAI's own hosts speak Responses, other addresses that stand in for it chat
// completions; the api of a row counts more than both.
func TestWhichProtocol(t *testing.T) {
	for _, c := range []struct{ name, address, api, path string }{
		{"openai", "", "", "/v1/responses"}, {"openai", "https://eu.api.openai.com/v1", "", "/v1/responses"},
		{"openai", "http://127.0.0.1:1/v1", "", "/v1/chat/completions"}, {"openai", "https://api.openai.com.evil.example/v1", "", "/v1/chat/completions"},
		{"openai", "http://127.0.0.1:1/v1", Responses, "/v1/responses"}, {"openai", "", Chat, "/v1/chat/completions"},
		{"anthropic", "http://127.0.0.1:1/v1", "", "/v1/messages"}, {"anthropic", "", Chat, "/v1/chat/completions"},
		{"ollama", "", "", "/v1/chat/completions"}, {"acme", "", Anthropic, "/v1/messages"},
	} {
		p := &player{}
		all := map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", envName(c.name) + "_BASE_URL": c.address}
		rows := map[string]Provider{}
		if c.api != "" {
			rows[c.name] = Provider{API: c.api}
		}
		if c.name == "acme" {
			rows[c.name] = Provider{API: c.api, BaseURL: "http://localhost:9/v1"}
		}
		m, err := Open(c.name+":m", Config{HTTP: p, Env: env(all), Providers: rows})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Generate(context.Background(), request(), nil)
		fails(t, err, fault.Model, "empty answer")
		if got := p.requests[0].URL.Path; got != c.path {
			t.Errorf("%+v goes to %s", c, got)
		}
	}
}

func TestStrictSchemas(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{},"additionalProperties":false}`: true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"$ref":"#/$defs/x"}}},"required":["a"],"additionalProperties":false,"$defs":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`: true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                false,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                                    false,
		`{"type":"object","properties":{"a":{"type":"string","minLength":2}},"required":["a"],"additionalProperties":false}`:                     false,
		`{"type":"object","properties":{"a":{"type":"object"}},"required":["a"],"additionalProperties":false}`:                                   false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{}}}]}},"required":["a"],"additionalProperties":false}`: false,
		`{"type":"object"}`: false, `true`: false, `[]`: false,
	} {
		if got := strict(js(schema)); got != want {
			t.Errorf("%s: %v", schema, got)
		}
	}
}
