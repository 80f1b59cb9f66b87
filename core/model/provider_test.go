package model

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
)

func fails(t *testing.T, err error, code fault.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("%v, want %s", err, code)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%v: lacks %q", err, p)
		}
	}
}

func TestModelNames(t *testing.T) {
	for name, part := range map[string]string{
		"": "no model", "gpt-5": "provider:name", ":x": "provider:name", "openai:": "provider:name", "openai: ": "provider:name",
		"openai:a\nb": "short line", "opnai:x": "did you mean openai", "nonsense:x": "known: anthropic, azure, cerebras, deepseek",
		"openai:" + strings.Repeat("x", 600): "short line",
	} {
		_, err := Open(name, Config{HTTP: &player{}, Env: env(key)})
		fails(t, err, fault.Model, part)
	}
	provider, model, err := Split("openrouter:meta/llama:free")
	if err != nil || provider != "openrouter" || model != "meta/llama:free" {
		t.Fatal(provider, model, err)
	}
}

func TestMissingKeyNamesTheVariable(t *testing.T) {
	for _, p := range Rows() {
		_, err := Open(p.Name+":x", Config{HTTP: &player{}, Env: env(map[string]string{"AZURE_BASE_URL": "https://me.openai.azure.com"})})
		if p.NoKey {
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
			continue
		}
		fails(t, err, fault.Model, p.KeyVar+" is not set")
	}
	if _, err := Open("google:x", Config{HTTP: &player{}, Env: env(map[string]string{"GOOGLE_API_KEY": "k"})}); err != nil {
		t.Error(err)
	}
	_, err := Open("openai:x", Config{HTTP: &player{}, Env: env(map[string]string{"OPENAI_API_KEY": "sk-\nsecret"})})
	fails(t, err, fault.Model, "OPENAI_API_KEY")
	if strings.Contains(err.Error(), "secret") {
		t.Error("the key shows")
	}
	_, err = Open("openai:x", Config{Env: env(key)})
	fails(t, err, fault.Model, "no network")
}

// ask makes one request and returns it.
func ask(t *testing.T, name string, c Config) (*player, error) {
	t.Helper()
	p := &player{behaviour: behaviour{body: []string{eventsOf(text("Hello")), ok("stop")}}}
	c.HTTP = p
	m, err := Open(name, inChat(c))
	if err != nil {
		return p, err
	}
	_, err = m.Generate(context.Background(), request(), nil)
	return p, err
}

func TestWhereRequestsGo(t *testing.T) {
	acme := map[string]Provider{"my-acme": {BaseURL: "http://localhost:9/v1/", Headers: map[string]string{"X-Team": "a"}}}
	for _, c := range []struct {
		name, url, auth string
		config          Config
	}{
		{"openai:m", "https://api.openai.com/v1/chat/completions", "Bearer sk-secret", Config{Env: env(key)}},
		{"openai:m", "http://127.0.0.1:1/v1/chat/completions", "Bearer sk-secret", Config{Env: env(map[string]string{"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1/"})}},
		{"ollama:qwen3", "http://localhost:11434/v1/chat/completions", "", Config{}},
		{"ollama:qwen3", "http://gpu:1/v1/chat/completions", "", Config{Env: env(map[string]string{"OLLAMA_BASE_URL": "http://gpu:1/v1"})}},
		{"my-acme:m", "http://localhost:9/v1/chat/completions", "", Config{Providers: acme}},
		{"my-acme:m", "https://other/chat/completions", "", Config{Providers: acme, Env: env(map[string]string{"MY_ACME_BASE_URL": "https://other"})}},
	} {
		p, err := ask(t, c.name, c.config)
		if err != nil {
			t.Fatal(err)
		}
		req := p.requests[0]
		if req.URL.String() != c.url || req.Header.Get("Authorization") != c.auth {
			t.Errorf("%s goes to %s with %q", c.name, req.URL, req.Header.Get("Authorization"))
		}
		for _, h := range []string{"Cache-Control", "Connection", "Accept", "Openai-Organization"} {
			if req.Header.Get(h) != "" {
				t.Errorf("%s is sent, which strict browsers refuse", h)
			}
		}
		if strings.HasPrefix(c.name, "my-") && req.Header.Get("X-Team") != "a" {
			t.Error("the row's header is missing")
		}
	}
	p, err := ask(t, "anthropic:claude", Config{Env: env(map[string]string{"ANTHROPIC_API_KEY": "k"})})
	fails(t, err, fault.Model, "anthropic sent an empty answer") // ask's answer is in another protocol
	req := p.requests[0]
	if h := req.Header; h.Get("anthropic-dangerous-direct-browser-access") != "true" || h.Get("anthropic-version") != "2023-06-01" || h.Get("X-Api-Key") != "k" || h.Get("Authorization") != "" {
		t.Error("Anthropic's headers are wrong", h)
	}
	if req.URL.String() != "https://api.anthropic.com/v1/messages" {
		t.Error(req.URL)
	}
}

// Azure's current and older addresses are completed, and its key goes in a header of its own.
func TestAzure(t *testing.T) {
	key := map[string]string{"AZURE_API_KEY": "k"}
	for address, want := range map[string]string{
		"https://me.openai.azure.com":                               "https://me.openai.azure.com/openai/v1/chat/completions",
		"https://me.openai.azure.com/openai/v1/":                    "https://me.openai.azure.com/openai/v1/chat/completions",
		"https://me.openai.azure.com/openai/deployments":            "https://me.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21",
		"https://me.openai.azure.com/openai/deployments/other-name": "https://me.openai.azure.com/openai/deployments/other-name/chat/completions?api-version=2024-10-21",
	} {
		for _, variable := range []string{"AZURE_BASE_URL", "AZURE_OPENAI_ENDPOINT"} {
			all := maps.Clone(key)
			all[variable] = address
			p, err := ask(t, "azure:my-gpt", Config{Env: env(all)})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.requests[0]; got.URL.String() != want || got.Header.Get("api-key") != "k" || got.Header.Get("Authorization") != "" {
				t.Errorf("%s: %s %v", address, got.URL, got.Header)
			}
		}
	}
	row := map[string]Provider{"azure": {BaseURL: "https://me.openai.azure.com/openai/deployments", Query: map[string]string{"api-version": "2026-01-01"}, Trusted: true}}
	p, err := ask(t, "azure:my-gpt", Config{Env: env(key), Providers: row})
	if err != nil || p.requests[0].URL.RawQuery != "api-version=2026-01-01" {
		t.Error(err, p.requests)
	}
	_, err = ask(t, "azure:my-gpt", Config{Env: env(key)})
	fails(t, err, fault.Model, "azure has no default address", "AZURE_BASE_URL")
}

// A row that a person adds can have every quirk; a row of the table keeps its own
// quirks too.
func TestQuirksOfAddedRows(t *testing.T) {
	rows := map[string]Provider{
		"acme": {BaseURL: "http://localhost:9/v1", KeyVar: "K", Query: map[string]string{"v": "1 &2"}, Trusted: true, JSON: JSONObject, Quirks: Quirks{
			NoUsage: true, JSONAlone: true, KeyHeader: "X-Key", Carry: []string{"reasoning"}, Settings: map[string]string{"seed": "a.seed", "stop": ""},
		}},
		"google": {Quirks: Quirks{Settings: map[string]string{"seed": ""}}},
	}
	r := request()
	r.Settings = Settings{"seed": js("7"), "stop": js(`["x"]`)}
	r.Messages[2].Kept = &Kept{Provider: "acme", Message: fields{"reasoning": js(`"hm"`)}}
	all := env(map[string]string{"K": "k", "GEMINI_API_KEY": "k"})
	p, err := ask(t, "acme:m", Config{Env: all, Providers: rows})
	if err != nil || p.requests[0].URL.String() != "http://localhost:9/v1/chat/completions?v=1+%262" || p.requests[0].Header.Get("X-Key") != "k" {
		t.Fatal(err, p.requests)
	}
	m := open(t, "acme:m", Config{HTTP: p, Env: all, Providers: rows})
	if _, err := m.Generate(context.Background(), r, nil); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"reasoning":"hm"`, `"a":{"seed":7}`} {
		if !strings.Contains(p.bodies[1], part) {
			t.Errorf("%s lacks %s", p.bodies[1], part)
		}
	}
	if strings.Contains(p.bodies[1], "stream_options") || strings.Contains(p.bodies[1], "stop") || cmp.Diff([]string{"stop"}, Lacking(m, r.Settings)) != "" {
		t.Error(p.bodies[1], Lacking(m, r.Settings))
	}
	if got := (Config{Providers: rows}).Lacking("google:m", Settings{"seed": js("1"), "verbosity": js("1"), "top_p": js("1")}); cmp.Diff([]string{"seed", "verbosity"}, got) != "" {
		t.Error(got)
	}
	if row, _ := builtin("google"); len(row.Quirks.Settings) != 2 || len(row.Quirks.Carry) != 1 {
		t.Error("the table was changed")
	}
}

// The names of settings in a row of the table count only in the row's own protocol. In
// another protocol, the names count that the person or project gave.
func TestSettingsInAnotherProtocol(t *testing.T) {
	for _, c := range []struct {
		provider, api string
		own           map[string]string
		want          string // the members of the request that are settings
		lacks         string
	}{
		{"azure", Responses, nil, "max_output_tokens=9 text.verbosity", "seed"},
		{"azure", Anthropic, nil, "max_tokens=9", "seed verbosity"},
		{"azure", Chat, nil, "max_completion_tokens=9 seed=1 verbosity", ""},
		{"groq", Anthropic, nil, "max_tokens=9", "seed verbosity"},
		{"groq", Anthropic, map[string]string{"max_output_tokens": "most"}, "max_tokens=32000 most=9", "seed verbosity"},
		{"groq", Responses, map[string]string{"verbosity": ""}, "max_output_tokens=9", "seed verbosity"},
		{"mistral", Responses, nil, "max_output_tokens=9 text.verbosity", "seed"},
		{"mistral", "", nil, "max_tokens=9 random_seed=1", "verbosity"},
		{"openai", "", nil, "max_output_tokens=9 text.verbosity", "seed"},
		{"openai", "", map[string]string{"seed": "a.seed"}, "a.seed=1 max_output_tokens=9 text.verbosity", ""},
		{"openai", Chat, nil, "max_completion_tokens=9 seed=1 verbosity", ""},
		{"anthropic", Chat, nil, "max_tokens=9 seed=1 verbosity", ""},
		{"anthropic", "", map[string]string{"max_output_tokens": ""}, "max_tokens=32000", "max_output_tokens seed verbosity"},
	} {
		p := &player{}
		all := env(map[string]string{"AZURE_BASE_URL": "https://me.openai.azure.com", "OPENAI_BASE_URL": " https://api.openai.com/v1 "})
		config := Config{HTTP: p, Env: func(name string) string { return all(name) + key[name] }, Providers: map[string]Provider{c.provider: {API: c.api, Quirks: Quirks{Settings: c.own}}}}
		m, err := Open(c.provider+":m", config)
		if err != nil {
			t.Fatal(err)
		}
		r := request()
		r.Settings = Settings{"max_output_tokens": js("9"), "seed": js("1"), "verbosity": js(`"low"`)}
		_, err = m.Generate(context.Background(), r, nil)
		fails(t, err, fault.Model, "empty answer")
		if got := settingsIn(t, p.bodies[0]); got != c.want {
			t.Errorf("%s %s %v sends %s, want %s", c.provider, c.api, c.own, got, c.want)
		}
		for _, lacks := range [][]string{Lacking(m, r.Settings), config.Lacking(c.provider+":m", r.Settings)} {
			if got := strings.Join(lacks, " "); got != c.lacks {
				t.Errorf("%s %s %v lacks %s, want %s", c.provider, c.api, c.own, got, c.lacks)
			}
		}
	}
}

// settingsIn returns the members of a request that come from settings.
func settingsIn(t *testing.T, body string) string {
	t.Helper()
	var members fields
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		t.Fatal(err)
	}
	var out []string
	for name, value := range members {
		var inner fields
		switch {
		case strings.HasPrefix(name, "max_"), name == "most", strings.HasSuffix(name, "seed"):
			out = append(out, name+"="+string(value))
		case name == "verbosity":
			out = append(out, name)
		case name == "text" || name == "a":
			if json.Unmarshal(value, &inner) == nil && inner["verbosity"] != nil {
				out = append(out, "text.verbosity")
			} else {
				out = append(out, "a.seed="+string(inner["seed"]))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, address := range []string{"api.example.com", "ftp://x/v1", "http://", "https://me:pw@x/v1", "https://x/v1?key=1", "::", "https://x/\x00"} {
		_, err := Open("openai:x", Config{HTTP: &player{}, Env: env(map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": address})})
		fails(t, err, fault.Model, "OPENAI_BASE_URL")
		if strings.Contains(err.Error(), "pw") {
			t.Error("a password shows")
		}
	}
	for _, h := range []map[string]string{{"X\r\nY": "a"}, {"X": "a\nb"}, {"": "a"}, {"Host": "evil"}, {"content-length": "1"}} {
		_, err := Open("x:y", Config{HTTP: &player{}, Providers: map[string]Provider{"x": {BaseURL: "https://x", Headers: h}}})
		fails(t, err, fault.Config, "providers: x")
	}
}

// SPEC §3: a key goes to a host that a manifest chose only after a person agreed.
// Without that the request is refused at once.
func TestKeyToForeignHost(t *testing.T) {
	own := env(map[string]string{"OPENAI_API_KEY": "sk-secret", "ACME_KEY": "k2"})
	rows := map[string]Provider{
		"acme":   {BaseURL: "https://acme.example:8443/v1", KeyVar: "ACME_KEY"},
		"openai": {BaseURL: "https://evil.example/v1"},
		"thief":  {BaseURL: "https://evil.example/v1", KeyVar: "OPENAI_API_KEY"},
		"plain":  {BaseURL: "http://api.openai.com/v1", KeyVar: "OPENAI_API_KEY"},
		"alias":  {BaseURL: "https://API.openai.com/v1", KeyVar: "OPENAI_API_KEY"},
		"free":   {BaseURL: "https://free.example/v1"},
	}
	for _, name := range []string{"acme", "openai", "thief", "plain"} {
		p := &player{behaviour: behaviour{body: []string{eventsOf(text("Hello")), ok("stop")}}}
		m := WithRetry(open(t, name+":m", Config{HTTP: p, Env: own, Providers: rows}), RetryPolicy{}, nil)
		_, err := m.Generate(context.Background(), request(), nil)
		fails(t, err, fault.Trust, "key in", "nobody trusted", "_BASE_URL=")
		if len(p.requests) != 0 {
			t.Fatalf("%s: a request went out", name)
		}
		row := rows[name]
		row.Trusted = true
		if _, err := ask(t, name+":m", Config{Env: own, Providers: map[string]Provider{name: row}}); err != nil {
			t.Errorf("%s, trusted: %v", name, err)
		}
	}
	for _, name := range []string{"alias", "free"} {
		if _, err := ask(t, name+":m", Config{Env: own, Providers: rows}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRowsAreACopy(t *testing.T) {
	r := Rows()
	r[0].Name = "changed"
	for i := range r {
		if r[i].Headers != nil {
			r[i].Headers["x"] = "y"
		}
	}
	if p, known := builtin("anthropic"); !known || len(p.Headers) != 1 || Rows()[0].Name != "openai" {
		t.Fatal("the table can be changed from outside")
	}
}

// A provider that cannot stream is asked for the whole answer, in each protocol, and the
// answer is read.
func TestProvidersWithoutStreams(t *testing.T) {
	for protocol, body := range map[string]string{
		Chat:      reply(`{"role":"assistant","content":"Hello"}`, `"stop"`),
		Anthropic: `{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","usage":{"input_tokens":12,"output_tokens":3}}`,
		Responses: `{"id":"resp_1","object":"response","status":"completed","output":[` + outMessage("Hello") + `],"usage":{"input_tokens":12,"output_tokens":3,"total_tokens":15}}`,
	} {
		p := &player{behaviour: behaviour{header: json1, body: []string{body}}}
		rows := map[string]Provider{"acme": {BaseURL: "http://localhost:9/v1", NoKey: true, Trusted: true, API: protocol, Quirks: Quirks{NoStream: true}}}
		r := request()
		r.Messages[1].Text = `say "stream":true`
		turn, err := open(t, "acme:m", Config{HTTP: p, Providers: rows}).Generate(context.Background(), r, nil)
		if err != nil || turn.Text != "Hello" {
			t.Fatalf("%s: %q %v", protocol, turn.Text, err)
		}
		if sent := p.bodies[0]; strings.Contains(sent, `"stream":true`) || strings.Contains(sent, "stream_options") || protocol != Anthropic && !strings.Contains(sent, `"stream":false`) || !strings.Contains(sent, `say \"stream\":true`) {
			t.Errorf("%s: %s", protocol, sent)
		}
	}
}
