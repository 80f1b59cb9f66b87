package openaiserve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sashabaranov/go-openai"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/run"
	"golem/core/tool"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/httpguard"
)

const secret = "a secret of the test, 32 characters"

// doing returns a worker that emits the events and returns the result that do returns.
func doing(id string, do func(ctx context.Context, in run.Input, front ui.UI) run.Result) Worker {
	return Worker{ID: id, Run: func(ctx context.Context, _ string, in run.Input, front ui.UI) run.Result { return do(ctx, in, front) }}
}

// says emits a turn of the root.
func says(front ui.UI, finish string, pieces ...string) {
	front.Emit(trace.Event{ID: "0", Body: trace.ModelStart{Turn: 1}})
	for _, p := range pieces {
		front.Emit(trace.Event{ID: "0", Body: trace.Delta{Text: p}})
		front.Emit(trace.Event{ID: "0.1", Body: trace.Delta{Text: "of a child"}})
	}
	front.Emit(trace.Event{ID: "0", Body: trace.ModelEnd{Finish: finish}})
}

func okay(text string) run.Result {
	return run.Result{Status: run.OK, Output: tool.Output{Text: text}, Usage: model.Usage{In: 7, Out: 3, Cached: 2}}
}

// echo answers with its input.
func echo(_ context.Context, in run.Input, front ui.UI) run.Result {
	text := in.Text + string(in.JSON)
	for _, f := range in.Attachments {
		text += "|" + f.Name + "=" + string(f.Data)
	}
	for _, e := range in.Earlier {
		who := "user"
		if e.Worker {
			who = "worker"
		}
		text = who + ":" + e.Text + "/" + text
	}
	says(front, "stop", text[:len(text)/2], text[len(text)/2:])
	return okay(text)
}

// denying has two calls that were denied, one about which nobody could be asked.
func denying(_ context.Context, _ run.Input, front ui.UI) run.Result {
	says(front, "tool_calls", "I try.")
	says(front, "stop", "Done", " it.")
	res := okay("Done it.")
	res.Denied = []run.Denial{{ID: "0.1", Tool: "write_file"}}
	res.Declined = []run.Denial{{ID: "0.2", Tool: "delete_file"}}
	return res
}

func cut(_ context.Context, _ run.Input, front ui.UI) run.Result {
	says(front, "length", "half of")
	return okay("half of")
}

func broken(_ context.Context, _ run.Input, front ui.UI) run.Result {
	says(front, "stop", "one")
	front.Emit(trace.Event{ID: "0", Body: trace.Delta{Reset: true}})
	says(front, "stop", "two")
	return okay("two")
}

func failing(context.Context, run.Input, ui.UI) run.Result {
	return run.Result{Status: run.Failed, Error: fault.New(fault.Model, "the provider said no").Hinting("wait")}
}

func failingLate(_ context.Context, _ run.Input, front ui.UI) run.Result {
	says(front, "stop", "a beginning")
	return run.Result{Status: run.Failed, Error: fault.New(fault.Budget, "no tokens are left")}
}

func workers() []Worker {
	chat, object, structured := doing("reports/chat", echo), doing("object", echo), doing("structured", func(_ context.Context, _ run.Input, front ui.UI) run.Result {
		says(front, "stop", "not valid at first")
		says(front, "stop", `{"n": 1}`)
		return okay(`{"n": 1}`)
	})
	chat.Chat, object.Object = true, true
	structured.Output = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	return []Worker{doing("main", echo), chat, object, structured, doing("denying", denying), doing("cut", cut), doing("broken", broken), doing("failing", failing), doing("late", failingLate)}
}

func newServer(t *testing.T, list []Worker) *Server {
	t.Helper()
	s, err := New(list, httpguard.New("golem serve", secret), func() string { return "20260101-000000-aaaaaa" })
	if err != nil {
		t.Fatal(err)
	}
	s.now = func() time.Time { return time.Unix(1_700_000_000, 0) }
	return s
}

// site serves workers and returns the base URL.
func site(t *testing.T, list []Worker) string {
	t.Helper()
	s := newServer(t, list)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		s.stop()
		h.Close()
	})
	return h.URL + Base
}

func client(base string) *openai.Client {
	c := openai.DefaultConfig(secret)
	c.BaseURL = base
	return openai.NewClientWithConfig(c)
}

func user(text string) []openai.ChatCompletionMessage {
	return []openai.ChatCompletionMessage{{Role: "user", Content: text}}
}

// go-openai lists the models and gets answers, with usage, finish reason and denials, in one
// piece and as a stream.
func TestClient(t *testing.T) {
	base := site(t, workers())
	c := client(base)
	list, err := c.ListModels(t.Context())
	if err != nil || len(list.Models) != 9 || list.Models[1].ID != "reports/chat" {
		t.Fatalf("%v %+v", err, list)
	}
	for _, w := range []struct {
		model, text, streamed, finish, denied string
	}{
		{"main", "hello", "hello", "stop", ""},
		{"denying", "Done it.\n\n[golem: denied, because nobody could be asked: write_file (call 0.1)]",
			"I try.\n\nDone it.\n\n[golem: denied, because nobody could be asked: write_file (call 0.1)]", "stop", "write_file/0.1, delete_file/0.2"},
		{"cut", "half of", "half of", "length", ""},
		{"broken", "two", "one" + anew + "two", "stop", ""},
		{"structured", `{"n": 1}`, `{"n": 1}`, "stop", ""},
	} {
		res, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: w.model, Messages: user("hello")})
		if err != nil {
			t.Fatal(w.model, err)
		}
		one := res.Choices[0]
		if one.Message.Content != w.text || one.Message.Role != "assistant" || string(one.FinishReason) != w.finish || res.Model != w.model ||
			res.Usage.PromptTokens != 7 || res.Usage.CompletionTokens != 3 || res.Usage.TotalTokens != 10 || res.Usage.PromptTokensDetails.CachedTokens != 2 {
			t.Errorf("%s: %+v", w.model, res)
		}
		if got := res.Header().Get("X-Golem-Denied"); got != w.denied {
			t.Errorf("%s: denied %q", w.model, got)
		}
		text, finish, usage := streamed(t, c, w.model)
		if text != w.streamed || finish != w.finish || usage == nil || usage.TotalTokens != 10 {
			t.Errorf("%s: streamed %q, %s, %+v", w.model, text, finish, usage)
		}
		raw, body := ask(t, base, "/chat/completions", `{"model":"`+w.model+`","stream":true,"messages":[{"role":"user","content":"x"}]}`)
		if got := raw.Trailer.Get("X-Golem-Denied"); got != w.denied || strings.Contains(body, "usage\":{") || !strings.HasSuffix(body, "data: [DONE]\n\n") {
			t.Errorf("%s: trailer %q, %s", w.model, got, body)
		}
	}
}

// streamed returns what a stream has.
func streamed(t *testing.T, c *openai.Client, name string) (text, finish string, usage *openai.Usage) {
	t.Helper()
	stream, err := c.CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{
		Model: name, Messages: user("hello"), StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	})
	if err != nil {
		t.Fatal(name, err)
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, finish, usage
		}
		if err != nil {
			t.Fatal(name, err)
		}
		if chunk.Usage != nil {
			usage = chunk.Usage
		}
		for _, one := range chunk.Choices {
			text += one.Delta.Content
			finish += string(one.FinishReason)
		}
	}
}

// ask sends a request and returns the response with its body.
func ask(t *testing.T, base, path, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// Errors have OpenAI's form and the status of their kind, before a stream begins and after it.
func TestErrors(t *testing.T) {
	base := site(t, workers())
	c := client(base)
	var api *openai.APIError
	_, err := c.CreateChatCompletion(t.Context(), openai.ChatCompletionRequest{Model: "failing", Messages: user("x")})
	if !errors.As(err, &api) || api.HTTPStatusCode != http.StatusBadGateway || api.Code != "E_MODEL" || api.Message != "the provider said no (wait)" {
		t.Errorf("%v", err)
	}
	_, err = c.CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{Model: "failing", Messages: user("x")})
	if !errors.As(err, &api) || api.HTTPStatusCode != http.StatusBadGateway {
		t.Errorf("before a stream: %v", err)
	}
	stream, err := c.CreateChatCompletionStream(t.Context(), openai.ChatCompletionRequest{Model: "late", Messages: user("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for err == nil {
		_, err = stream.Recv()
	}
	if !errors.As(err, &api) || api.Code != "E_BUDGET" {
		t.Errorf("in a stream: %v", err)
	}
	if res, body := ask(t, base, "/responses", `{"model":"late","stream":true,"input":"x"}`); !strings.Contains(body, "event: response.failed\n") || !strings.Contains(body, "event: error\n") || strings.Contains(body, "response.completed") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if res, _ := ask(t, base, "/chat/completions", `{"model":"failing","messages":[{"role":"user","content":"x"}]}`); res.Header.Get("X-Should-Retry") != "false" {
		t.Error("a client may run the worker again")
	}
}

// A name may be an export only once.
func TestTwoOfOneName(t *testing.T) {
	if _, err := New([]Worker{{ID: "a"}, {ID: "a"}}, httpguard.Guard{}, nil); !errors.Is(err, fault.Ambiguous) {
		t.Error(err)
	}
}
