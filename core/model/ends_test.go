package model

import "encoding/json"

// reply returns a whole answer as one JSON document.
func reply(message, finish string) string {
	return `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":` + message + `,"finish_reason":` + finish + `}],
		"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}}`
}

func delta(members string) string { return `{"choices":[{"index":0,"delta":{` + members + `}}]}` }

// soFar returns an event of Perplexity: the whole text so far beside a delta.
func soFar(delta, message string) string {
	return `{"choices":[{"index":0,"delta":{"role":"assistant","content":` + quoted(delta) + `},"message":{"role":"assistant","content":` + quoted(message) + `}}]}`
}

func estimated(t Turn) Turn { return t.billed(Usage{Estimated: true}) }

var one = Call{ID: "call00002", Name: "one", Args: `{"n":1}`}

// ends has answers that end in unusual ways or are empty (scenarios 47, 53).
var ends = []behaviour{
	{name: "an end mark without a finish reason", body: []string{eventsOf(text("Hello"), used(12, 3), done)}, want: answered("Hello", "stop")},
	{name: "a call, an end mark, no finish reason", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n":1}`), used(12, 3), done)}, want: answered("", "tool_calls", one)},
	{name: "cumulative messages beside deltas", body: []string{eventsOf(soFar("1", "1"), soFar(" 2", "1 2"), soFar("", "1 2"), soFar("", "1 2 3")), ok("stop")}, want: answered("1 2 3", "stop")},
	{name: "cumulative messages beside empty deltas", body: []string{eventsOf(soFar("", "1"), soFar("", "1 2"), soFar("", "1 2 3")), ok("stop")}, want: answered("1 2 3", "stop")},
	{name: "a message that is not what the deltas said", body: []string{eventsOf(soFar("Hello", "Hallo"), soFar("", "Hallo.")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "a call in cumulative messages", body: []string{eventsOf(
		`{"choices":[{"index":0,"delta":{},"message":{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{\"n\""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"message":{"tool_calls":[{"id":"a","function":{"name":"one","arguments":"{\"n\":1}"}}]}}]}`), ok("tool_calls")},
		want: answered("", "tool_calls", one)},
	{name: "data over several lines", body: []string{"data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\ndata: \"Hello\"}}]}\n\n", ok("stop")}, want: answered("Hello", "stop")},
	{name: "no empty lines between events", body: []string{"data: " + text("Hel") + "\ndata: " + text("lo") + "\ndata: " + stop("stop") + "\ndata: " + used(12, 3) + "\ndata: [DONE]\n"}, want: answered("Hello", "stop")},
	{name: "a document in place of a stream", header: json1, body: []string{reply(`{"role":"assistant","content":"Hello"}`, `"stop"`)}, want: answered("Hello", "stop")},
	{name: "a document with a call, declared as a stream", body: []string{reply(`{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"one","arguments":"{\"n\":1}"}}]}`, `"tool_calls"`)}, want: answered("", "tool_calls", one)},
	{name: "a document without a finish reason", header: json1, body: []string{reply(`{"content":"Hello"}`, `null`)}, want: answered("Hello", "stop")},
	{name: "a document that breaks off", header: json1, body: []string{reply(`{"content":"Hello"}`, `null`)[:60]}, err: "ended early", retry: true},
	{name: "a document that is none", header: json1, body: []string{`{"choices": nope}`}, err: "malformed (not JSON at byte 14)", retry: true},
	{name: "a stream declared as text", header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}, body: []string{eventsOf(text("Hello")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "a stream declared as bytes, a comment first", header: map[string]string{"Content-Type": "application/octet-stream"}, body: []string{": hi\n\n", eventsOf(text("Hello")), ok("stop")}, want: answered("Hello", "stop")},
	{name: "content that is a number", body: []string{eventsOf(delta(`"content":42`)), ok("stop")}, want: answered("42", "stop")},
	{name: "content that is one part", body: []string{eventsOf(delta(`"content":{"type":"text","text":"Hello"}`)), ok("stop")}, want: answered("Hello", "stop")},
	{name: "an index that is a text", body: []string{eventsOf(`{"choices":[{"index":"0","delta":{"content":"Hello"}}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "a custom call", body: []string{eventsOf(delta(`"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"one","input":"{\"n\":"}}]`), delta(`"tool_calls":[{"index":0,"custom":{"input":"1}"}}]`)), ok("tool_calls")}, want: answered("", "tool_calls", one)},
	{name: "a function call of old servers", body: []string{eventsOf(delta(`"function_call":{"name":"one","arguments":"{\"n\""}`), delta(`"function_call":{"arguments":":1}"}`)), ok("function_call")}, want: answered("", "tool_calls", one)},
	{name: "text of old servers", body: []string{eventsOf(`{"choices":[{"index":0,"text":"Hello"}]}`), ok("stop")}, want: answered("Hello", "stop")},
	{name: "arguments that are no UTF-8", body: []string{eventsOf(delta("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"one\",\"arguments\":\"{\\\"n\\\":\\\"\xff\\\"}\"}}]")), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: "{\"n\":\"\uFFFD\"}", Invalid: "the arguments contain bytes that are not UTF-8"})},
	{name: "arguments with half a surrogate pair", body: []string{eventsOf(delta(`"tool_calls":[{"index":0,"function":{"name":"one","arguments":"{\"n\":\"\ud800\"}"}}]`)), ok("tool_calls")},
		want: answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: "{\"n\":\"\uFFFD\"}", Invalid: "the arguments contain bytes that are not UTF-8"})},
	{name: "a call cut by the limit", body: []string{eventsOf(fragmentOf("0", "a", "one", `{"n":1}`), fragmentOf("1", "b", "two", `{"n`)), ok("length")},
		want: answered("", "length", one, Call{ID: "call00003", Name: "two", Args: `{"n`, Invalid: "the call is incomplete: it reached the model's output limit"})},

	{name: "filtered", body: []string{eventsOf(text("I will"), stop("content_filter"), used(12, 3), done)}, err: "the content filter of openai stopped the answer"},
	{name: "filtered, with the reason", body: []string{eventsOf(`{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter","native_finish_reason":"SAFETY"}]}`, done)}, err: "the content filter of openai stopped the answer (SAFETY)"},
	{name: "filtered as Google says it", provider: "google", body: []string{eventsOf(stop("content_filter: PROHIBITED_CONTENT"), done)}, err: "the content filter of google stopped the answer (content_filter: PROHIBITED_CONTENT)"},
	{name: "refused", body: []string{eventsOf(delta(`"content":null,"refusal":"I cannot"`), delta(`"refusal":" do that."`)), ok("stop")}, err: "gpt-test refused to answer: I cannot do that."},
	{name: "refused in a document", header: json1, body: []string{reply(`{"content":null,"refusal":"No."}`, `"stop"`)}, err: "gpt-test refused to answer: No."},
	{name: "length, nothing said", body: []string{ok("length")}, err: "gpt-test reached its output limit before it answered"},
	{name: "length, only thoughts", body: []string{eventsOf(delta(`"reasoning_content":"hm"`)), ok("length")}, err: "reached its output limit before it answered: it sent only its reasoning"},
	{name: "only thoughts", body: []string{eventsOf(delta(`"reasoning":"hm"`)), ok("stop")}, err: "openai sent an empty answer: it sent only its reasoning", retry: true},
	{name: "a null message", header: json1, body: []string{reply(`null`, `"stop"`)}, err: "openai sent an empty answer", retry: true},
	{name: "blank text", body: []string{eventsOf(text(" \n")), ok("stop")}, err: "openai sent an empty answer", retry: true},
	{name: "nothing but an end", body: []string{ok("stop")}, err: "openai sent an empty answer", retry: true},
	{name: "out of resources", provider: "deepseek", body: []string{eventsOf(text("He")), ok("insufficient_system_resource")}, err: "deepseek stopped with an error (finish reason insufficient_system_resource)", retry: true},
}

var json1 = map[string]string{"Content-Type": "application/json; charset=utf-8"}

const failedWords = `{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=one{\"n\": 1</function>"}}`

// words has errors in the providers' own words.
var words = []behaviour{
	{name: "the cause behind a provider", provider: "openrouter", status: 400,
		body: []string{`{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"at most 1 image\",\"type\":\"invalid_request_error\"}}","provider_name":"Crucible"}},"user_id":"u"}`},
		err:  "openrouter refused the request (400): Crucible: at most 1 image"},
	{name: "the cause behind a provider as text", provider: "openrouter", status: 429,
		body: []string{`{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"m is temporarily rate-limited upstream","provider_name":"BaseTen"}}}`},
		err:  "openrouter says that there were too many requests (429): BaseTen: m is temporarily rate-limited upstream", retry: true},
	{name: "the cause behind a provider in a stream", provider: "openrouter",
		body: []string{eventsOf(text("He"), `{"error":{"message":"Provider returned error","code":502,"metadata":{"raw":{"detail":"upstream broke"}}}}`)},
		err:  "stopped with an error: upstream broke", retry: true},
	{name: "an error in an error", status: 400, body: []string{`{"error":{"message":"{\"error\":{\"message\":\"the inner words\"}}"}}`}, err: "(400): the inner words"},
	{name: "no quota", status: 429, body: []string{`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`}, err: "the quota or credit of openai is used up (429): You exceeded your current quota"},
	{name: "no quota for the day", provider: "google", status: 429, body: []string{`[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"34s"}]}}]`}, err: "the quota or credit of google is used up (429)"},
	{name: "no money", provider: "deepseek", status: 402, body: []string{`{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`}, err: "the quota or credit of deepseek is used up (402): Insufficient Balance"},
	{name: "no quota in a stream", body: []string{eventsOf(`{"error":{"message":"no more","type":"insufficient_quota"}}`)}, err: "no more"},
	{name: "overloaded in a stream", body: []string{eventsOf(`{"error":{"message":"Overloaded","type":"overloaded_error"}}`)}, err: "Overloaded", retry: true},
	{name: "an event named error", body: []string{"event: error\n", eventsOf(`{"error":{"message":"bad field","type":"invalid_request_error"}}`)}, err: "bad field"},
	{name: "a line detail", body: []string{"detail: Not enough credits\n\n"}, err: "stopped with an error: Not enough credits", retry: true},
	{name: "detail in a stream", body: []string{eventsOf(text("He"), `{"detail":"worker died"}`)}, err: "stopped with an error: worker died", retry: true},
	{name: "an error object of old servers", body: []string{eventsOf(`{"object":"error","message":"no such template","code":400}`)}, err: "no such template"},
	{name: "an empty message", body: []string{eventsOf(`{"error":{"message":"","type":"server_error"}}`)}, err: "server_error", retry: true},
	{name: "too long", status: 400, body: []string{`{"error":{"message":"This model's maximum context length is 8192 tokens","code":"context_length_exceeded"}}`}, err: "(400): This model's maximum context length is 8192 tokens"},
	{name: "a call that the provider could not read", provider: "groq", status: 400, body: []string{failedWords},
		want: estimated(answered("", "tool_calls", Call{ID: "call00002", Name: "one", Args: `<function=one{"n": 1</function>`,
			Invalid: "groq could not read it: Failed to call a function. Please adjust your prompt."})).by("groq")},
	{name: "a call that the provider could not read, in a stream", provider: "groq", body: []string{eventsOf(text("Well."), failedWords)},
		want: estimated(answered("Well.", "tool_calls", Call{ID: "call00002", Name: "one", Args: `<function=one{"n": 1</function>`,
			Invalid: "groq could not read it: Failed to call a function. Please adjust your prompt."})).by("groq")},
	{name: "a call that Google could not read", provider: "google", body: []string{eventsOf(stop("function_call_filter: MALFORMED_FUNCTION_CALL"), done)},
		want: estimated(answered("", "tool_calls", Call{ID: "call00002", Name: "unreadable_call",
			Invalid: "google could not read it: function_call_filter: MALFORMED_FUNCTION_CALL"})).by("google")},
}

func billing(usage string) []string {
	return []string{eventsOf(text("Hello"), stop("stop"), `{"choices":[],"usage":`+usage+`}`, done)}
}

// bills has numbers of tokens as providers report them, and what is billed (scenario 53).
var bills = []behaviour{
	{name: "reasoning outside the completion", provider: "xai", body: billing(`{"prompt_tokens":32,"completion_tokens":9,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`), want: answered("Hello", "stop").billed(Usage{In: 32, Out: 103}).reasoned(94).by("xai")},
	{name: "reasoning within the completion", body: billing(`{"prompt_tokens":32,"completion_tokens":103,"total_tokens":135,"completion_tokens_details":{"reasoning_tokens":94}}`), want: answered("Hello", "stop").billed(Usage{In: 32, Out: 103}).reasoned(94)},
	{name: "cached input", body: billing(`{"prompt_tokens":2000,"completion_tokens":3,"total_tokens":2003,"prompt_tokens_details":{"cached_tokens":1920}}`), want: answered("Hello", "stop").billed(Usage{In: 2000, Out: 3, Cached: 1920})},
	{name: "cached input as DeepSeek says it", provider: "deepseek", body: billing(`{"prompt_tokens":20,"completion_tokens":3,"prompt_cache_hit_tokens":16,"prompt_cache_miss_tokens":4}`), want: answered("Hello", "stop").billed(Usage{In: 20, Out: 3, Cached: 16}).by("deepseek")},
	{name: "Groq's place", provider: "groq", body: []string{eventsOf(text("Hello"), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":12,"completion_tokens":3}}}`, done)}, want: answered("Hello", "stop").by("groq")},
	{name: "figures as text and as decimals", body: billing(`{"prompt_tokens":"12","completion_tokens":3.0}`), want: answered("Hello", "stop")},
	{name: "a total that is too small", body: billing(`{"prompt_tokens":12,"completion_tokens":3,"total_tokens":1}`), want: answered("Hello", "stop")},
	{name: "figures that cannot be", body: billing(`{"prompt_tokens":[1],"completion_tokens":{"a":null},"total_tokens":-5}`), want: estimated(answered("Hello", "stop"))},
	{name: "usage that is a text", body: billing(`"many"`), want: estimated(answered("Hello", "stop"))},
	{name: "zeros at the end", body: []string{eventsOf(text("Hello"), used(12, 3), used(0, 0), stop("stop"), done)}, want: answered("Hello", "stop")},
}

func js(s string) json.RawMessage { return json.RawMessage(s) }

// carried has answers with members that the provider wants back (scenario 52).
var carried = []behaviour{
	{name: "reasoning that goes back", provider: "deepseek", body: []string{eventsOf(delta(`"reasoning_content":"I "`), delta(`"reasoning_content":"think"`), delta(`"reasoning_content":null,"content":""`), fragmentOf("0", "a", "one", `{"n":1}`)), ok("tool_calls")},
		want: answered("", "tool_calls", one).keeping("deepseek", fields{"reasoning_content": js(`"I think"`)})},
	{name: "empty reasoning goes back too", provider: "deepseek", body: []string{eventsOf(delta(`"reasoning_content":""`), fragmentOf("0", "a", "one", `{"n":1}`)), ok("tool_calls")},
		want: answered("", "tool_calls", one).keeping("deepseek", fields{"reasoning_content": js(`""`)})},
	{name: "reasoning of a document", provider: "deepseek", header: json1, body: []string{reply(`{"content":"Hello","reasoning_content":"hm"}`, `"stop"`)},
		want: answered("Hello", "stop").keeping("deepseek", fields{"reasoning_content": js(`"hm"`)})},
	{name: "reasoning details in pieces", provider: "openrouter", body: []string{eventsOf(
		delta(`"reasoning_details":[{"type":"reasoning.text","text":"I ","index":0,"format":"f","signature":null}]`),
		delta(`"reasoning_details":[{"type":"reasoning.text","text":"think","index":0}]`),
		delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"sig"},{"type":"reasoning.encrypted","data":"xyz","index":1}]`),
		fragmentOf("0", "a", "one", `{"n":1}`)), ok("tool_calls")},
		want: answered("", "tool_calls", one).keeping("openrouter", fields{"reasoning_details": js(
			`[{"format":"f","index":0,"signature":"sig","text":"I think","type":"reasoning.text"},{"data":"xyz","index":1,"type":"reasoning.encrypted"}]`)})},
	{name: "signatures of a call and of the message", provider: "google", body: []string{eventsOf(
		delta(`"extra_content":{"google":{"thought":true}},"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"one","arguments":"{\"n\":1}"}},{"index":1,"function":{"name":"two","arguments":"{}"}}]`)), ok("stop")},
		want: answered("", "tool_calls", one, Call{ID: "call00003", Name: "two", Args: "{}"}).
			keeping("google", fields{"extra_content": js(`{"google":{"thought":true}}`)}, fields{"extra_content": js(`{"google":{"thought_signature":"s"}}`)}, nil)},
	{name: "what nobody wants back is not kept", body: []string{eventsOf(delta(`"reasoning_content":"hm"`), text("Hello")), ok("stop")}, want: answered("Hello", "stop")},
}

// reasoned returns a turn whose provider counted these tokens of reasoning.
func (t Turn) reasoned(tokens int) Turn {
	t.Reasoning = tokens
	return t
}
