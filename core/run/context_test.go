package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golem/core/config"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/project"
	"golem/core/tool"
)

// For any conversation: the request fits max_context_tokens with its tools, or no
// request is made; the system prompt, the last message and the latest turn stay; every
// call keeps its result; and nothing is dropped that would have fitted.
func TestTrim(t *testing.T) {
	refused, cut := 0, 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 2))
		tools := &tool.Set{}
		for i := range random.IntN(4) {
			addTool(t, tools, "tool"+strconv.Itoa(i), strings.Repeat("d", random.IntN(200)))
		}
		w := &project.Worker{ID: "main", MaxContextTokens: 1 + random.IntN(600)}
		f := talking(w, nil, randomTalk(random)...)
		f.toolbox.Set = tools
		before := append([]model.Message(nil), f.conversation.Messages...)
		err := f.compact(t.Context())
		size := model.EstimateRequest(f.conversation.Messages, f.toolbox.offered(), nil)
		if err != nil {
			if refused++; !errors.Is(err, fault.Limit) || size <= w.MaxContextTokens {
				t.Fatalf("seed %d: %v at %d of %d", seed, err, size, w.MaxContextTokens)
			}
			continue
		}
		if size > w.MaxContextTokens {
			t.Fatalf("seed %d: %d tokens are sent, limit %d", seed, size, w.MaxContextTokens)
		}
		if len(f.conversation.Messages) < len(before) {
			cut++
		} else if model.EstimateRequest(before, f.toolbox.offered(), nil) > w.MaxContextTokens {
			t.Fatalf("seed %d: nothing went", seed)
		}
		wellFormed(t, seed, before, f.conversation.Messages)
	}
	if refused == 0 || cut == 0 {
		t.Errorf("refused %d, cut %d: the test shows nothing", refused, cut)
	}
}

// talking returns a root that has talked with a model.
func talking(w *project.Worker, m model.Model, said ...model.Message) *workerRun {
	t := newTree(&Runner{}, nil, false)
	return &workerRun{
		place: newPlace(w, "", nil, t.events), tree: t, toolbox: &toolbox{Set: &tool.Set{}}, model: m, budget: &budget{ledger: &ledger{}},
		conversation: conversation.New("0", said...),
	}
}

func addTool(t *testing.T, set *tool.Set, name, description string) {
	t.Helper()
	if err := set.Add(tool.Func(tool.Spec{Name: name, Description: description, Risk: tool.Read}, func(context.Context, struct{}) (tool.Output, error) { return tool.Output{}, nil })); err != nil {
		t.Fatal(err)
	}
}

// randomTalk returns a random conversation that waits for an answer.
func randomTalk(random *rand.Rand) []model.Message {
	text := func() string { return strings.Repeat("x", random.IntN(300)) }
	out := []model.Message{{Role: model.System, Text: text()}}
	call := 0
	for exchange, last := 0, random.IntN(4); exchange <= last; exchange++ {
		out = append(out, model.Message{Role: model.User, Text: text()})
		for range random.IntN(4) {
			turn := model.Message{Role: model.Assistant, Text: text()}
			var results []model.Message
			for range 1 + random.IntN(3) {
				call++
				id := strconv.Itoa(call)
				turn.Calls = append(turn.Calls, model.Call{ID: id, Name: "t", Args: "{}"})
				results = append(results, model.Message{Role: model.ToolRole, CallID: id, Tool: "t", Text: text()})
			}
			out = append(append(out, turn), results...)
			if random.IntN(4) == 0 {
				out = append(out, model.Message{Role: model.User, Text: "injected", Inner: true})
			}
		}
		if exchange < last {
			out = append(out, model.Message{Role: model.Assistant, Text: text()})
		}
	}
	return out
}

func wellFormed(t *testing.T, seed uint64, before, after []model.Message) {
	t.Helper()
	lastAsked := func(ms []model.Message) string {
		for i := len(ms) - 1; i >= 0; i-- {
			if ms[i].Role == model.User && !ms[i].Inner {
				return ms[i].Text
			}
		}
		return "nothing"
	}
	if after[0].Text != before[0].Text || lastAsked(after) != lastAsked(before) || after[len(after)-1].Text != before[len(before)-1].Text {
		t.Fatalf("seed %d: what must stay went", seed)
	}
	open := map[string]bool{}
	for _, m := range after {
		for _, c := range m.Calls {
			open[c.ID] = true
		}
		if m.Role == model.ToolRole && !open[m.CallID] {
			t.Fatalf("seed %d: a result without its call", seed)
		}
		delete(open, m.CallID)
	}
	if len(open) > 0 {
		t.Fatalf("seed %d: calls without results: %v", seed, open)
	}
}

// heard is a model that stores the last request.
type heard struct {
	name    string
	request model.Request
}

func (h *heard) Name() string { return h.name }

func (h *heard) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Turn, error) {
	h.request = r
	return model.Turn{Text: "They talked.", Finish: "stop", Model: h.name}, nil
}

// summarised returns the request for a summary of an exchange, in at most 1,000 tokens.
func summarised(t *testing.T, name string, w *project.Worker, s model.Settings) model.Request {
	t.Helper()
	h := &heard{name: name}
	f := talking(w, h, model.Message{Role: model.System, Text: "Help."}, model.Message{Role: model.User, Text: "alpha"},
		model.Message{Role: model.Assistant, Text: "beta"}, model.Message{Role: model.User, Text: "gamma"})
	f.settings = s
	turn, err := f.summarise(t.Context(), f.conversation.Old(), 1000)
	if err != nil || turn.Text != "They talked." {
		t.Fatal(turn, err)
	}
	return h.request
}

// A request for a summary has the worker's settings except those for calls and for its
// usual answers. The model reasons little, with tokens in addition to the summary's.
func TestSettingsOfASummary(t *testing.T) {
	w := &project.Worker{ID: "main", MaxContextTokens: 8000, Limits: config.Limits{ModelTimeout: 5 * time.Minute}}
	for _, c := range []struct{ model, settings, want string }{
		{"openai:m", `{}`, `{"max_output_tokens":3048}`},
		{"openai:m", `{"max_output_tokens":64000,"parallel_tool_calls":false,"stop":["END"],"temperature":0.2,"cache":false}`, `{"cache":false,"max_output_tokens":3048,"temperature":0.2}`},
		{"openai:m", `{"reasoning_effort":"max"}`, `{"max_output_tokens":3048,"reasoning_effort":"low"}`},
		{"anthropic:m", `{"reasoning_effort":"minimal"}`, `{"max_output_tokens":3048,"reasoning_effort":"minimal"}`},
		{"groq:m", `{"reasoning_effort":"none"}`, `{"max_output_tokens":3048,"reasoning_effort":"none"}`},
		{"mistral:m", `{"reasoning_effort":"high"}`, `{"max_output_tokens":3048}`},
		{"openai:m", `{"extra":{"tool_choice":"required","response_format":{},"max_tokens":9,"stop":["END"],"user":"me"}}`, `{"extra":{"user":"me"},"max_output_tokens":3048}`},
		{"openai:m", `{"extra":{"tool_choice":"required"}}`, `{"max_output_tokens":3048}`},
		{"openai:m", `{"extra":{"user":"me"}}`, `{"extra":{"user":"me"},"max_output_tokens":3048}`},
	} {
		var given model.Settings
		if err := json.Unmarshal([]byte(c.settings), &given); err != nil {
			t.Fatal(err)
		}
		r := summarised(t, c.model, w, given)
		got, err := json.Marshal(r.Settings)
		if err != nil || string(got) != c.want || r.Timeout != 5*time.Minute {
			t.Errorf("%s with %s is asked with %s for %v (%v), want %s", c.model, c.settings, got, r.Timeout, err, c.want)
		}
	}
	w.MaxContextTokens = 3000 // at most half of them are for reasoning
	if got := string(summarised(t, "openai:m", w, nil).Settings["max_output_tokens"]); got != "2500" {
		t.Error(got)
	}
}

// If it is not known how much the model reads, /compact still shows it the conversation.
func TestSummaryWithoutAKnownContext(t *testing.T) {
	r := summarised(t, "openai:m", &project.Worker{ID: "main"}, nil)
	if text := r.Messages[1].Text; !strings.Contains(text, "alpha") || !strings.Contains(text, "beta") {
		t.Errorf("it is asked to summarise %q", text)
	}
}

// writer is a model that writes numbered summaries of 1,000 tokens and stores its requests.
type writer struct {
	heard
	asked []string
}

func (w *writer) Generate(ctx context.Context, r model.Request, d func(model.Delta)) (model.Turn, error) {
	w.asked = append(w.asked, r.Messages[len(r.Messages)-1].Text)
	turn, err := w.heard.Generate(ctx, r, d)
	turn.Text = "summary " + strconv.Itoa(len(w.asked)) + strings.Repeat(" x", 2000)
	return turn, err
}

// In a single exchange each summary replaces the one before it and is made of it, however
// often the conversation is compacted.
func TestSummaryReplacesTheEarlierOne(t *testing.T) {
	w := &writer{heard: heard{name: "openai:m"}}
	f := talking(&project.Worker{ID: "main", MaxContextTokens: 8000, Limits: config.Limits{ModelTimeout: time.Minute}}, w,
		model.Message{Role: model.System, Text: "Help."}, model.Message{Role: model.User, Text: "the task"})
	for turn := range 40 {
		id := strconv.Itoa(turn)
		f.conversation.Add(model.Message{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: "t", Args: "{}"}}},
			model.Message{Role: model.ToolRole, CallID: id, Tool: "t", Text: strings.Repeat("result ", 500)})
		if err := f.compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		ms, n := f.conversation.Messages, len(w.asked)
		found := 0
		for _, m := range ms {
			if strings.Contains(m.Text, "summary ") {
				found++
			}
		}
		if n == 0 {
			continue
		}
		newest := "summary " + strconv.Itoa(n) + " x"
		if found != 1 || !strings.Contains(ms[1].Text, newest) || ms[2].Text != "the task" || ms[len(ms)-1].CallID != id {
			t.Fatalf("turn %d: %d summaries, and the first messages are %.80q, %.80q", turn, found, ms[1].Text, ms[2].Text)
		}
		if before := "summary " + strconv.Itoa(n-1) + " x"; n > 1 && !strings.Contains(w.asked[n-1], before) {
			t.Fatalf("turn %d: summary %d is not made of the one before it: %.200q", turn, n, w.asked[n-1])
		}
	}
	if len(w.asked) < 5 {
		t.Errorf("%d summaries: the test shows nothing", len(w.asked))
	}
}

// mute is a model that fails.
type mute struct{ heard }

func (*mute) Generate(context.Context, model.Request, func(model.Delta)) (model.Turn, error) {
	return model.Turn{}, fault.New(fault.Model, "it is overloaded")
}

// A /compact whose summary fails changes nothing and says why.
func TestCompactByHandThatFails(t *testing.T) {
	m := &mute{heard{name: "openai:m"}}
	f := talking(&project.Worker{ID: "main"}, m, model.Message{Role: model.System, Text: "Help."}, model.Message{Role: model.User, Text: "alpha"},
		model.Message{Role: model.Assistant, Text: "beta"}, model.Message{Role: model.User, Text: "gamma"}, model.Message{Role: model.Assistant, Text: "delta"})
	s := &Session{tree: f.tree, run: f}
	before := slices.Clone(f.conversation.Messages)
	err := s.Compact(t.Context())
	if !errors.Is(err, fault.Model) || !strings.Contains(err.Error(), "nothing was shortened") || !strings.Contains(err.Error(), "overloaded") {
		t.Errorf("%v", err)
	}
	if got := f.conversation.Messages; fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("the conversation is %v", got)
	}
}
