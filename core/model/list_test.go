package model

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/model/prices"
)

// shop is a provider with a list of models: it refuses any other model with
// status and body.
type shop struct {
	list   string
	listed int // the status of the list; 0: 200
	status int
	body   string

	mu    sync.Mutex
	asked []*http.Request // for the list
}

func (s *shop) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		s.mu.Lock()
		s.asked = append(s.asked, r)
		s.mu.Unlock()
		return (&player{behaviour: behaviour{status: s.listed, header: json1, body: []string{s.list}}}).Do(r)
	}
	return (&player{behaviour: behaviour{status: s.status, header: json1, body: []string{s.body}}}).Do(r)
}

// The shapes in which providers list their models.
func TestLists(t *testing.T) {
	for name, c := range map[string]struct {
		provider, list string
		want           []Offer
	}{
		"OpenAI's":       {"openai", `{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"a"}]}`, []Offer{{Name: "openai:a"}, {Name: "openai:b"}}},
		"Anthropic's":    {"anthropic", `{"data":[{"id":"claude-x","type":"model","display_name":"X","max_input_tokens":200000}],"has_more":false}`, []Offer{{Name: "anthropic:claude-x", Context: 200000}}},
		"Google's":       {"google", `{"data":[{"id":"models/gemini-x"}]}`, []Offer{{Name: "google:gemini-x"}}},
		"Groq's":         {"groq", `{"data":[{"id":"m","context_window":131072}]}`, []Offer{{Name: "groq:m", Context: 131072}}},
		"Mistral's":      {"mistral", `{"data":[{"id":"m","max_context_length":32768}]}`, []Offer{{Name: "mistral:m", Context: 32768}}},
		"OpenRouter's":   {"openrouter", `{"data":[{"id":"a/m:free","name":"A: M","context_length":8192,"top_provider":{"context_length":4096}}]}`, []Offer{{Name: "openrouter:a/m:free", Context: 8192}}},
		"Together's":     {"together", `[{"id":"a/m","context_length":8192}]`, []Offer{{Name: "together:a/m", Context: 8192}}},
		"Hugging Face's": {"huggingface", `{"data":[{"id":"a/m","providers":[{"context_length":1024},{"context_length":2048}]}]}`, []Offer{{Name: "huggingface:a/m", Context: 2048}}},
		"names alone":    {"ollama", `{"models":[{"name":"qwen3:latest"}]}`, []Offer{{Name: "ollama:qwen3:latest"}}},
		"hostile names":  {"openai", `{"data":[{"id":"a b"},{"id":"a\u001b[31m"},{"id":"\u202ea"},{"id":""},{"id":7},7,{"id":"sk-secret"},{"id":"` + strings.Repeat("x", 300) + `"},{"id":"good"}]}`, []Offer{{Name: "openai:good"}}},
		"none":           {"openai", `{"data":[]}`, nil},
	} {
		s := &shop{list: c.list}
		got, err := List(context.Background(), c.provider, Config{HTTP: s, Env: env(key)})
		if err != nil || len(got) != len(c.want) || len(got) > 0 && cmp.Diff(c.want, got) != "" {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}

func TestListIsAskedAsRequestsAre(t *testing.T) {
	s := &shop{list: `{"data":[]}`}
	for _, provider := range []string{"openai", "anthropic"} {
		if _, err := List(context.Background(), provider, Config{HTTP: s, Env: env(key)}); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.asked[0]; r.URL.String() != "https://api.openai.com/v1/models" || r.Header.Get("Authorization") != "Bearer sk-secret" {
		t.Error(r.URL, r.Header)
	}
	r := s.asked[1]
	if r.URL.String() != "https://api.anthropic.com/v1/models?limit=1000" || r.Header.Get("X-Api-Key") == "" || r.Header.Get("Anthropic-Version") != anthropicVersion ||
		r.Header.Get("Anthropic-Dangerous-Direct-Browser-Access") != "true" {
		t.Error(r.URL, r.Header)
	}
}

func TestListsThatAreNone(t *testing.T) {
	for part, s := range map[string]*shop{
		"openai does not list its models: it answers with 404":              {listed: 404, list: "no"},
		"openai refused the key in OPENAI_API_KEY (401): [redacted] is bad": {listed: 401, list: `{"error":{"message":"sk-secret is bad"}}`},
		"openai had a server error (500): oops":                             {listed: 500, list: "oops"},
		"openai does not list its models: its answer has no models":         {list: `{"hello":1}`},
		"openai does not list its models: not today":                        {list: `{"error":{"message":"not today"}}`},
		"openai does not list its models: it is longer than":                {list: `{"data":[{"id":"` + strings.Repeat("x", maxList) + `"}]}`},
	} {
		_, err := List(context.Background(), "openai", Config{HTTP: s, Env: env(key)})
		fails(t, err, fault.Model, part)
	}
	for provider, part := range map[string]string{"azure": "azure does not list its models: its models are deployments", "opnai": "did you mean openai"} {
		_, err := List(context.Background(), provider, Config{HTTP: &shop{}, Env: env(key)})
		fails(t, err, fault.Model, part)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := List(ctx, "openai", Config{HTTP: &shop{list: `{"data":[]}`}, Env: env(key)})
	fails(t, err, fault.Interrupted)
	all := make([]string, 2*maxOffers)
	for i := range all {
		all[i] = fmt.Sprintf(`{"id":"m%d"}`, i)
	}
	many, err := List(context.Background(), "openai", Config{HTTP: &shop{list: `{"data":[` + strings.Join(all, ",") + `]}`}, Env: env(key)})
	if err != nil || len(many) != maxOffers {
		t.Error(len(many), err)
	}
}

// An offer also has the context size and the price that golem or the person knows.
func TestAboutAnOffer(t *testing.T) {
	price := prices.Price{Input: usd(t, "0.25"), Output: usd(t, "2"), Cached: usd(t, "0.25"), Written: usd(t, "0.25")}
	cached := price
	cached.Cached = usd(t, "0.025")
	rows := map[string]Provider{"openai": {Models: map[string]Known{"a": {Context: 1000, Price: &price}, "b": {Price: &cached}}}}
	got, err := List(context.Background(), "openai", Config{HTTP: &shop{list: `{"data":[{"id":"a"},{"id":"b","context_window":7},{"id":"c"}]}`}, Env: env(key), Providers: rows})
	want := []Offer{{Name: "openai:a", Context: 1000, Price: &Price{In: "0.25", Out: "2"}}, {Name: "openai:b", Context: 7, Price: &Price{In: "0.25", Cached: "0.025", Out: "2"}}, {Name: "openai:c"}}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Error(got, err)
	}
}

const someModels = `{"data":[{"id":"gpt-5"},{"id":"gpt-5-mini"},{"id":"gpt-5-mini-2025"},{"id":"whisper-1"}]}`

// If the provider does not have a model, the hint names the models that it has,
// whatever its error says.
func TestWrongModelNamesTheNearOnes(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"404": {404, `{"error":{"message":"The model gpt-5-mni does not exist","code":"model_not_found"}}`}, "a code": {400, `{"error":{"message":"no","code":"model_not_found"}}`},
		"Mistral": {400, `{"object":"error","message":"Invalid model: gpt-5-mni","type":"invalid_model","code":"1500"}`}, "DeepSeek": {400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`},
		"OpenRouter": {400, `{"error":{"message":"gpt-5-mni is not a valid model ID","code":400}}`}, "Hugging Face": {400, `{"error":{"message":"The requested model 'gpt-5-mni' does not exist"}}`},
		"Z.ai": {400, `{"error":{"code":"1211","message":"Unknown Model, please check the model code."}}`},
	} {
		s := &shop{list: someModels, status: c.status, body: c.body}
		_, err := open(t, "openai:gpt-5-mni", Config{HTTP: s, Env: env(key)}).Generate(context.Background(), request(), nil)
		f := fault.Of(err, fault.Config)
		if f.Code != fault.Model || !strings.HasPrefix(f.Message, "openai has no model gpt-5-mni (") || !strings.HasPrefix(f.Hint, "did you mean openai:gpt-5-mini") || len(s.asked) != 1 {
			t.Errorf("%s: %v (asked %d times)", name, err, len(s.asked))
		}
	}
}

// golem requests the list once, and only if the provider does not have the model.
func TestListIsAskedForRarely(t *testing.T) {
	for _, s := range []*shop{
		{status: 401, body: `{"error":{"message":"bad key"}}`}, {status: 400, body: `{"error":{"message":"tools are not supported by the model gpt-5-mni"}}`},
		{status: 403, body: `{}`}, {status: 500, body: `{}`}, {status: 400, body: `{"error":{"message":"file a not found"}}`},
	} {
		s.list = someModels
		if _, err := open(t, "openai:gpt-5-mni", Config{HTTP: s, Env: env(key)}).Generate(context.Background(), request(), nil); err == nil || len(s.asked) > 0 {
			t.Errorf("%s: asked %d times, %v", s.body, len(s.asked), err)
		}
	}
	s := &shop{list: someModels, status: 404, body: "{}"}
	m := open(t, "openai:gpt-5-mni", Config{HTTP: s, Env: env(key)})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := m.Generate(context.Background(), request(), nil); !strings.Contains(fmt.Sprint(err), "did you mean") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(s.asked) != 1 {
		t.Errorf("asked %d times", len(s.asked))
	}
	s = &shop{listed: 404, status: 404, body: "{}"}
	_, err := open(t, "openai:gpt-5-mni", Config{HTTP: s, Env: env(key)}).Generate(context.Background(), request(), nil)
	fails(t, err, fault.Model, "openai has no model gpt-5-mni (404)", "check the model's name")
}

func TestNear(t *testing.T) {
	names := []string{"anthropic/claude-opus-5", "anthropic/claude-sonnet-5", "claude-sonnet-5-20260101", "gpt-5", "gpt-5-mini", "gpt-5-nano", "o3"}
	for name, want := range map[string]string{
		"gpt5mini": "gpt-5-mini gpt-5", "gpt-5-mni": "gpt-5-mini gpt-5-nano gpt-5", "claude-sonnet-5": "anthropic/claude-sonnet-5 claude-sonnet-5-20260101",
		"sonnet": "claude-sonnet-5-20260101 anthropic/claude-sonnet-5", "gpt-5-mini-latest": "gpt-5 gpt-5-mini", "llama": "",
	} {
		got := nearNames(name, names)
		slices.Sort(got)
		all := strings.Fields(want)
		slices.Sort(all)
		if !slices.Equal(got, all) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if got := nearNames("gpt-5-mni", names); got[0] != "gpt-5-mini" {
		t.Error(got)
	}
	if got := nearHint("openai", "llama", []Offer{{Name: "a"}, {Name: "b"}}); got != "openai has a, b" {
		t.Error(got)
	}
}

// unreached is the doer of a platform that cannot reach any host.
type unreached struct{ error }

func (u unreached) Do(*http.Request) (*http.Response, error) { return nil, u.error }

// The message of a failure contains the platform's message once, and not the same again
// in golem's words.
func TestUnreachableIsToldOnce(t *testing.T) {
	page := unreached{fault.New(fault.Network, "api.groq.com cannot be reached from this page: Failed to fetch").Hinting("does it allow requests from web pages (CORS)?")}
	for name, c := range map[string]struct {
		doer unreached
		want string
	}{
		"groq:m":   {page, "E_MODEL: api.groq.com cannot be reached from this page: Failed to fetch (does it allow requests from web pages (CORS)?)"},
		"ollama:m": {page, "E_MODEL: api.groq.com cannot be reached from this page: Failed to fetch (is it running? start it with `ollama serve`; does it allow requests from web pages (CORS)?)"},
		"xai:m":    {unreached{&url.Error{Op: "Post", URL: "https://api.x.ai", Err: &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}}, "E_MODEL: cannot reach api.x.ai: connection refused (check the network; if the address is wrong, set XAI_BASE_URL)"},
		"zai:m":    {unreached{&net.OpError{Op: "proxyconnect", Net: "tcp", Err: errors.New("connection refused")}}, "E_MODEL: cannot reach api.z.ai: proxyconnect tcp: connection refused (check the network; if the address is wrong, set ZAI_BASE_URL)"},
		"openai:m": {unreached{&url.Error{Op: "Post", URL: "https://api.openai.com", Err: errors.New("no such host")}}, "E_MODEL: cannot reach api.openai.com: no such host (check the network; if the address is wrong, set OPENAI_BASE_URL)"},
	} {
		_, err := open(t, name, Config{HTTP: c.doer, Env: env(corpusEnv())}).Generate(context.Background(), request(), nil)
		if err == nil || err.Error() != c.want || !failureOf(err).retry {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A provider may list a model that an account cannot use: the hint does not suggest the
// same name again.
func TestModelThatIsListed(t *testing.T) {
	offers := []Offer{{Name: "gpt-5"}, {Name: "gpt-5-mini"}}
	if hint := nearHint("openai", "gpt-5-mini", offers); strings.Contains(hint, "did you mean") || !strings.Contains(hint, "openai lists it") {
		t.Error(hint)
	}
}
