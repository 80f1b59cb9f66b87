package core_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golem/core"
	"golem/core/run"
	"golem/core/sandbox"
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

// keyed runs a project that sends the person's key to a host of its own.
func keyed(t *testing.T, ctx context.Context, e *endpoint, confirm func(context.Context, string, string) error) run.Result {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range map[string]string{
		"project.yaml": "model: acme:m\nlimits: {model_timeout: 200ms, worker_timeout: 500ms}\nproviders: {acme: {base_url: \"https://acme.example/v1\", api_key_env: ACME_KEY}}\n",
		"main.worker":  "---\n---\nAnswer.\n",
	} {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", HTTP: e, Confirm: confirm, Env: map[string]string{"ACME_KEY": "secret-0123456789"},
		Mount: func(string) (sandbox.FS, error) { return tree, nil },
	}, core.Options{Files: tree, Name: "keyed"})
	if err != nil {
		t.Fatal(err)
	}
	return inst.Run(ctx, run.Input{Text: "go"}, &ui.Script{}, core.RunOptions{Trace: &bytes.Buffer{}})
}

// Scenario 44, review B3: a person takes their time over a key, and no limit
// of the model or the worker counts it; no request goes out before the yes.
func TestConfirmingAKeyCountsAgainstNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &endpoint{}
		res := keyed(t, t.Context(), e, func(context.Context, string, string) error {
			time.Sleep(time.Hour)
			if n := e.requests.Load(); n != 0 {
				t.Errorf("%d requests before the answer", n)
			}
			return nil
		})
		if res.Status != run.OK || res.Output.Text != "hi" {
			t.Fatal(res.Status, res.Error)
		}
	})
}
