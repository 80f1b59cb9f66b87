package model

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"golem/core/fault"
	"golem/core/model/prices"
	"golem/core/money"
)

func usd(t *testing.T, s string) money.USD {
	t.Helper()
	v, err := money.Parse(s, 6)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func priced(t *testing.T, in, out string) *prices.Price {
	t.Helper()
	return &prices.Price{Input: usd(t, in), Output: usd(t, out), Cached: usd(t, in), Written: usd(t, in)}
}

// The person's price counts first, then the table's; a project's price fills a gap and
// replaces nothing (SPEC §3: a project must not get under a person's limit).
func TestWhoseWordOnAPriceCounts(t *testing.T) {
	table, known := prices.Of("openai", "gpt-5-mini")
	if !known || !table.Priced {
		t.Fatal("the table has no gpt-5-mini")
	}
	low := map[string]Known{"gpt-5-mini": {Context: 7, Price: priced(t, "0.000001", "0.000001")}, "*": {Price: priced(t, "1", "1")}}
	mine := map[string]Known{"gpt-5-mini": {Price: priced(t, "9", "9")}, "*": {Context: 5, Price: priced(t, "8", "8")}}
	for _, c := range []struct {
		name, from, input string
		context           int
		row               Provider
	}{
		{"openai:gpt-5-mini", ByTable, table.Price.Input.String(), table.Context, Provider{}},
		{"openai:gpt-5-mini", ByTable, table.Price.Input.String(), table.Context, Provider{Suggested: low}},
		{"openai:gpt-5-mini", ByPerson, "9", 5, Provider{Models: mine, Suggested: low}},
		{"openai:other", ByProject, "1", 0, Provider{Suggested: low}},
		{"openai:other", ByPerson, "8", 5, Provider{Models: mine, Suggested: low}},
		{"openai:other", "", "0", 0, Provider{}},
		{"nobody:other", "", "0", 0, Provider{}},
		{"other", "", "0", 0, Provider{}},
	} {
		got := Config{Providers: map[string]Provider{"openai": c.row}}.Listing(c.name)
		if got.From != c.from || got.Price.Input.String() != c.input || got.Context != c.context || got.Priced != (c.from != "") {
			t.Errorf("%s is %+v, want %s a million by %q", c.name, got, c.input, c.from)
		}
	}
}

// The cost of an answer is as calculated by hand, in each protocol: cached input at its
// own price, reasoning as output, also if it is counted outside completion_tokens.
func TestCostOfAnAnswer(t *testing.T) {
	price := prices.Price{Input: usd(t, "2"), Output: usd(t, "10"), Cached: usd(t, "0.5"), Written: usd(t, "2.5")}
	for _, c := range []struct {
		name, api, body, cost string
	}{
		{"chat", Chat, eventsOf(text("Hello"), stop("stop"), `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens_details":{"reasoning_tokens":40}}}`, done),
			"0.0016"}, // 400×2 + 600×0.5 + 50×10 = 1600 millionths
		{"reasoning outside", Chat, eventsOf(text("Hello"), stop("stop"), `{"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":10,"total_tokens":1050}}`, done),
			"0.0025"}, // 1000×2 + 50×10
		{"responses", Responses, `data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":1000,"input_tokens_details":{"cached_tokens":600},"output_tokens":50,"output_tokens_details":{"reasoning_tokens":40},"total_tokens":1050}}}` + "\n\n",
			"0.0016"},
		{"anthropic", Anthropic, `data: {"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":100,"cache_creation_input_tokens":300,"cache_read_input_tokens":600,"output_tokens":1}}}` + "\n\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}}` + "\n\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
			"0.00175"}, // 100×2 + 300×2.5 + 600×0.5 + 50×10
	} {
		row := Provider{API: c.api, Models: map[string]Known{"m": {Price: &price}}}
		m := open(t, "openai:m", Config{HTTP: &player{behaviour: behaviour{body: []string{c.body}}}, Env: env(key), Providers: map[string]Provider{"openai": row}})
		turn, err := m.Generate(context.Background(), request(), nil)
		if err != nil || turn.Usage.Cost.String() != c.cost || turn.Usage.Unpriced || turn.Usage.Suggested {
			t.Errorf("%s: %+v costs %s, want %s: %v", c.name, turn.Usage, turn.Usage.Cost, c.cost, err)
		}
		data, err := json.Marshal(turn.Usage)
		if err != nil {
			t.Fatal(err)
		}
		var back Usage
		if err := json.Unmarshal(data, &back); err != nil || back.Cost != 0 || back.Out != turn.Usage.Out {
			t.Errorf("%s: a recording keeps %s: a replay is not billed", c.name, data)
		}
	}
}

// If nobody knows a price, the cost is Unpriced, and Prospect says so before the first
// request, for limits on cost.
func TestNoPriceIsMadeUp(t *testing.T) {
	cheap := map[string]Known{"*": {Price: priced(t, "1", "1")}}
	tier := func(s string) Settings { return Settings{"service_tier": json.RawMessage(s)} }
	for _, c := range []struct {
		name     string
		settings Settings
		row      Provider
		env      map[string]string
		unpriced bool
		project  bool
	}{
		{name: "openai:gpt-5-mini"},
		{name: "openai:not-listed", unpriced: true},
		{name: "openai:not-listed", row: Provider{Suggested: cheap}, project: true},
		{name: "openai:gpt-5-mini", settings: tier(`"flex"`), unpriced: true},
		{name: "openai:gpt-5-mini", settings: tier(`"default"`)},
		{name: "openai:gpt-5-mini", settings: tier(`"priority"`), row: Provider{Models: cheap}},
		{name: "ollama:qwen3"},
		{name: "ollama:qwen3", env: map[string]string{"OLLAMA_API_KEY": "sk-1"}, unpriced: true},
		{name: "ollama:qwen3", env: map[string]string{"OLLAMA_BASE_URL": "http://10.0.0.7:11434/v1"}, unpriced: true},
		{name: "lmstudio:qwen3", env: map[string]string{"LMSTUDIO_BASE_URL": "http://127.0.0.1:99/v1"}},
	} {
		provider, _, _ := Split(c.name)
		vars := map[string]string{"OPENAI_API_KEY": "sk-1"}
		for k, v := range c.env {
			vars[k] = v
		}
		config := Config{HTTP: &player{}, Env: func(k string) string { return vars[k] }}
		if c.row.Models != nil || c.row.Suggested != nil {
			config.Providers = map[string]Provider{provider: c.row}
		}
		m := open(t, c.name, config)
		got, name := Prospect(m, c.settings)
		if name != c.name || got.Unpriced != c.unpriced || got.Suggested != c.project || got.Cost != 0 {
			t.Errorf("%s with %v and %v: %+v", c.name, c.settings, c.env, got)
		}
		both := WithFallback([]Model{open(t, "openai:gpt-5-mini", config), m}, nil)
		if got, name := Prospect(both, c.settings); got.Unpriced != c.unpriced || c.unpriced && name != c.name && c.settings == nil {
			t.Errorf("a list with %s: %+v of %s", c.name, got, name)
		}
	}
	if got, _ := Prospect(&script{}, nil); got != (Usage{}) {
		t.Errorf("a script: %+v", got)
	}
}

func TestSumsOfUsage(t *testing.T) {
	a := Usage{In: 3, Cached: 2, Written: 1, Out: 4, Cost: 10}
	got := a.Add(Usage{In: 1, Cost: 5, Unpriced: true}).Add(Usage{Suggested: true})
	if want := (Usage{In: 4, Cached: 2, Written: 1, Out: 4, Cost: 15, Unpriced: true, Suggested: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A provider also bills failed answers: the usage of failed attempts is added to that
// of the successful one, or returned with the error.
func TestFailedAnswersAreBilled(t *testing.T) {
	refusal := eventsOf(delta(`"refusal":"No."`), stop("stop"), used(12, 3), done)
	price := map[string]Known{"*": {Price: priced(t, "1", "1")}}
	config := func(bodies ...string) Config {
		turns := &several{}
		for _, b := range bodies {
			turns.players = append(turns.players, &player{behaviour: behaviour{body: []string{b}}})
		}
		return Config{HTTP: turns, Env: env(key), Providers: map[string]Provider{"openai": {API: Chat, Models: price}}}
	}
	policy := RetryPolicy{First: 1, Longest: 1}
	m := WithRetry(open(t, "openai:m", config(refusal)), policy, nil)
	if turn, err := m.Generate(context.Background(), request(), nil); err == nil || turn.Model != "openai:m" || turn.Usage.In != 12 || turn.Usage.Cost.String() != "0.000015" {
		t.Errorf("a refusal: %+v %v", turn, err)
	}
	blank := eventsOf(stop("stop"), used(10, 1), done) // golem tries again after it
	m = WithRetry(open(t, "openai:m", config(blank, blank, eventsOf(text("Hello"), stop("stop"), used(12, 3), done))), policy, nil)
	if turn, err := m.Generate(context.Background(), request(), nil); err != nil || turn.Usage.In != 32 || turn.Usage.Out != 5 || turn.Attempts != 3 {
		t.Errorf("two empty answers and a good one: %+v %v", turn, err)
	}
	one := WithRetry(open(t, "openai:a", config(blank, blank, blank)), policy, nil)
	two := open(t, "openai:b", config(refusal))
	both := WithFallback([]Model{one, two}, func(Model, Model, *fault.Fault) {})
	if turn, err := both.Generate(context.Background(), request(), nil); err == nil || turn.Usage.In != 42 {
		t.Errorf("a list of models: %+v %v", turn, err)
	}
}

// several is a doer whose players answer one request each, in order.
type several struct{ players []*player }

func (s *several) Do(r *http.Request) (*http.Response, error) {
	p := s.players[0]
	s.players = s.players[1:]
	return p.Do(r)
}
