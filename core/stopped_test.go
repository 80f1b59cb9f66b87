package core_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
)

// alternating is an endpoint that wants the roles to alternate. Its answer to a message
// with the word "breaks" fails after some words, to one with "refused" at once.
type alternating struct {
	t     *testing.T
	roles string // of the last request
	body  string
}

func (a *alternating) Do(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(data, &body); err != nil {
		a.t.Error(err)
	}
	a.body, a.roles = string(data), ""
	for i, m := range body.Messages {
		a.roles += m.Role + " "
		if i > 0 && m.Role == body.Messages[i-1].Role {
			a.t.Errorf("the roles do not alternate: %s", data)
		}
	}
	last := body.Messages[len(body.Messages)-1].Content
	last = last[strings.LastIndex(last, "\n")+1:]
	if strings.Contains(last, "refused") {
		return &http.Response{StatusCode: 400, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(`{"error":{"message":"prompt too long"}}`))}, nil
	}
	text := `data: {"choices":[{"index":0,"delta":{"content":"half of an answer"}}]}` + "\n\n" + `data: {"error":{"message":"gone","code":400}}` + "\n\n"
	if !strings.Contains(last, "breaks") {
		text = `data: {"choices":[{"index":0,"delta":{"content":"fine"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// SPEC §5 Cancellation: after turns that failed or were stopped the next request has what
// the person saw, marked, and roles that alternate; so has the conversation in another
// process.
func TestConversationGoesOnAfterAFailure(t *testing.T) {
	kept := state.Memory(sandbox.Memory())
	chat := func(how core.RunOptions, inputs ...string) (*alternating, run.Result) {
		end := &alternating{t: t}
		tree := sandbox.Memory()
		if err := tree.WriteFile("main.worker", []byte("---\nmodel: acme:m\n---\nM.\n")); err != nil {
			t.Fatal(err)
		}
		inst, err := core.Open(core.Platform{
			Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789"},
			Person:       core.Person{Config: []byte("providers: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY}}\n")},
			Site:         core.Site{State: kept, Files: core.Tree{FS: tree}},
			ModelSources: core.ModelSources{HTTP: end},
		}, core.Options{Files: tree, Name: "stopped"})
		if err != nil {
			t.Fatal(err)
		}
		u := always()
		for _, text := range inputs {
			u.Inputs = append(u.Inputs, run.Input{Text: text})
		}
		return end, inst.Chat(t.Context(), nil, u, how)
	}
	check := func(end *alternating, roles string) {
		t.Helper()
		if end.roles != roles {
			t.Errorf("the roles are %s, want %s", end.roles, roles)
		}
		if n := strings.Count(end.body, "half of an answer"); n != 1 || !strings.Contains(end.body, "the answer ended here") {
			t.Errorf("the part that was seen: %s", end.body)
		}
	}
	first, res := chat(core.RunOptions{ID: "20260101-000000-aaaaaa"}, "this is refused", "this breaks off", "go on")
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	check(first, "system user assistant user ")
	second, res := chat(core.RunOptions{Running: options.Running{Resume: new("")}}, "and on")
	if res.Error != nil {
		t.Fatal(res.Error)
	}
	check(second, "system user assistant user assistant user ")
}
