package core_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
)

// billed is a provider that bills 1,000 tokens for each request and gives the answers of
// says in order.
type billed struct {
	t     *testing.T
	says  []string // "": the answer fails; "child": it calls the worker child
	asked int
}

func (b *billed) Do(r *http.Request) (*http.Response, error) {
	if b.asked++; b.asked > len(b.says) {
		b.t.Error("one request too many")
		b.asked = len(b.says)
	}
	text := ""
	switch say := b.says[b.asked-1]; say {
	case "":
	case "child":
		text = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"child","arguments":"{\"input\":\"a\"}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n"
	default:
		text = `data: {"choices":[{"index":0,"delta":{"content":"` + say + `"},"finish_reason":"stop"}]}` + "\n\n"
	}
	text += `data: {"choices":[],"usage":{"prompt_tokens":1000,"completion_tokens":0,"total_tokens":1000}}` + "\n\n"
	if b.says[b.asked-1] == "" {
		text += `data: {"error":{"message":"refused","code":400}}` + "\n\n"
	}
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(text + "data: [DONE]\n\n")),
	}, nil
}

// S0-58, scenario 53: what a provider bills for an answer that failed counts against
// limits.cost after a resume too, and in the list of conversations.
func TestFailedAnswersCostAfterResume(t *testing.T) {
	for what, c := range map[string]struct {
		limit         string
		before, after []string // what the provider says before and after the resume
		used          string
	}{
		"the worker's own answer": {"0.003", []string{""}, []string{"two"}, "$0.004"},
		"a child's answer":        {"0.005", []string{"child", "", "one"}, nil, "$0.006"},
	} {
		kept := state.Memory(sandbox.Memory())
		first := chatBilled(t, kept, c.limit, c.before, core.RunOptions{ID: "20260101-000000-aaaaaa"}, "one")
		res := chatBilled(t, kept, c.limit, c.after, core.RunOptions{Running: options.Running{Resume: new("")}}, "two", "three")
		if want := "main has used " + c.used + " of its $" + c.limit; res.Error == nil || !strings.Contains(res.Error.Error(), want) {
			t.Errorf("%s: first %v, then %v %q; want %s", what, first.Error, res.Error, res.Output.Text, want)
		}
		if list := conversation.List(&kept); len(list) != 1 || list[0].Usage.Cost.Text() != c.used {
			t.Errorf("%s: the list: %+v", what, list)
		}
	}
}

// chatBilled sends the inputs to a worker with a limit on cost, whose provider says says.
func chatBilled(t *testing.T, kept state.Store, limit string, says []string, how core.RunOptions, inputs ...string) run.Result {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range map[string]string{
		"main.worker":          "---\nmodel_settings: {max_output_tokens: 10}\nlimits: {cost: " + limit + "}\nallow_workers: [child]\n---\nM.\n",
		"workers/child.worker": "---\nmodel_settings: {max_output_tokens: 10}\n---\nC.\n",
	} {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789"},
		Person:       core.Person{Config: []byte("providers: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY, models: {m: {price: {input: 2, output: 10}}}}}\n")},
		Site:         core.Site{State: kept, Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{HTTP: &billed{t: t, says: says}},
	}, core.Options{Files: tree, Name: "cost", Opening: options.Opening{Model: "acme:m"}})
	if err != nil {
		t.Fatal(err)
	}
	u := always()
	for _, text := range inputs {
		u.Inputs = append(u.Inputs, run.Input{Text: text})
	}
	return inst.Chat(t.Context(), nil, u, how)
}
