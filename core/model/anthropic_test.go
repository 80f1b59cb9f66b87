package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

const start = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1}}}`

func blockStart(index int, first string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, first)
}

func blockDelta(index int, members string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{%s}}`, index, members)
}

func blockStop(index int) string {
	return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index)
}

func textBlock(index int, pieces ...string) string {
	events := []string{blockStart(index, `{"type":"text","text":""}`)}
	for _, p := range pieces {
		events = append(events, blockDelta(index, `"type":"text_delta","text":`+quoted(p)))
	}
	return typed(append(events, blockStop(index))...)
}

func callBlock(index int, name string, pieces ...string) string {
	events := []string{blockStart(index, `{"type":"tool_use","id":"toolu_1","name":`+quoted(name)+`,"input":{}}`)}
	for _, p := range pieces {
		events = append(events, blockDelta(index, `"type":"input_json_delta","partial_json":`+quoted(p)))
	}
	return typed(append(events, blockStop(index))...)
}

func messageEnd(reason string) string {
	return typed(`{"type":"message_delta","delta":{"stop_reason":`+quoted(reason)+`,"stop_sequence":null},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)
}

const thinking = `{"signature":"c2ln","thinking":"I think","type":"thinking"}`

var thinkingBlock = typed(blockStart(0, `{"type":"thinking","thinking":"","signature":""}`), blockDelta(0, `"type":"thinking_delta","thinking":"I "`),
	`{"type":"ping"}`, blockDelta(0, `"type":"thinking_delta","thinking":"think"`), blockDelta(0, `"type":"signature_delta","signature":"c2ln"`), blockStop(0))

func inMessages(name string, body []string, want Turn) behaviour {
	return behaviour{name: "anthropic: " + name, provider: "anthropic", body: body, want: want.by("anthropic")}
}

func failsInMessages(name string, body []string, err string, retry bool) behaviour {
	return behaviour{name: "anthropic: " + name, provider: "anthropic", body: body, err: err, retry: retry}
}

var ofAnthropic = []behaviour{
	inMessages("text", []string{typed(start), textBlock(0, "Hel", "lo"), messageEnd("end_turn")}, answered("Hello", "stop")),
	inMessages("byte by byte", bytesOf(typed(start)+textBlock(0, "Grüße")+messageEnd("end_turn")), answered("Grüße", "stop")),
	inMessages("a stop text", []string{typed(start), textBlock(0, "Hello"), messageEnd("stop_sequence")}, answered("Hello", "stop")),
	inMessages("calls", []string{typed(start), textBlock(0, "Look."), callBlock(1, "one", `{"n"`, `:1}`), callBlock(2, "two"), messageEnd("tool_use")},
		answered("Look.", "tool_calls", one, Call{ID: "call00003", Name: "two", Args: "{}"})),
	inMessages("thinking that goes back, in its place", []string{typed(start), thinkingBlock, textBlock(1, "Look."), callBlock(2, "one", `{"n":1}`), messageEnd("tool_use")},
		Turn{Text: "Look.", Finish: "tool_calls", Calls: []Call{one}, Usage: Usage{In: 12, Out: 3}, Attempts: 1,
			Kept: &Kept{Provider: "anthropic", Items: items(thinking, `{"text":"Look.","type":"text"}`, callItem)}}),
	inMessages("hidden thinking", []string{typed(start, blockStart(0, `{"type":"redacted_thinking","data":"x"}`), blockStop(0)), textBlock(1, "Hello"), messageEnd("end_turn")},
		Turn{Text: "Hello", Finish: "stop", Usage: Usage{In: 12, Out: 3}, Attempts: 1,
			Kept: &Kept{Provider: "anthropic", Items: items(`{"data":"x","type":"redacted_thinking"}`, `{"text":"Hello","type":"text"}`)}}),
	inMessages("thinking that nothing follows", []string{typed(start), textBlock(0, "Look."), strings.ReplaceAll(thinkingBlock, `"index":0`, `"index":1`), messageEnd("max_tokens")}, answered("Look.", "length")),
	inMessages("input from the cache", []string{typed(strings.Replace(start, `"cache_creation_input_tokens":0,"cache_read_input_tokens":0`, `"cache_creation_input_tokens":100,"cache_read_input_tokens":2000`, 1)), textBlock(0, "Hello"), messageEnd("end_turn")},
		answered("Hello", "stop").billed(Usage{In: 2112, Out: 3, Cached: 2000, Written: 100})),
	inMessages("cut at the limit", []string{typed(start), textBlock(0, "Hel"), messageEnd("max_tokens")}, answered("Hel", "length")),
	inMessages("the context is full", []string{typed(start), textBlock(0, "Hel"), messageEnd("model_context_window_exceeded")}, answered("Hel", "length")),
	inMessages("a document", []string{`{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"},{"type":"tool_use","id":"t","name":"one","input":{"n":1}}],"stop_reason":"tool_use","usage":{"input_tokens":12,"output_tokens":3}}`}, answered("Hello", "tool_calls", one)),
	inMessages("arguments that are no UTF-8", []string{typed(start, blockStart(0, `{"type":"tool_use","name":"one","input":{}}`), blockDelta(0, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"n\\\":\\\"\xff\\\"}\""), blockStop(0)), messageEnd("tool_use")},
		answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: "{\"n\":\"\uFFFD\"}", Invalid: noText})),
	inMessages("blocks and events of the future", []string{typed(start, blockStart(0, `{"type":"new"}`), blockDelta(0, `"type":"new_delta"`), blockStop(0), `{"type":"new_event"}`), textBlock(1, "Hello"), messageEnd("end_turn")}, answered("Hello", "stop")),

	failsInMessages("cut before the end", []string{typed(start), textBlock(0, "Hello"), callBlock(1, "one", "{}")}, "without a finish reason", true),
	failsInMessages("cut between reason and end", []string{typed(start), textBlock(0, "Hello"), typed(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`)}, "the stream of anthropic ended before message_stop", true),
	failsInMessages("an end mark of another protocol", []string{typed(start), textBlock(0, "Hello"), "data: [DONE]\n\n"}, "without a finish reason", true),
	failsInMessages("refused", []string{typed(start), textBlock(0, "I"), typed(`{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"Not this."}},"usage":{"output_tokens":3}}`, `{"type":"message_stop"}`)}, "gpt-test refused to answer: Not this.", false),
	failsInMessages("refused without a word", []string{typed(start), messageEnd("refusal")}, "the content filter of anthropic stopped the answer (refusal)", false),
	failsInMessages("only thoughts", []string{typed(start), thinkingBlock, messageEnd("max_tokens")}, "reached its output limit before it answered: it sent only its reasoning", false),
	failsInMessages("nothing", []string{typed(start), messageEnd("end_turn")}, "anthropic sent an empty answer", true),
	failsInMessages("overloaded inside", []string{typed(start), textBlock(0, "He"), typed(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}, "stopped with an error: Overloaded", true),
	failsInMessages("a bad request inside", []string{typed(`{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: too many"}}`)}, "max_tokens: too many", false),
	failsInMessages("no message at all", []string{typed(`{"type":"message_start"}`)}, "the provider's answer is malformed: a part of it is missing", false),
	failsInMessages("no message", []string{typed(`{"type":"message_start","message":7}`)}, "malformed", false),
	{name: "anthropic: 529", provider: "anthropic", status: 529, body: []string{`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`}, err: "anthropic is overloaded (529): Overloaded", retry: true},
	{name: "anthropic: a success that is not 200", provider: "anthropic", status: 201, body: []string{typed(start), textBlock(0, "Hello"), typed(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}`), typed(`{"type":"message_stop"}`)}, want: answered("Hello", "stop").by("anthropic")},
	{name: "google: a wrong key", provider: "google", status: 400, body: []string{`[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`}, err: "google refused the key in GEMINI_API_KEY (400)"},
	{name: "anthropic: no credit", provider: "anthropic", status: 400, body: []string{`{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`}, err: "the quota or credit of anthropic is used up (400)"},
}

func TestAnthropicRequest(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	r := Request{
		Messages: append(lookedAt(nil), Message{Role: User, Text: "on", Inner: true}), Tools: []tool.Spec{{Name: "one", Description: "does"}},
		Settings: Settings{"temperature": js("0"), "stop": js(`["END"]`), "parallel_tool_calls": js("false"), "reasoning_effort": js(`"high"`), "max_output_tokens": js("9000"), "seed": js("1")},
	}
	first := `{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}},
		{"type":"document","title":"d.pdf","source":{"type":"base64","media_type":"application/pdf","data":"cGRm"}},{"type":"text","text":"<attachment name=\"a.txt\">\nA\n</attachment>",` + mark + `}]}`
	calls := `{"type":"tool_use","id":"call00001","name":"one","input":{"n":1}},{"type":"tool_use","id":"call00002","name":"two","input":{"not_a_json_object":"{bad"}}]}`
	results := `{"role":"user","content":[
		{"type":"tool_result","tool_use_id":"call00001","content":[{"type":"text","text":"1\n[j: image/jpeg, 3 bytes; it follows below]"},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"anBn"}}]},
		{"type":"tool_result","tool_use_id":"call00002","is_error":true,"content":[{"type":"text","text":"no"}]},{"type":"text","text":"on",` + mark + `}]}`
	same(t, asks(t, "anthropic:claude-opus-5", "", r), `{"model":"claude-opus-5","stream":true,"max_tokens":9000,"system":[{"type":"text","text":"You help.",`+mark+`}],
		"messages":[`+first+`,{"role":"assistant","content":[{"type":"text","text":"Look."},`+calls+`,`+results+`],
		"tools":[{"name":"one","description":"does","input_schema":{"type":"object","properties":{}}}],
		"temperature":0,"stop_sequences":["END"],"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}}`)

	r.Messages = lookedAt(&Kept{Provider: "anthropic", Items: items(thinking, callItem, callItem)})
	same(t, asks(t, "anthropic:claude-opus-5", "", r)["messages"].([]any)[1], `{"role":"assistant","content":[`+thinking+`,`+calls)
	r.Messages = lookedAt(&Kept{Provider: "openai", Items: items(thinking, callItem)})
	same(t, asks(t, "anthropic:claude-opus-5", "", r)["messages"].([]any)[1], `{"role":"assistant","content":[{"type":"text","text":"Look."},`+calls)

	r.Messages = lookedAt(&Kept{Provider: "anthropic", Items: items(thinking, callItem, callItem)})
	r.Settings = Settings{"cache": js("false"), "reasoning_effort": js(`"max"`)}
	body := asks(t, "anthropic:claude-sonnet-4-5", "", r)
	same(t, body["thinking"], `{"type":"enabled","budget_tokens":24576}`)
	same(t, body["system"], `[{"type":"text","text":"You help."}]`)
	if strings.Contains(fmt.Sprint(body), "cache_control") {
		t.Error("cache: false and yet asked for")
	}
	r.Settings = Settings{"reasoning_effort": js(`"none"`)}
	same(t, asks(t, "anthropic:claude-opus-5", "", r)["thinking"], `{"type":"disabled"}`)
}

// The budget for thoughts is at least 1,024 tokens and less than max_tokens. If
// max_tokens is too small for that, golem asks for no thinking.
func TestAnthropicBudget(t *testing.T) {
	r := request()
	for most, want := range map[string]string{
		"500": "null", "1024": "null", "1025": `{"type":"enabled","budget_tokens":1024}`, "2000": `{"type":"enabled","budget_tokens":1024}`,
		"4000": `{"type":"enabled","budget_tokens":2976}`, "32000": `{"type":"enabled","budget_tokens":8192}`,
	} {
		r.Settings = Settings{"reasoning_effort": js(`"medium"`), "max_output_tokens": js(most)}
		r.Messages = r.Messages[:2]
		same(t, asks(t, "anthropic:claude-sonnet-4-5", "", r)["thinking"], want)
	}
}

// A model whose thinking is a number of tokens refuses to think if the calls before
// began without thinking, with another provider. golem then does not ask it to think.
func TestAnthropicThinksBeforeCalls(t *testing.T) {
	asked, person, note := Message{Role: User, Text: "go"}, Message{Role: User, Text: "on"}, Message{Role: User, Text: "on", Inner: true}
	call := func(kept *Kept) []Message {
		return []Message{{Role: Assistant, Calls: []Call{{ID: "call00001", Name: "one", Args: "{}"}}, Kept: kept}, {Role: ToolRole, CallID: "call00001", Text: "1"}}
	}
	said := []Message{{Role: Assistant, Text: "Well."}}
	own, other := call(&Kept{Provider: "anthropic", Items: items(thinking, callItem)}), call(nil)
	for _, c := range []struct {
		name   string
		parts  [][]Message
		thinks bool
	}{
		{"a question", [][]Message{{asked}}, true},
		{"another provider's call", [][]Message{{asked}, other}, false},
		{"another provider's call with what that keeps", [][]Message{{asked}, call(&Kept{Provider: "openai", Items: items(outThought, callItem)})}, false},
		{"a note after it", [][]Message{{asked}, other, {note}}, false},
		{"the person's word after it", [][]Message{{asked}, other, {person}}, false},
		{"an own call after it, without thinking", [][]Message{{asked}, other, other}, false},
		{"an own call", [][]Message{{asked}, own}, true},
		{"own calls of which the first was thought about", [][]Message{{asked}, own, {note}, other}, true},
		{"thoughts of the turn before", [][]Message{{asked}, own, said, {person}, other}, false},
		{"a turn that ended", [][]Message{{asked}, other, said, {person}}, true},
		{"an answer to repair", [][]Message{{asked}, other, said, {note}}, true},
	} {
		for model, counts := range map[string]bool{"claude-sonnet-4-5": true, "claude-opus-5": false} {
			r := Request{Messages: slices.Concat(c.parts...), Settings: Settings{"reasoning_effort": js(`"low"`)}}
			if _, thinks := asks(t, "anthropic:"+model, "", r)["thinking"]; thinks != (c.thinks || !counts) {
				t.Errorf("%s, %s: asked to think: %v", model, c.name, thinks)
			}
			if r.Settings["reasoning_effort"] == nil {
				t.Fatal("the worker's settings were changed")
			}
		}
	}
}

func TestAnthropicOutput(t *testing.T) {
	r := request()
	r.OutputSchema = js(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)
	r.Settings = Settings{"reasoning_effort": js(`"low"`)}
	same(t, asks(t, "anthropic:claude-opus-5", "", r)["output_config"], `{"effort":"low","format":{"type":"json_schema","schema":`+string(r.OutputSchema)+`}}`)
	r.OutputSchema = js(`{"type":"array"}`)
	body := asks(t, "anthropic:claude-opus-5", "", r)
	if !strings.Contains(fmt.Sprint(body["system"]), `{"type":"array"}`) {
		t.Error("no schema in words", body["system"])
	}
}

// In fifty turns, each request repeats the last one up to its last cache mark, so that
// the provider reads that part from its cache.
func TestAnthropicReadsItsCache(t *testing.T) {
	p := &player{}
	m := open(t, "anthropic:claude-opus-5", Config{HTTP: p, Env: env(key)})
	messages := []Message{{Role: System, Text: "You help."}, {Role: User, Text: "go"}}
	prefix := ""
	for turn := range 50 {
		_, err := m.Generate(context.Background(), Request{Conversation: "c", Messages: messages}, nil)
		fails(t, err, fault.Model, "empty answer")
		const mark = `,"cache_control":{"type":"ephemeral"}`
		body := p.bodies[turn]
		body = body[strings.Index(body, `"messages":[`):strings.Index(body, `,"max_tokens"`)]
		if n := strings.Count(body, mark); n != min(2, turn+1) {
			t.Fatalf("turn %d: %d marks", turn, n)
		}
		last := strings.LastIndex(body, mark)
		now := strings.ReplaceAll(body[:last], mark, "")
		if !strings.HasPrefix(now, prefix) {
			t.Fatalf("turn %d does not begin as the turn before", turn)
		}
		prefix = now
		id := fmt.Sprintf("call%05d", turn+1)
		messages = append(messages, Message{Role: Assistant, Calls: []Call{{ID: id, Name: "one", Args: "{}"}}}, Message{Role: ToolRole, CallID: id, Text: fmt.Sprint(turn)})
	}
}
