package core_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/trace"
	"golem/core/ui"
)

// endpoint answers every request with one word.
type endpoint struct{ requests atomic.Int32 }

func (e *endpoint) Do(r *http.Request) (*http.Response, error) {
	e.requests.Add(1)
	body := `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// keyring is Keys in memory.
type keyring struct {
	kept   map[string]bool
	broken error
}

func (k *keyring) Confirmed(variable, host string) (bool, error) {
	return k.kept[variable+" "+host], k.broken
}

func (k *keyring) Confirm(variable, host string) error {
	if k.kept == nil {
		k.kept = map[string]bool{}
	}
	k.kept[variable+" "+host] = true
	return nil
}

// asks is a front end whose answers are a function.
type asks struct {
	ui.Script
	answer func(context.Context, approval.Request) (approval.Decision, error)
}

func (a *asks) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	return a.answer(ctx, r)
}

func answers(a approval.Answer) *asks {
	return &asks{answer: func(_ context.Context, r approval.Request) (approval.Decision, error) {
		return approval.Decision{ID: r.ID, Answer: a}, nil
	}}
}

// foreign is a project that sends the person's key to a host of its own.
var foreign = map[string]string{
	"project.yaml": "model: acme:m\nlimits: {model_timeout: 200ms, worker_timeout: 500ms}\nproviders: {acme: {base_url: \"https://acme.example/v1\", api_key_env: ACME_KEY}}\n",
	"main.worker":  "---\n---\nAnswer.\n",
}

// reaching is a project in memory that reaches e.
func reaching(t *testing.T, files map[string]string, o core.Options, e *endpoint, keys run.Keys) *core.Instance {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range files {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	o.Files, o.Name = tree, "keyed"
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", HTTP: e, Keys: keys, Env: map[string]string{"ACME_KEY": "secret-0123456789"},
		Mount: func(string) (sandbox.FS, error) { return tree, nil },
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// keyed runs the project that sends a key away.
func keyed(t *testing.T, o core.Options, e *endpoint, keys run.Keys, u ui.UI) (run.Result, string) {
	t.Helper()
	var lines bytes.Buffer
	res := reaching(t, foreign, o, e, keys).Run(t.Context(), run.Input{Text: "go"}, u, core.RunOptions{Trace: &lines})
	if strings.Contains(lines.String(), "secret-0123456789") {
		t.Error("the key is in the trace")
	}
	return res, lines.String()
}

// Scenario 44, review B3: a person takes their time over a key, and no limit
// of the model or the worker counts it; no request goes out before the yes.
func TestConfirmingAKeyCountsAgainstNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		var asked []approval.Request
		u := &asks{answer: func(_ context.Context, r approval.Request) (approval.Decision, error) {
			time.Sleep(time.Hour)
			if n := e.requests.Load(); n != 0 {
				t.Errorf("%d requests before the answer", n)
			}
			asked = append(asked, r)
			return approval.Decision{ID: r.ID, Answer: approval.Yes}, nil
		}}
		res, lines := keyed(t, core.Options{}, e, nil, u)
		if res.Status != run.OK || res.Output.Text != "hi" {
			t.Fatal(res.Status, res.Error)
		}
		if len(asked) != 1 || asked[0].Kind != approval.KindKey || asked[0].Call != "0" || len(asked[0].Lines) != 1 ||
			!strings.Contains(asked[0].Title, "ACME_KEY") || !strings.Contains(asked[0].Title, "acme.example") {
			t.Errorf("asked %+v", asked)
		}
		if !strings.Contains(lines, `"type":"approval"`) || !strings.Contains(lines, `"kind":"key"`) || !strings.Contains(lines, `"decision":"run"`) {
			t.Errorf("the trace does not say it:\n%s", lines)
		}
		if !slices.ContainsFunc(u.Events(), func(e trace.Event) bool { _, ok := e.Body.(trace.Ask); return ok }) {
			t.Error("no event announced the question")
		}
	})
}

// A yes is kept where there is a place for it, a no is not; what was kept asks
// nobody; a place that cannot be read refuses. Nobody there is exit 3 and a
// clear error (SPEC §3), --deny-all a no.
func TestKeysAreKept(t *testing.T) {
	e, keys := &endpoint{}, &keyring{}
	refused := func(u ui.UI, o core.Options, exit int, why string) {
		t.Helper()
		res, _ := keyed(t, o, e, keys, u)
		if res.Exit() != exit || res.Error == nil || res.Error.Code != fault.Trust || !strings.Contains(res.Error.Message, why) || res.Error.Hint == "" {
			t.Errorf("exit %d, %v", res.Exit(), res.Error)
		}
		if e.requests.Load() != 0 || len(keys.kept) != 0 {
			t.Errorf("%d requests, kept %v", e.requests.Load(), keys.kept)
		}
	}
	refused(answers(approval.No), core.Options{}, 1, "the user said no")
	refused(answers(approval.Session), core.Options{}, 1, "the user said no")
	refused(&ui.Script{}, core.Options{}, 3, "nobody could be asked")
	refused(answers(approval.Yes), core.Options{Approval: "auto_deny"}, 1, "auto_deny")
	refused(&ui.Script{}, core.Options{Approval: "approve_all"}, 3, "nobody could be asked")
	if res, _ := keyed(t, core.Options{}, e, keys, answers(approval.Yes)); res.Status != run.OK || !keys.kept["ACME_KEY acme.example"] {
		t.Error(res.Error, keys.kept)
	}
	if res, _ := keyed(t, core.Options{}, e, keys, &ui.Script{}); res.Status != run.OK {
		t.Error("what was kept is asked about again:", res.Error)
	}
	keys.broken = fault.New(fault.Config, "hosts.json cannot be read")
	if res, _ := keyed(t, core.Options{}, e, keys, answers(approval.Yes)); res.Error == nil || res.Error.Code != fault.Config {
		t.Error(res.Error)
	}
}

// Scenario 44: a key needs confirming while a tool asks. Each answer reaches
// its own question, one at a time; an answer given late, to the question
// before, answers nothing; both workers' keys are one question.
func TestKeyAndToolNeverMix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		files := map[string]string{
			"project.yaml":       foreign["project.yaml"],
			"main.worker":        "---\nmodel: script:s.yaml\ntoolsets: {workers: {allowed_workers: [one, two]}, filesystem: {}}\n---\nDelegate.\n",
			"workers/one.worker": "---\n---\nOne.\n",
			"workers/two.worker": "---\n---\nTwo.\n",
			"s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: one, args: {input: x}}, {tool: two, args: {input: x}}, {tool: write_file, args: {path: /a.txt, content: a}}]\n" +
				"    - calls: [{tool: write_file, args: {path: /b.txt, content: b}}]\n    - say: done\n",
		}
		open := 0
		byKind := map[approval.Kind]int{}
		last := ""
		u := &asks{}
		u.answer = func(_ context.Context, r approval.Request) (approval.Decision, error) {
			if open++; open != 1 {
				t.Error("two questions at once")
			}
			time.Sleep(time.Minute)
			open--
			byKind[r.Kind]++
			id := r.ID
			if byKind[r.Kind] == 1 && last != "" {
				id = last // late: it answers the question before
			}
			last = r.ID
			return approval.Decision{ID: id, Answer: approval.Yes}, nil
		}
		var lines bytes.Buffer
		res := reaching(t, files, core.Options{}, e, nil).Run(t.Context(), run.Input{Text: "go"}, u, core.RunOptions{Trace: &lines})
		if res.Status != run.OK || byKind[approval.KindKey] == 0 || byKind[approval.KindKey] > 2 || byKind[approval.KindTool] != 2 {
			t.Fatalf("%v, asked %v\n%s", res.Error, byKind, lines.String())
		}
		// Of the two kinds that were asked first, the second got the other's answer.
		if n := strings.Count(lines.String(), `"reason":"the answer was meant for another question"`); n != 1 {
			t.Errorf("%d questions got a late answer\n%s", n, lines.String())
		}
	})
}
