package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/model/modeltest"
	"golem/core/tool"
)

// corpusEnv returns keys and addresses for every row.
func corpusEnv() map[string]string {
	all := map[string]string{"AZURE_BASE_URL": "https://me.openai.azure.com"}
	for _, row := range rows {
		all[row.KeyVar] = "sk-secret"
	}
	return all
}

func corpusModel(t *testing.T, provider string, doer HTTPDoer) Model {
	t.Helper()
	if modeltest.Models[provider] == "" {
		t.Fatalf("core/model/modeltest/corpus.go names no model of %s: add one to Models", provider)
	}
	m, err := Open(provider+":"+modeltest.Models[provider], Config{HTTP: doer, Env: env(corpusEnv())})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func corpus(t *testing.T) []modeltest.Provider {
	t.Helper()
	all, err := modeltest.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every row of the table has its file, which has an answer of each kind or says that
// the provider has none.
func TestCorpusIsWhole(t *testing.T) {
	var names []string
	for _, p := range corpus(t) {
		names = append(names, p.Name)
		has := slices.Clone(p.None)
		for _, a := range p.Answers {
			has = append(has, a.Kind)
		}
		slices.Sort(has)
		if want := slices.Sorted(slices.Values(modeltest.Kinds)); !slices.Equal(has, want) {
			t.Errorf("modeltest/providers/%s.txtar needs each kind once, as an answer or after none: (-want +got)\n%s", p.Name, cmp.Diff(want, has))
		}
	}
	var want []string
	for _, r := range rows {
		want = append(want, r.Name)
	}
	slices.Sort(want)
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("there is no core/model/modeltest/providers/%s.txtar: copy together.txtar", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(want, name) {
			t.Errorf("core/model/modeltest/providers/%s.txtar is of no provider of core/model/rows.go", name)
		}
	}
}

// asWant returns a result in the form of the corpus.
func asWant(turn Turn, err error) modeltest.Want {
	if err != nil {
		f := failureOf(err)
		return modeltest.Want{Error: fault.Of(err, fault.Config).Message, Retry: f != nil && f.retry}
	}
	w := modeltest.Want{Text: turn.Text, Finish: turn.Finish, Reasoned: turn.Reasoning}
	if !turn.Usage.Estimated {
		w.In, w.Cached, w.Out = turn.Usage.In, turn.Usage.Cached, turn.Usage.Out
	}
	for _, c := range turn.Calls {
		w.Calls = append(w.Calls, modeltest.Call{Name: c.Name, Args: c.Args, Invalid: c.Invalid})
	}
	if turn.Kept != nil {
		if w.Kept, err = json.Marshal(turn.Kept); err != nil {
			w.Error = err.Error()
		}
	}
	return w
}

func (a answerPlay) of(t *testing.T, provider string, pieces []string, cut bool) modeltest.Want {
	t.Helper()
	header := map[string]string{}
	for name := range a.Header {
		header[name] = a.Header.Get(name)
	}
	m := corpusModel(t, provider, &player{behaviour: behaviour{status: a.Status, header: header, body: pieces, cut: cut}})
	var thought strings.Builder
	want := asWant(m.Generate(context.Background(), request(), func(d Delta) { thought.WriteString(d.Reasoning) }))
	if want.Error == "" {
		want.Reasoning = thought.String()
	}
	return want
}

type answerPlay struct{ modeltest.Answer }

// Each answer of each provider is read whole, byte by byte, and cut after each event. A
// cut answer is an error after which another attempt can help, or it is the whole
// answer, except for its usage.
func TestCorpus(t *testing.T) {
	for _, p := range corpus(t) {
		for _, one := range p.Answers {
			t.Run(p.Name+"/"+one.Kind, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					a := answerPlay{one}
					got := a.of(t, p.Name, []string{a.Body}, false)
					if blessed(t, p.Name, one.Kind, got) {
						return
					}
					if d := cmp.Diff(one.Want, got); d != "" {
						t.Fatalf("want/%s differs (-want +got; GOLEM_UPDATE=1 writes it):\n%s", one.Kind, d)
					}
					if d := cmp.Diff(one.Want, a.of(t, p.Name, bytesOf(a.Body), false)); d != "" {
						t.Errorf("byte by byte: %s", d)
					}
					if a.Status != http.StatusOK {
						return
					}
					events := a.Events()
					if strings.Join(events, "") != a.Body {
						t.Fatalf("the events are not the body: %q", events)
					}
					for n := range len(events) {
						for _, cut := range []bool{true, false} {
							a.brokenOff(t, p.Name, strings.Join(events[:n], ""), cut)
						}
					}
				})
			})
		}
	}
}

func (a answerPlay) brokenOff(t *testing.T, provider, body string, cut bool) {
	t.Helper()
	got := a.of(t, provider, []string{body}, cut)
	want := a.Want
	switch {
	case got.Error != "" && got.Retry && len(got.Calls) == 0:
		return
	case want.Error != "" && got.Error != "":
		if got.Error == want.Error {
			return
		}
	case got.Error == "":
		got.In, got.Cached, got.Out, got.Reasoned = want.In, want.Cached, want.Out, want.Reasoned
		if cmp.Diff(want, got) == "" {
			return
		}
	}
	t.Errorf("broken off (cut %v) after %q: %+v", cut, body[max(0, len(body)-120):], got)
}

// corpusRequest returns a conversation with everything in which providers differ: two
// calls at once, an image as a result, a message of the person right after it, every
// setting.
func corpusRequest(row Provider, kept *Kept) Request {
	r := Request{
		Worker: "main", Conversation: "c", ID: "0", Turn: 2,
		Messages: []Message{
			{Role: System, Text: "You help."}, {Role: User, Text: "Look"},
			{Role: Assistant, Text: "I look.", Kept: kept, Calls: []Call{{ID: "call00001", Name: "read_file", Args: `{"path":"/a.txt"}`}, {ID: "call00002", Name: "read_file", Args: `{"path":"/b.png"}`}}},
			{Role: ToolRole, CallID: "call00001", Tool: "read_file", Text: "A"},
			{Role: ToolRole, CallID: "call00002", Tool: "read_file", Parts: []Part{{Kind: "image", Name: "b.png", MIME: "image/png", Data: []byte("png")}}},
			{Role: User, Text: "Stop. What is it?"},
		},
		Settings: Settings{},
	}
	if row.Name != "perplexity" { // it accepts no tools
		r.Tools = []tool.Spec{{Name: "read_file", Description: "reads", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}}
	}
	for name, value := range map[string]string{
		"temperature": "0.2", "top_p": "0.9", "max_output_tokens": "4000", "reasoning_effort": `"low"`, "seed": "7", "stop": `["END"]`,
		"parallel_tool_calls": "false", "service_tier": `"auto"`, "verbosity": `"low"`, "extra": `{"user":"me"}`,
	} {
		r.Settings[name] = json.RawMessage(value)
	}
	return r
}

// The request to each provider is the one in its file.
func TestCorpusRequests(t *testing.T) {
	for _, p := range corpus(t) {
		row, _ := builtin(p.Name)
		got := &player{behaviour: behaviour{status: 400}}
		_, err := corpusModel(t, p.Name, got).Generate(context.Background(), corpusRequest(row, nil), nil)
		if err == nil || len(got.requests) != 1 {
			t.Fatal(p.Name, err)
		}
		sent := modeltest.Sent(got.requests[0], []byte(got.bodies[0]))
		if !blessed(t, p.Name, "", sent) && sent != p.Request {
			t.Errorf("modeltest/providers/%s.txtar has another request (-want +got; GOLEM_UPDATE=1 writes it): %s", p.Name, cmp.Diff(p.Request, sent))
		}
	}
}

// refuses says where a refusal of modeltest.Refuse comes from.
const refuses = "modeltest/refuse.go says which members the provider knows; a setting that it lacks is in the quirks of core/model/rows.go"

// A conversation works with each provider, although modeltest.Refuse is as strict as
// the real one: it answers with thoughts and calls, requires them back, and refuses
// what it does not know.
func TestCorpusConversations(t *testing.T) {
	for _, p := range corpus(t) {
		row, _ := builtin(p.Name)
		for _, first := range p.Answers {
			if first.Kind != "reasoning" && first.Kind != "calls" && first.Kind != "text" {
				continue
			}
			fake := &strictly{provider: p.Name, answer: first}
			m := corpusModel(t, p.Name, fake)
			r := corpusRequest(row, nil)
			r.Messages, r.Settings = r.Messages[:2], nil
			for turn := range 3 {
				got, err := m.Generate(context.Background(), r, nil)
				if err != nil {
					t.Errorf("%s, %s, turn %d: %v (%s)", p.Name, first.Kind, turn, err, refuses)
					break
				}
				r.Messages = append(slices.Clone(r.Messages), Message{Role: Assistant, Text: got.Text, Calls: got.Calls, Kept: got.Kept})
				for _, c := range got.Calls {
					r.Messages = append(r.Messages, Message{Role: ToolRole, CallID: c.ID, Tool: c.Name, Text: "A"})
				}
				if turn == 1 || len(got.Calls) == 0 {
					r.Messages = append(r.Messages, Message{Role: User, Text: "Go on."})
				}
			}
		}
		// A conversation that began with another provider, with settings.
		r := corpusRequest(row, &Kept{Provider: "another", Message: fields{"reasoning_content": json.RawMessage(`"hm"`)}})
		delete(r.Settings, "extra")
		if p.Name == "perplexity" { // it accepts no tools and no calls in the history
			continue
		}
		fake := &strictly{provider: p.Name, answer: p.Answers[0]}
		if _, err := corpusModel(t, p.Name, fake).Generate(context.Background(), r, nil); err != nil {
			t.Errorf("%s, after another provider: %v (%s)", p.Name, err, refuses)
		}
	}
}

// strictly is a doer that gives its answer to a request that the provider does not refuse.
type strictly struct {
	provider string
	answer   modeltest.Answer
	body     string // of the last request
}

func (s *strictly) Do(r *http.Request) (*http.Response, error) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		return nil, err
	}
	s.body = body.String()
	if status, said := modeltest.Refuse(s.provider, r, body.Bytes()); said != "" {
		refusal := fmt.Sprintf(`{"error":{"message":%q}}`, said)
		return (&player{behaviour: behaviour{status: status, body: []string{refusal}}}).Do(r.Clone(r.Context()))
	}
	again := r.Clone(r.Context())
	again.Body = nil
	return (&player{behaviour: behaviour{body: []string{s.answer.Body}}}).Do(again)
}
