package core_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golem/core"
	"golem/core/conversation"
	"golem/core/options"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/state"
	"golem/core/ui"
)

// pondering is an endpoint whose model reasons the next of the texts, in pieces, and then says
// "so"; with fails, it fails before it says anything.
type pondering struct {
	texts []string
	fails bool
	says  bool   // it says the text instead
	body  string // of the last request
}

// Do answers a request.
func (p *pondering) Do(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.body = string(data)
	text := p.texts[0]
	p.texts = p.texts[1:]
	var events strings.Builder
	for piece := range slices.Chunk([]rune(text), 1000) {
		quoted, err := json.Marshal(string(piece))
		if err != nil {
			return nil, err
		}
		as := "reasoning_content"
		if p.says {
			as = "content"
		}
		fmt.Fprintf(&events, `data: {"choices":[{"index":0,"delta":{"%s":%s}}]}`+"\n\n", as, quoted)
	}
	if p.fails {
		events.WriteString(`data: {"error":{"message":"gone","code":400}}` + "\n\n")
	} else {
		events.WriteString(`data: {"choices":[{"index":0,"delta":{"content":"so"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: io.NopCloser(strings.NewReader(events.String()))}, nil
}

// ponder chats with the endpoint: one message for each of n texts. The person has the secret.
func ponder(t *testing.T, end *pondering, secret string, kept state.Store, n int, how core.RunOptions) *ui.Script {
	t.Helper()
	tree := sandbox.Memory()
	if err := tree.WriteFile("main.worker", []byte("---\nmodel: acme:m\n---\nM.\n")); err != nil {
		t.Fatal(err)
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Env: map[string]string{"ACME_KEY": "k-0123456789", "OWL_TOKEN": secret},
		Person:       core.Person{Config: []byte("providers: {acme: {base_url: 'https://models.acme.example/v1', api_key_env: ACME_KEY}}\n")},
		Site:         core.Site{State: kept, Files: core.Tree{FS: tree}},
		ModelSources: core.ModelSources{HTTP: end},
	}, core.Options{Files: tree, Name: "pondering"})
	if err != nil {
		t.Fatal(err)
	}
	u := always()
	for range n {
		u.Inputs = append(u.Inputs, run.Input{Text: "why"})
	}
	inst.Chat(t.Context(), nil, u, how)
	return u
}

// saidIn returns what was said in the kept conversation, and who, one word for each.
func saidIn(t *testing.T, kept state.Store) (said []conversation.Said, who string) {
	t.Helper()
	k, err := conversation.Read(&kept, "")
	if err != nil {
		t.Fatal(err)
	}
	said = k.Said()
	for _, one := range said {
		who += one.Who + " "
	}
	return said, who
}

// A model that reasons a secret of several lines across the place where the kept reasoning is
// cut, or where golem no longer gathers it, leaves no line of it behind. Nor does one that
// reasons many secrets before, so that the text is shorter without them.
func TestNoPartOfASecretStaysInCutReasoning(t *testing.T) {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("line%02d SeCrEt%02dAbCdEfGh", i, i))
	}
	key := "-----BEGIN OWL KEY-----\n" + strings.Join(lines, "\n") + "\n-----END OWL KEY-----"
	fill := func(n int) string { return strings.Repeat("owls see at night ", n/18+1)[:n-1] + " " }
	var thoughts []string
	for _, border := range []int{conversation.MaxThought, conversation.MaxReasoning} {
		for _, before := range []int{1, len(key) / 2, len(key) - 1} {
			thoughts = append(thoughts, fill(border-before)+key+" "+fill(100))
		}
	}
	many := strings.Repeat(key+" ", conversation.MaxReasoning/len(key)+2)
	thoughts = append(thoughts, many, strings.ReplaceAll(key, "\n", "\\n")+fill(conversation.MaxThought-len(key)-20)+strings.ReplaceAll(key, "\n", "\\n"))
	files := sandbox.Memory()
	ponder(t, &pondering{texts: thoughts}, key, state.Memory(files), len(thoughts), core.RunOptions{ID: "20260101-000000-aaaaaa"})
	said, who := saidIn(t, state.Memory(files))
	if who != strings.Repeat("you thought golem ", len(thoughts)) {
		t.Fatal(who)
	}
	for i, one := range said {
		if one.Who != "thought" {
			continue
		}
		if strings.Contains(one.Text, "SeCrEt") || strings.Contains(one.Text, "BEGIN OWL") {
			t.Errorf("%d: a part of the secret is kept: …%q", i/3, one.Text[max(0, len(one.Text)-300):])
		}
		if len(one.Text) > conversation.MaxThought+100 || !strings.Contains(one.Text, "[redacted]") && !strings.HasPrefix(one.Text, "owls see") {
			t.Errorf("%d: %d bytes, %.40q", i/3, len(one.Text), one.Text)
		}
	}
	for name, data := range contents(files) {
		if strings.Contains(data, "SeCrEt") {
			t.Errorf("%s has a part of the secret", name)
		}
	}
}

// What a model reasoned before it was stopped stays, also without a word of an answer. It is in
// no later request, also after a resume, and has no part of a secret in the middle of which the
// model was stopped.
func TestStoppedReasoningStays(t *testing.T) {
	const key = "sk-owl\nSeCrEt0123456789\nend"
	text := "first look, then " + key[:len(key)-3]
	kept, end := state.Memory(sandbox.Memory()), &pondering{texts: []string{text, text, text, text}, fails: true}
	for _, how := range []core.RunOptions{{ID: "20260101-000000-aaaaaa"}, {Running: options.Running{Resume: new("")}}} {
		ponder(t, end, key, kept, 2, how)
		if strings.Contains(end.body, "first look") || strings.Contains(end.body, "the answer ended here") {
			t.Errorf("the reasoning is in a request: %s", end.body)
		}
	}
	said, who := saidIn(t, kept)
	if who != strings.Repeat("you thought note ", 4) {
		t.Fatalf("%s: %+v", who, said)
	}
	for _, one := range said {
		if one.Who == "thought" && (strings.TrimSpace(one.Text) != "first look, then" || one.Spent == nil || one.Spent.Tokens == 0) {
			t.Errorf("%+v", one)
		}
	}
}

// A model that is stopped in the middle of a secret leaves no part of it: not in the
// conversation, not in what is shown, not in the trace and not in later requests.
func TestNoPartOfASecretStaysInAStoppedAnswer(t *testing.T) {
	const key = "sk-owl\nSeCrEt0123456789\nend"
	text := "first look, then " + key[:len(key)-3]
	for _, says := range []bool{true, false} {
		files := sandbox.Memory()
		end := &pondering{texts: []string{text, text}, fails: true, says: says}
		shown := ponder(t, end, key, state.Memory(files), 2, core.RunOptions{ID: "20260101-000000-aaaaaa"})
		all, err := json.Marshal(shown.Events())
		if err != nil || !strings.Contains(string(all), "first look, then") || strings.Contains(string(all), "SeCrEt") || strings.Contains(string(all), "sk-owl") {
			t.Errorf("says %v: %v: shown: %s", says, err, all)
		}
		if strings.Contains(end.body, "SeCrEt") || strings.Contains(end.body, "first look, then") != says {
			t.Errorf("says %v: the next request: %s", says, end.body)
		}
		said, who := saidIn(t, state.Memory(files))
		if want := map[bool]string{true: "golem", false: "thought"}[says]; who != strings.Repeat("you "+want+" note ", 2) || strings.TrimSpace(said[1].Text) != "first look, then" {
			t.Errorf("says %v: %s: %+v", says, who, said)
		}
		for name, data := range contents(files) {
			if strings.Contains(data, "SeCrEt") || strings.Contains(data, "sk-owl") {
				t.Errorf("says %v: %s has a part of the secret: %s", says, name, data)
			}
		}
	}
}

// Reasoning without a space, as in Chinese, is kept up to the limit and cut between two
// characters.
func TestReasoningWithoutSpaces(t *testing.T) {
	kept := state.Memory(sandbox.Memory())
	ponder(t, &pondering{texts: []string{strings.Repeat("猫", conversation.MaxThought)}}, "sk-secret-0123456789", kept, 1, core.RunOptions{ID: "20260101-000000-aaaaaa"})
	said, _ := saidIn(t, kept)
	if len(said) != 3 || strings.Count(said[1].Text, "猫") != conversation.MaxThought/3 || strings.Contains(said[1].Text, "\ufffd") {
		t.Fatalf("%+v", said)
	}
}
