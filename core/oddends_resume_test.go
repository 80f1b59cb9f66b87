package core_test

import (
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

// odd is a provider that refuses images and ends turns without a word. It gives answers
// in order and stores the requests.
type odd struct {
	t       *testing.T
	answers []string // "read FILE", "": an empty end, or a text
	bodies  []string
}

func (o *odd) Do(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	o.bodies = append(o.bodies, string(data))
	answer := func(status int, kind, text string) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Request: r, Body: io.NopCloser(strings.NewReader(text))}, nil
	}
	if strings.Contains(string(data), "data:image/png") {
		return answer(400, "application/json", `{"error":{"message":"invalid image data"}}`)
	}
	if len(o.answers) == 0 {
		o.t.Errorf("one request too many: %s", data)
		o.answers = []string{"too many"}
	}
	say := o.answers[0]
	o.answers = o.answers[1:]
	delta := `{"content":"` + say + `"}`
	if name, ok := strings.CutPrefix(say, "read "); ok {
		delta = `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"` + name + `\"}"}}]}`
	}
	return answer(200, "text/event-stream", `data: {"choices":[{"index":0,"delta":`+delta+`,"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

// A refused image and an empty end leave a conversation that another process continues as
// this one would have: with the line in place of the image, and without asking again.
func TestOddEndsAfterResume(t *testing.T) {
	kept := state.Memory(sandbox.Memory())
	chat := func(how core.RunOptions, answers []string, inputs ...string) *odd {
		end := &odd{t: t, answers: answers}
		tree := sandbox.Memory()
		for name, text := range map[string]string{"main.worker": "---\nmodel: acme:m\ntoolsets: {filesystem: {}}\n---\nM.\n", "a.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a.txt": "text"} {
			if err := tree.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		inst, err := core.Open(core.Platform{
			Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789"},
			Person:       core.Person{Config: []byte("providers: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY, image: true}}\n")},
			Site:         core.Site{State: kept, Files: core.Tree{FS: tree}},
			ModelSources: core.ModelSources{HTTP: end},
		}, core.Options{Files: tree, Name: "odd"})
		if err != nil {
			t.Fatal(err)
		}
		u := always()
		for _, text := range inputs {
			u.Inputs = append(u.Inputs, run.Input{Text: text})
		}
		if res := inst.Chat(t.Context(), nil, u, how); res.Error != nil {
			t.Fatal(res.Error)
		}
		if len(end.answers) > 0 {
			t.Errorf("these answers were not asked for: %q", end.answers)
		}
		return end
	}
	first := chat(core.RunOptions{ID: "20260101-000000-aaaaaa"}, []string{"read /a.png", "I cannot see it", "read /a.txt", "", ""}, "look", "read")
	if n := len(first.bodies); n != 6 || !strings.Contains(first.bodies[1], "data:image/png") || !strings.Contains(first.bodies[2], "the provider refused it") {
		t.Errorf("%d requests: %s", n, strings.Join(first.bodies, "\n"))
	}
	if last := first.bodies[len(first.bodies)-1]; !strings.Contains(last, "You ended your turn without an answer") {
		t.Errorf("it was not asked for an answer: %s", last)
	}
	second := chat(core.RunOptions{Running: options.Running{Resume: new("")}}, []string{"fine"}, "go on")
	if got := second.bodies[0]; len(second.bodies) != 1 || strings.Contains(got, "data:image/png") || strings.Count(got, "the provider refused it") != 1 || strings.Count(got, "You ended your turn") != 1 {
		t.Errorf("%d requests, the first is %s", len(second.bodies), got)
	}
}
