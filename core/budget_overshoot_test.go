package core_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/money"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/ui"
)

// meter is a provider that takes a second for each request and bills it: in and out
// tokens, at $2 and $10 a million. To the worker main it answers with calls.
type meter struct {
	in, out int
	breaks  bool // every answer breaks off after its usage
	silent  bool // it never says what it bills
	calls   int  // of the worker child in the first answer of main

	mu       *sync.Mutex
	requests int
	billed   money.USD
	together int // requests under way
	most     int // of them at once
	late     int // requests whose time was over before the answer came
}

func (m *meter) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	text := string(body)
	main := m.calls > 0 && strings.Contains(text, "You are main")
	m.mu.Lock()
	m.requests++
	m.together++
	m.most = max(m.most, m.together)
	if !main {
		m.billed += money.USD(0).Plus(dollars("2").Of(m.in)).Plus(dollars("10").Of(m.out))
	}
	m.mu.Unlock()
	time.Sleep(time.Second)
	m.mu.Lock()
	m.together--
	if r.Context().Err() != nil {
		m.late++
	}
	m.mu.Unlock()
	var says strings.Builder
	in, out := m.in, m.out
	switch {
	case main && !strings.Contains(text, `"role":"tool"`):
		for i := range m.calls {
			fmt.Fprintf(&says, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"c%d","type":"function","function":{"name":"child","arguments":"{\"input\":\"%d\"}"}}]}}]}`+"\n\n", i, i, i)
		}
		says.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n")
		in, out = 0, 1
	default:
		says.WriteString(`data: {"choices":[{"index":0,"delta":{"content":"some words"}}]}` + "\n\n")
		if !m.breaks {
			says.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n")
		}
	}
	if !m.silent {
		fmt.Fprintf(&says, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`+"\n\n", in, out, in+out)
	}
	if !m.breaks {
		says.WriteString("data: [DONE]\n\n")
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: io.NopCloser(strings.NewReader(says.String()))}, nil
}

// dollars returns an amount, or the price of a million tokens.
func dollars(million string) money.USD {
	d, err := money.Parse(million, 1000)
	if err != nil {
		panic(err)
	}
	return d
}

// Walls X5: a limit on cost or tokens stops repetitions, lists of models and children
// that run beside each other. What a run may spend beyond its limit is what one
// request was billed beyond what was reserved for it (docs/models/cost.md says so).
func TestOvershootOfALimit(t *testing.T) {
	const huge, answer = 100_000, 500
	for _, c := range []struct {
		name     string
		meter    meter
		head     string // of main
		requests int    // at most
		billed   string // at most
		code     string
	}{
		{"ten attempts of an answer that breaks off", meter{in: 15_000, out: huge, breaks: true}, "limits: {cost: 0.02}\nretry: {attempts: 10}", 1, "1.04", "E_BUDGET"},
		{"a list of models", meter{in: 15_000, out: huge, breaks: true}, "limits: {cost: 0.02}\nmodel: [acme:m, acme:n, acme:o]", 1, "1.04", "E_BUDGET"},
		{"small answers that break off", meter{in: 100, out: answer, breaks: true}, "limits: {cost: 0.02}\nretry: {attempts: 10}", 2, "0.02", "E_BUDGET"},
		{"200 children with huge answers", meter{in: 100, out: huge, calls: 200}, "limits: {cost: 0.02, turns: 1000}\nallow_workers: [child]\ndelegation: {parallel: 200}", 2, "1.01", "E_BUDGET"},
		{"200 children", meter{in: 100, out: answer, calls: 200}, "limits: {cost: 0.08, turns: 1000}\nallow_workers: [child]\ndelegation: {parallel: 200}", 200, "0.08", "E_BUDGET"},
		{"200 children and a limit on tokens", meter{in: 100, out: answer, calls: 200}, "limits: {tokens: 30_000, turns: 1000}\nallow_workers: [child]\ndelegation: {parallel: 200}", 200, "0.30", "E_BUDGET"},
		{"200 children that fit", meter{in: 10, out: 10, calls: 200}, "limits: {cost: 1, turns: 1000}\nallow_workers: [child]\ndelegation: {parallel: 200}", 202, "1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := c.meter
				res := spending(t, &m, c.head, "retry: {attempts: 10}\ndelegation: {parallel: 200}\n")
				most := dollars(c.billed)
				t.Logf("%d requests, %d at once, billed %s", m.requests, m.most, m.billed.Text())
				if m.requests > c.requests || m.billed > most {
					t.Errorf("%d requests, want at most %d; billed %s, want at most %s", m.requests, c.requests, m.billed.Text(), c.billed)
				}
				if m.late > 0 {
					t.Errorf("%d requests had no time left", m.late)
				}
				if (c.code == "") != (res.Error == nil) || c.code != "" && !strings.Contains(res.Error.Error(), c.code) {
					t.Errorf("the run ended with %v", res.Error)
				}
			})
		})
	}
}

// spending runs main with the given front matter, whose provider is m.
func spending(t *testing.T, m *meter, head, config string) run.Result {
	t.Helper()
	m.mu = new(sync.Mutex)
	tree := sandbox.Memory()
	project := "name: p\n"
	if m.calls > 0 { // a request takes 1s; waiting for others does not count
		project = "limits: {model_timeout: 1500ms}\n"
	}
	for name, text := range map[string]string{
		"project.yaml":         project,
		"main.worker":          "---\nmodel: acme:m\n" + strings.TrimPrefix(head, "model: acme:m\n") + "\n---\nYou are main.\n",
		"workers/child.worker": "---\nmodel: acme:m\ndescription: C\n---\nC.\n",
	} {
		if strings.Contains(head, "model: [") {
			text = strings.Replace(text, "model: acme:m\n", "", 1)
		}
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789"},
		Person:       core.Person{Config: []byte("providers: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY, models: {'*': {price: {input: 2, output: 10}}}}}\n" + config)},
		Site:         core.Site{Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{HTTP: m},
	}, core.Options{Files: tree, Name: "cost"})
	if err != nil {
		t.Fatal(err)
	}
	return inst.Run(t.Context(), run.Input{Text: "x"}, &ui.Script{}, core.RunOptions{})
}

// Without a word of the person, a project gets at most five attempts and 32 calls side
// by side, whatever it asks for.
func TestCeilingsOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := meter{in: 10, out: 10, breaks: true}
		spending(t, &m, "retry: {attempts: 10}", "")
		if m.requests != 5 {
			t.Errorf("%d attempts", m.requests)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		m := meter{in: 10, out: 10, calls: 200}
		spending(t, &m, "limits: {turns: 1000}\nallow_workers: [child]\ndelegation: {parallel: 200}", "")
		if m.requests != 202 || m.most != 32 {
			t.Errorf("%d requests, %d at once", m.requests, m.most)
		}
	})
}
