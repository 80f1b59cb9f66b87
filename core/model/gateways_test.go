package model

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/fault"
)

// listOf returns one delta with several members of tool_calls.
func listOf(members ...string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + strings.Join(members, ",") + `]}}]}`
}

func member(id, name, args string) string {
	return `{"id":` + quoted(id) + `,"type":"function","function":{"name":` + quoted(name) + `,"arguments":` + args + `}}`
}

// both returns a turn with two calls.
func both(first, argsOfFirst, second, argsOfSecond string) Turn {
	return answered("", "tool_calls", Call{ID: "call00002", Name: first, Args: argsOfFirst}, Call{ID: "call00003", Name: second, Args: argsOfSecond})
}

func (t Turn) estimated() Turn {
	t.Usage = Usage{Estimated: true}
	return t
}

var large = `{"text":"` + strings.Repeat("x", 70<<10) + `"}`

// incomplete is a call whose arguments were cut off by the output limit.
var incomplete = Call{ID: "call00002", Name: "one", Args: "{}", Invalid: "the call is incomplete: it reached the model's output limit"}

// noIndex returns an event without its output_index.
func noIndex(event string) string {
	before, after, _ := strings.Cut(event, `"output_index":`)
	_, after, _ = strings.Cut(after, ",")
	return before + after
}

func choiceError(says string) string {
	return `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":` + says + `}]}`
}

func callItemOf(id, name string) string {
	return `{"id":"fc_` + id + `","type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":"{\"n\":1}"}`
}

// ofGateways has the peculiarities of gateways, and of servers that implement a
// provider's protocol in their own way.
var ofGateways = []behaviour{
	inResponses("no output_index", []string{typed(noIndex(outDone(0, outMessage("Look."))), noIndex(outDone(1, callItemOf("a", "one"))), noIndex(outDone(2, callItemOf("b", "two"))),
		outEnd("completed", `"output":[`+outMessage("Look.")+`,`+callItemOf("a", "one")+`,`+callItemOf("b", "two")+`],`))},
		answered("Look.", "tool_calls", one, Call{ID: "call00003", Name: "two", Args: `{"n":1}`})),
	inResponses("index 0 for every item", []string{typed(outDone(0, outMessage("Look.")), outDone(0, callItemOf("a", "one")), outDone(0, callItemOf("b", "two")), outEnd("completed", `"output":[],`))},
		answered("Look.", "tool_calls", one, Call{ID: "call00003", Name: "two", Args: `{"n":1}`})),
	inResponses("index 0 and no ids", []string{typed(outDone(0, `{"type":"function_call","name":"one","arguments":"{\"n\":1}"}`), outDone(0, `{"type":"function_call","name":"two","arguments":"{}"}`),
		outEnd("completed", `"output":[{"type":"function_call","name":"one","arguments":"{\"n\":1}"},{"type":"function_call","name":"two","arguments":"{}"}],`))},
		both("one", `{"n":1}`, "two", "{}")),
	inResponses("an item twice", []string{typed(outDone(0, callItemOf("a", "one")), outDone(0, callItemOf("a", "one")), outEnd("completed", ""))}, answered("", "tool_calls", one)),
	inResponses("other ids in the last event", []string{typed(outDone(0, outThought), outDone(1, callItemOf("a", "one")), outEnd("completed", `"output":[`+strings.Replace(outThought, "rs_1", "rs_2", 1)+`,`+callItemOf("b", "one")+`],`))},
		Turn{Finish: "tool_calls", Calls: []Call{one}, Usage: Usage{In: 12, Out: 3}, Model: "openai:gpt-test", Attempts: 1, Kept: &Kept{Provider: "openai", Items: items(outThought, callItem)}}),

	{name: "one id for two calls of a list", body: []string{eventsOf(listOf(member("one", "one", `"{\"n\":1}"`), member("one", "one", `"{\"n\":2}"`))), ok("tool_calls")}, want: both("one", `{"n":1}`, "one", `{"n":2}`)},
	{name: "one id for two calls", body: []string{eventsOf(fragmentOf("0", "one", "one", `{"n":1}`), fragmentOf("0", "one", "one", `{"n":2}`)), ok("tool_calls")}, want: both("one", `{"n":1}`, "one", `{"n":2}`)},
	{name: "a list without ids or arguments", body: []string{eventsOf(listOf(`{"function":{"name":"one","arguments":""}}`, `{"function":{"name":"two","arguments":"{}"}}`)), ok("tool_calls")}, want: both("one", "{}", "two", "{}")},
	{name: "one call after another, without index, ids or arguments", body: []string{eventsOf(fragmentOf("", "", "one", ""), fragmentOf("", "", "two", "{}")), ok("tool_calls")}, want: both("one", "{}", "two", "{}")},
	{name: "a list with empty ids and no arguments", body: []string{eventsOf(listOf(member("", "one", "null"), member("", "one", "null"))), ok("tool_calls")}, want: both("one", "{}", "one", "{}")},
	{name: "index 0 and large arguments", body: []string{eventsOf(fragmentOf("0", "", "one", large), fragmentOf("0", "", "two", large)), ok("tool_calls")}, want: both("one", large, "two", large)},
	{name: "index 0, and the id in each fragment", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n"`), fragmentOf("0", "b", "two", `{"n"`), fragmentOf("0", "a", "", `:1}`), fragmentOf("0", "b", "", `:2}`)), ok("tool_calls")},
		want: both("one", `{"n":1}`, "two", `{"n":2}`)},
	{name: "id and name again at the end", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n":1}`), fragmentOf("0", "a", "one", "")), ok("tool_calls")}, want: answered("", "tool_calls", one)},
	{name: "two fragments of a call in a list", body: []string{eventsOf(listOf(member("a", "one", `"{\"n\""`), member("a", "one", `":1}"`))), ok("tool_calls")}, want: answered("", "tool_calls", one)},
	{name: "nothing in a list of calls", body: []string{eventsOf(text("Hello"), listOf("null")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "announced calls that do not come", body: []string{eventsOf(text("I look.")), ok("tool_calls")}, err: "openai announced a tool call and sent none", retry: true},
	{name: "cut before the arguments", body: []string{eventsOf(fragmentOf("0", "a", "one", "")), ok("length")}, want: answered("", "length", incomplete)},

	{name: "a finish reason with every piece", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":"stop"}]}`, `{"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "the finish reason null as a text", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"null"}]}`)}, err: "without a finish reason", retry: true},
	{name: "an error in the choice", provider: "openrouter", body: []string{eventsOf(text("He"), choiceError(`{"code":502,"message":"Upstream died"}`), done)}, err: "stopped with an error: Upstream died", retry: true},
	{name: "an error in the choice, of the provider behind", provider: "openrouter", body: []string{eventsOf(choiceError(`{"code":403,"message":"Provider returned error","metadata":{"raw":"not for you","provider_name":"Crucible"}}`), done)}, err: "stopped with an error: Crucible: not for you"},
	{name: "an error in the choice, no money", provider: "openrouter", body: []string{eventsOf(choiceError(`{"code":402}`), done)}, err: "stopped with an error: it does not say which"},
	{name: "an error in the choice, as text", body: []string{eventsOf(choiceError(`"Upstream died"`), done)}, err: "stopped with an error: Upstream died", retry: true},
	{name: "an error in the choice that is none", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{"content":"Hel"},"error":null}]}`, `{"choices":[{"index":0,"delta":{"content":"lo"},"error":{}}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "an error that is none", body: []string{eventsOf(`{"error":false,"choices":[{"index":0,"delta":{"content":"Hel"}}]}`, `{"error":{},"choices":[{"index":0,"delta":{"content":"lo"}}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "an error without words", body: []string{eventsOf(`{"error":{"code":500}}`)}, err: "stopped with an error: it does not say which", retry: true},
	{name: "what cannot be read after the answer", body: []string{eventsOf(text("Hello"), stop("stop"), `{"choices":[],"usage":{"prompt_tokens":NaN}}`)}, want: answered("Hello", "stop").estimated()},
	{name: "an error after the answer", body: []string{eventsOf(text("Hello"), stop("stop"), used(12, 3), `{"error":{"message":"cleanup failed"}}`)}, want: answered("Hello", "stop")},
	{name: "usage null beside usage in the choice", body: []string{eventsOf(text("Hello"), `{"usage":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}]}`, done)}, want: answered("Hello", "stop")},
	{name: "fields that are not of the standard", body: []string{"trace_id: 77\n" + eventsOf(text("Hello")), "x-took: 3\n", ok("stop")}, want: answered("Hello", "stop")},
	{name: "nothing but such a field", body: []string{"upstream_error: connection reset\n\n"}, err: "malformed: upstream_error: connection reset"},
	{name: "an error event in plain text", body: []string{eventsOf(text("He")), "event: error\ndata: upstream timed out\n\n"}, err: "stopped with an error: upstream timed out", retry: true},
	{name: "an error of several lines in the stream", body: []string{eventsOf(text("He")), "{\n  \"error\": {\n    \"message\": \"out of memory\"\n  }\n}\n"}, err: "stopped with an error: out of memory", retry: true},
	{name: "plain text in place of an answer", header: map[string]string{"Content-Type": "text/plain"}, body: []string{"upstream connect error"}, err: "answered with text/plain instead of an event stream: upstream connect error", retry: true},

	inMessages("blocks that are not closed", []string{typed(start, blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `"type":"text_delta","text":"Look."`),
		blockStart(1, `{"type":"tool_use","id":"t","name":"one","input":{}}`), blockDelta(1, `"type":"input_json_delta","partial_json":"{\"n\":1}"`)), messageEnd("tool_use")}, answered("Look.", "tool_calls", one)),
	inMessages("index 0 for every block, none closed", []string{typed(start, blockStart(0, `{"type":"text","text":"Look."}`), blockStart(0, `{"type":"tool_use","id":"t","name":"one","input":{"n":1}}`)), messageEnd("tool_use")},
		answered("Look.", "tool_calls", one)),
	inMessages("cut before the arguments", []string{typed(start, blockStart(0, `{"type":"tool_use","id":"t","name":"one","input":{}}`), blockStop(0)), messageEnd("max_tokens")}, answered("", "length", incomplete)),
	inMessages("no input at the end", []string{typed(start), textBlock(0, "Hello"), typed(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":3}}`, `{"type":"message_stop"}`)}, answered("Hello", "stop")),

	{name: "xai: no credit", provider: "xai", status: 403, body: []string{`{"code":"The caller does not have permission","error":"Your team has used all available credits or reached its monthly spending limit."}`}, err: "the quota or credit of xai is used up (403)"},
	{name: "xai: no credit, as too many requests", provider: "xai", status: 429, body: []string{`{"error":"Your team has used all available credits."}`}, err: "the quota or credit of xai is used up (429)"},
	{name: "openrouter: nobody with tools", provider: "openrouter", status: 404, body: []string{`{"error":{"message":"No endpoints found that support tool use.","code":404}}`}, err: "openrouter refused the request (404): No endpoints found that support tool use."},
}

// Some gateways send a finish reason with every piece: the answer is not complete while
// pieces come, even slowly.
func TestFinishReasonWithEveryPiece(t *testing.T) {
	piece := func(text string) string {
		return eventsOf(`{"choices":[{"index":0,"delta":{"content":` + quoted(text) + `},"finish_reason":"stop"}]}`)
	}
	for name, body := range map[string][]string{
		"beside it":           {piece("Hel"), piece("lo"), ok("stop")},
		"before the first":    {piece(""), piece("Hel"), piece("lo"), ok("stop")},
		"after it, then more": {piece("Hel"), ": still here\n\n", piece("lo"), ok("stop")},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := &player{behaviour: behaviour{pause: 2 * afterFinish, body: body}}
			turn, err := open(t, "openai:x", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), request(), nil)
			if err != nil || turn.Text != "Hello" {
				t.Errorf("%s: %q, %v", name, turn.Text, err)
			}
			time.Sleep(time.Minute) // so that streams that golem stopped reading end too
		})
	}
	synctest.Test(t, func(t *testing.T) {
		p := &player{behaviour: behaviour{hang: true, body: []string{piece("Hello")}}}
		begun := time.Now()
		turn, err := open(t, "openai:x", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), request(), nil)
		if err != nil || turn.Text != "Hello" || time.Since(begun) != afterPiece {
			t.Errorf("%q, %v after %v", turn.Text, err, time.Since(begun))
		}
	})
}

// An error inside a stream has the same hint as the same error with a status, and so
// has a request that is too long, in the words of any provider.
func TestAdviceOfProvidersErrors(t *testing.T) {
	const long = "start a new conversation with /new"
	for message, want := range map[string]string{
		`{"message":"No more.","code":"insufficient_quota"}`:                                                             "check the account behind OPENAI_API_KEY",
		`{"message":"Wrong API key.","code":"invalid_api_key"}`:                                                          "check OPENAI_API_KEY",
		`{"message":"This model's maximum context length is 8 tokens.","type":"invalid_request_error"}`:                  long,
		`{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","code":400}`:           long,
		`{"message":"This model's maximum prompt length is 8 but the request contains 9 tokens.","code":400}`:            long,
		`{"message":"Invalid request: Your request exceeded model token limit: 8","type":"invalid_request_error"}`:       long,
		`{"message":"Prompt exceeds max length","code":"1261"}`:                                                          long,
		`{"message":"input length and max_tokens exceed context limit: 9 > 8","type":"invalid_request_error"}`:           long,
		`{"message":"the request exceeds the available context size","type":"exceed_context_size_error","code":400}`:     long,
		"{\"message\":\"`inputs` tokens + `max_new_tokens` must be <= 8. Given: 9\",\"type\":\"invalid_request_error\"}": long,
	} {
		for _, status := range []int{200, 400} {
			body := `{"error":` + message + `}`
			if status == 200 {
				body = eventsOf(body)
			}
			p := &player{behaviour: behaviour{status: status, body: []string{body}}}
			_, err := open(t, "openai:x", Config{HTTP: p, Env: env(key)}).Generate(context.Background(), request(), nil)
			if f := fault.Of(err, fault.Model); !strings.Contains(f.Hint, want) {
				t.Errorf("%d %s: %v, with the hint %q", status, message, err, f.Hint)
			}
		}
	}
}

// The replay of a run that fell back to the next model of a list gives the same
// answers, and no failure twice.
func TestReplayOfAFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &writes{}
		rec := NewRecorder(w, "", nil)
		quiet := func(m Model) Model { return WithRetry(m, RetryPolicy{}, nil) }
		first := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(503, 0), failing(503, 0), failing(503, 0)}}
		second := &steps{next: []func(context.Context, func(Delta)) (Turn, error){failing(500, 0), answering("two")}}
		m := WithFallback([]Model{quiet(rec.Wrap(first)), quiet(rec.Wrap(second))}, func(Model, Model, *fault.Fault) {})
		ask := func(m Model) (string, error) {
			turn, err := m.Generate(context.Background(), request(), func(Delta) {})
			return turn.Text, err
		}
		if text, err := ask(m); err != nil || text != "two" {
			t.Fatal(text, err)
		}
		replayed := quiet(w.replay(t, Config{}))
		if text, err := ask(replayed); err != nil || text != "two" {
			t.Errorf("replayed: %q, %v", text, err)
		}
		_, err := ask(replayed)
		fails(t, err, fault.Replay, "this request was recorded 5 times")
	})
}
