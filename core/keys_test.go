package core_test

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/ui"
)

// endpoint is a provider that answers every request with one word. It counts the requests and
// keeps the last one.
type endpoint struct {
	requests atomic.Int32
	mu       sync.Mutex
	last     *http.Request
}

func (e *endpoint) Do(r *http.Request) (*http.Response, error) {
	e.requests.Add(1)
	e.mu.Lock()
	e.last = r
	e.mu.Unlock()
	body := `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	if strings.HasSuffix(r.URL.Path, "/responses") {
		body = `data: {"type":"response.output_text.delta","delta":"hi"}` + "\n\n" + `data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// memoryTrust is a trust file in memory.
type memoryTrust struct{ data []byte }

func (m *memoryTrust) Read() ([]byte, error) { return m.data, nil }

func (m *memoryTrust) Change(change func([]byte) ([]byte, error)) error {
	data, err := change(m.data)
	if err == nil {
		m.data = data
	}
	return err
}

// clone is a project of somebody else, as a person has it after cloning it.
type clone struct {
	endpoint endpoint
	trust    memoryTrust
	person   *asker
	manifest string
	limits   string // in the manifest; "": limits that a busy machine does not reach
	dotenv   map[string]string
	env      map[string]string
	config   string
	options  core.Options
	trace    bytes.Buffer
}

// asker gives the same answer to every question, after a time.
type asker struct {
	ui.Script
	answer approval.Answer // "": nobody can be asked
	after  time.Duration
	before func()
}

func (a *asker) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	d, err := a.Script.Approve(ctx, r)
	if a.answer == "" {
		return d, err
	}
	if a.before != nil {
		a.before()
	}
	time.Sleep(a.after)
	return approval.Decision{ID: r.ID, Answer: a.answer}, nil
}

func (c *clone) run(t *testing.T) run.Result {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range map[string]string{
		"project.yaml": "model: acme:m\nlimits: {" + cmp.Or(c.limits, "model_timeout: 10m") + "}\n" + c.manifest,
		"main.worker":  "---\n---\nAnswer.\n",
	} {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"ACME_KEY": "secret-0123456789"}
	maps.Copy(env, c.env)
	o := c.options
	o.Files, o.Name = tree, "clone"
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Env: env,
		Person:       core.Person{Config: []byte(c.config), Trust: &c.trust},
		Site:         core.Site{DotEnv: c.dotenv, TrustKey: "/clone", Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{HTTP: &c.endpoint},
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.person == nil {
		c.person = &asker{}
	}
	c.trace.Reset()
	return inst.Run(t.Context(), run.Input{Text: "go"}, c.person, core.RunOptions{Trace: &c.trace})
}

const acme = "providers: {acme: {base_url: \"https://acme.example/v1\", api_key_env: ACME_KEY, headers: {X-Tool: web-search-on}}}\n"

// Scenario 44: the time that a person needs for a question about trust counts against no
// timeout of the model or the worker, and no request is sent before the yes.
func TestTrustingAProviderCountsAgainstNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clone{manifest: acme, limits: "model_timeout: 200ms, worker_timeout: 500ms"}
		c.person = &asker{answer: approval.Yes, after: time.Hour, before: func() {
			if n := c.endpoint.requests.Load(); n != 0 {
				t.Errorf("%d requests before the answer", n)
			}
		}}
		if res := c.run(t); res.Status != run.OK || res.Output.Text != "hi" {
			t.Fatal(res.Status, res.Error)
		}
		if len(c.person.Asked()) != 1 {
			t.Errorf("asked %d times", len(c.person.Asked()))
		}
	})
}

// SPEC §3, SECURITY 17: no request is sent to a provider that a project configures until a
// person has trusted each line of its configuration. The yes is kept for these lines.
func TestAProjectsProviderNeedsTrust(t *testing.T) {
	c := &clone{manifest: acme}
	res := c.run(t)
	if res.Error == nil || res.Error.Code != fault.Trust || res.Exit() != 3 || c.endpoint.requests.Load() != 0 {
		t.Fatalf("nobody there: %+v, %d requests", res.Error, c.endpoint.requests.Load())
	}
	c.person = &asker{answer: approval.No}
	if res := c.run(t); res.Error == nil || res.Error.Code != fault.Trust || res.Exit() != 1 || c.endpoint.requests.Load() != 0 || len(c.trust.data) > 0 {
		t.Fatalf("no: %+v", res)
	}
	c.person = &asker{answer: approval.Yes}
	if res := c.run(t); res.Status != run.OK {
		t.Fatal(res.Error)
	}
	q := c.person.Asked()[0]
	var lines []string
	for _, l := range q.Lines {
		lines = append(lines, l.Where+" "+l.Path+" "+l.Value)
	}
	text := strings.Join(lines, "\n")
	if q.Kind != approval.KindTrust || len(q.Lines) != 3 || !strings.Contains(text, "project.yaml:3 providers.acme.base_url https://acme.example/v1") ||
		!strings.Contains(text, "providers.acme.api_key_env ACME_KEY") || strings.Contains(text, "web-search-on") {
		t.Errorf("asked:\n%s", text)
	}
	c.person = &asker{}
	if res := c.run(t); res.Status != run.OK || len(c.person.Asked()) != 0 {
		t.Fatalf("a kept yes: %+v, asked %d", res.Error, len(c.person.Asked()))
	}
	c.manifest = strings.Replace(acme, "web-search-on", "files-search-on", 1)
	if res := c.run(t); res.Error == nil || res.Error.Code != fault.Trust || len(c.person.Asked()[0].Lines) != 1 {
		t.Fatalf("a changed header: %+v, %+v", res.Error, c.person.Asked())
	}
	if strings.Contains(c.trace.String(), "files-search-on") {
		t.Error("a header's value is in the trace")
	}
}

// There is no question about settings of the person: an address in the environment, rows of
// config.yaml, --trust, trust: true. There is none about the built-in address of a provider.
func TestAPersonsProviderNeedsNoTrust(t *testing.T) {
	for name, c := range map[string]*clone{
		"--trust":          {manifest: acme, options: core.Options{Opening: options.Opening{Trust: true}}},
		"trust: true":      {manifest: acme, config: "projects: {/clone: {trust: true}}"},
		"own row":          {config: "providers: {acme: {base_url: \"https://acme.example/v1\", api_key_env: ACME_KEY, headers: {X: abcdefgh}}}"},
		"own address":      {manifest: "providers: {acme: {base_url: \"https://evil.example/v1\"}}\n", env: map[string]string{"ACME_BASE_URL": "https://acme.example/v1"}},
		"built-in address": {manifest: "providers: {openai: {base_url: \"https://api.openai.com/v1/\", image: true}}\n", env: map[string]string{"OPENAI_API_KEY": "sk-0123456789"}, options: core.Options{Opening: options.Opening{Model: "openai:m"}}},
	} {
		res := c.run(t)
		if res.Status != run.OK || len(c.person.Asked()) != 0 {
			t.Errorf("%s: %v, asked %d", name, res.Error, len(c.person.Asked()))
			continue
		}
		if host := c.endpoint.last.URL.Host; host != "acme.example" && host != "api.openai.com" {
			t.Errorf("%s: the request went to %s", name, host)
		}
	}
}

// A key in the project's .env needs trust, because it may be somebody else's, who could read the
// prompts that are sent with it. A key in the environment wins over it.
func TestAKeyOfDotEnvNeedsTrust(t *testing.T) {
	c := &clone{dotenv: map[string]string{"OPENAI_API_KEY": "sk-attacker-0123456789"}, options: core.Options{Opening: options.Opening{Model: "openai:m"}}}
	res := c.run(t)
	if res.Error == nil || res.Error.Code != fault.Trust || c.endpoint.requests.Load() != 0 {
		t.Fatalf("%+v", res.Error)
	}
	if want := "the key OPENAI_API_KEY in .env is not used: nobody trusted it"; res.Error.Message != want || !strings.Contains(res.Error.Hint, "golem login") {
		t.Errorf("%v (%s), want %s", res.Error, res.Error.Hint, want)
	}
	if strings.Contains(c.trace.String(), "attacker") {
		t.Error("the key is in the trace")
	}
	c.person = &asker{answer: approval.Yes}
	if res := c.run(t); res.Status != run.OK || c.endpoint.last.Header.Get("Authorization") != "Bearer sk-attacker-0123456789" {
		t.Fatalf("%+v", res.Error)
	}
	c.person = &asker{}
	c.dotenv = map[string]string{"OPENAI_API_KEY": "sk-another-0123456789"}
	if res := c.run(t); res.Error == nil || res.Error.Code != fault.Trust {
		t.Fatalf("another key: %+v", res.Error)
	}
	c.env = map[string]string{"OPENAI_API_KEY": "sk-mine-0123456789"}
	if res := c.run(t); res.Status != run.OK || c.endpoint.last.Header.Get("Authorization") != "Bearer sk-mine-0123456789" {
		t.Fatalf("the environment wins: %+v", res.Error)
	}
}

// W4: a key in a clone's .env needs trust for a provider of every origin, whichever row
// names the variable, and golem trust lists it.
func TestAKeyOfDotEnvNeedsTrustForEveryRow(t *testing.T) {
	const key = "sk-attacker-0123456789"
	for name, c := range map[string]*clone{
		"a person's own row":             {config: "providers: {acme: {base_url: \"https://acme.example/v1\", api_key_env: OWN_KEY}}", dotenv: map[string]string{"OWN_KEY": key}},
		"a person's key of a built-in":   {config: "providers: {openai: {api_key_env: OWN_KEY}}", dotenv: map[string]string{"OWN_KEY": key}, options: core.Options{Opening: options.Opening{Model: "openai:m"}}},
		"a person's built-in, its key":   {config: "providers: {openai: {headers: {X: abcdefgh}}}", dotenv: map[string]string{"OPENAI_API_KEY": key}, options: core.Options{Opening: options.Opening{Model: "openai:m"}}},
		"the manifest's row":             {manifest: "providers: {acme: {base_url: \"https://acme.example/v1\", api_key_env: OWN_KEY}}\n", dotenv: map[string]string{"OWN_KEY": key}},
		"the manifest over the person's": {config: "providers: {acme: {base_url: \"https://acme.example/v1\"}}", manifest: "providers: {acme: {api_key_env: OWN_TOKEN}}\n", dotenv: map[string]string{"OWN_TOKEN": key}},
		"golem's other name of a key":    {dotenv: map[string]string{"GOOGLE_API_KEY": key}, options: core.Options{Opening: options.Opening{Model: "google:m"}}},
		"golem's name of a key":          {dotenv: map[string]string{"GEMINI_API_KEY": key}, options: core.Options{Opening: options.Opening{Model: "google:m"}}},
	} {
		if res := c.run(t); res.Error == nil || res.Error.Code != fault.Trust || c.endpoint.requests.Load() != 0 {
			t.Errorf("%s: %v, %d requests", name, res.Error, c.endpoint.requests.Load())
			continue
		}
		asked := c.person.Asked()
		if len(asked) != 1 || !slices.ContainsFunc(asked[0].Lines, func(l approval.Line) bool { return l.Where == ".env" }) {
			t.Errorf("%s: asked %+v", name, asked)
		}
		c.person = &asker{answer: approval.Yes}
		if res := c.run(t); res.Status != run.OK {
			t.Errorf("%s: trusted: %v", name, res.Error)
		}
	}
}

// With --deny-all nobody is asked and nothing is trusted. The same holds for trust: false in the
// person's config.
func TestNothingIsAskedUnderDenyAll(t *testing.T) {
	for name, c := range map[string]*clone{
		"deny-all":     {manifest: acme, options: core.Options{Opening: options.Opening{Approval: "auto_deny"}}},
		"trust: false": {manifest: acme, config: "projects: {/clone: {trust: false}}"},
	} {
		c.person = &asker{answer: approval.Yes}
		if res := c.run(t); res.Error == nil || res.Error.Code != fault.Trust || len(c.person.Asked()) != 0 || c.endpoint.requests.Load() != 0 {
			t.Errorf("%s: %+v, asked %d", name, res.Error, len(c.person.Asked()))
		}
	}
}

// The trace lists what --trust covered, and secrets in that list are redacted.
func TestTrustIsTraced(t *testing.T) {
	c := &clone{manifest: acme, options: core.Options{Opening: options.Opening{Trust: true}}}
	c.run(t)
	_, events, err := trace.Read(bytes.NewReader(c.trace.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	var said int
	for _, e := range events {
		if w, ok := e.Body.(trace.Warning); ok && w.Code == fault.Trust && strings.HasPrefix(w.Message, "trusted for this run: project.yaml:3: providers.acme.") {
			said++
		}
	}
	if said != 3 {
		t.Errorf("%d lines in the trace:\n%s", said, c.trace.String())
	}
}
