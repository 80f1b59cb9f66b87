package main

import (
	"encoding/json"
	"strings"
	"syscall/js"
	"testing"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/model/modeltest"
)

// TestModelsThroughFetch reads the corpus of all providers through the browser's fetch, in
// small pieces: each answer gives the same result as natively. engine_native_test.go serves
// the corpus.
func TestModelsThroughFetch(t *testing.T) {
	server := js.Global().Get("corpusServer")
	if server.Type() != js.TypeString {
		t.Fatal("nobody serves the corpus")
	}
	all, err := modeltest.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, a := range p.Answers {
			a.Want.Retry = false // which only package model sees
			got, err := generated(t, p.Name, server.String()+"/"+p.Name+"/"+a.Kind)
			if err != nil {
				got = modeltest.Want{Error: fault.Of(err, fault.Config).Message}
			}
			if d := cmp.Diff(a.Want, got); d != "" {
				t.Errorf("%s, %s: %s", p.Name, a.Kind, d)
			}
		}
	}
}

func generated(t *testing.T, provider, address string) (modeltest.Want, error) {
	row := model.Provider{BaseURL: address, Trusted: true}
	if provider == "openai" {
		row.API = model.Responses // for other addresses than OpenAI's golem uses another API
	}
	m, err := model.Open(provider+":"+modeltest.Models[provider], model.Config{
		HTTP: fetcher{}, Providers: map[string]model.Provider{provider: row},
		Env: func(name string) string {
			if name == model.BaseURLVar(provider) || name == "AZURE_OPENAI_ENDPOINT" {
				return ""
			}
			return "sk-secret"
		},
	})
	if err != nil {
		return modeltest.Want{}, err
	}
	var thought strings.Builder
	turn, err := m.Generate(t.Context(), model.Request{Messages: []model.Message{{Role: model.User, Text: "Look"}}}, func(d model.Delta) { thought.WriteString(d.Reasoning) })
	if err != nil {
		return modeltest.Want{}, err
	}
	w := modeltest.Want{Text: turn.Text, Finish: turn.Finish, Reasoning: thought.String(), Reasoned: turn.Reasoning}
	if !turn.Usage.Estimated {
		w.In, w.Cached, w.Out = turn.Usage.In, turn.Usage.Cached, turn.Usage.Out
	}
	for _, c := range turn.Calls {
		w.Calls = append(w.Calls, modeltest.Call{Name: c.Name, Args: c.Args, Invalid: c.Invalid})
	}
	if turn.Kept != nil {
		w.Kept, err = json.Marshal(turn.Kept)
	}
	return w, err
}
