package run

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/model"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/toolset"
)

// counter is a model that calls read_file in the first turn of each exchange and then
// answers. It stores its requests.
type counter struct{ sent []sentRequest }

// sentRequest is the part of a request that comes from the conversation.
type sentRequest struct {
	Conversation, ID string
	Turn             int
	Messages         []model.Message
}

func (c *counter) Name() string { return "test:counter" }

func (c *counter) Generate(_ context.Context, r model.Request, _ func(model.Delta)) (model.Turn, error) {
	c.sent = append(c.sent, sentRequest{r.Conversation, r.ID, r.Turn, slices.Clone(r.Messages)})
	if last := r.Messages[len(r.Messages)-1]; last.Role == model.User {
		call := model.Call{ID: "call-" + last.Text, Name: "read_file", Args: `{"path":"/main.worker"}`}
		return model.Turn{Calls: []model.Call{call}, Finish: "tool_calls", Attempts: 1}, nil
	}
	return model.Turn{Text: "done", Finish: "stop", Attempts: 1}, nil
}

// resumable opens a session of a worker as a new process would.
func resumable(t *testing.T, m model.Model, files sandbox.FS) *Session {
	t.Helper()
	p, err := project.Load(project.Setup{FS: files, Platform: project.Platform{Toolsets: []string{"filesystem", "workers", "custom"}}})
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{
		Project: p, Toolsets: toolset.NewRegistry(toolset.Filesystem()), Gate: approval.NewGate(approval.Interactive, nil),
		Models: opens(func() model.Model { return m }), Files: mounts(func() sandbox.FS { return files }),
	}
	w, err := p.Workers.Find("main")
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.OpenWorker(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A kept conversation continues in another session: the model gets the same requests as
// if the first session had continued.
func TestAConversationIsResumed(t *testing.T) {
	files := sandbox.Memory()
	if err := files.WriteFile("main.worker", []byte("---\nmodel: test:counter\ntoolsets: {filesystem: {}}\n---\nM.\n")); err != nil {
		t.Fatal(err)
	}
	say := func(s *Session, text string) {
		if res := s.Send(t.Context(), Input{Text: text}); res.Status != OK {
			t.Fatal(res.Error)
		}
	}
	one, other := &counter{}, &counter{}
	first := resumable(t, one, files)
	say(first, "a")
	kept, err := json.Marshal(first.run.conversation)
	if err != nil {
		t.Fatal(err)
	}
	say(first, "b")

	second := resumable(t, other, files)
	second.run.conversation = &conversation.Conversation{}
	if err := json.Unmarshal(kept, second.run.conversation); err != nil {
		t.Fatal(err)
	}
	say(second, "b")

	encoded := func(r []sentRequest) string {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if want, got := encoded(one.sent[2:]), encoded(other.sent); want != got || len(other.sent) != 2 {
		t.Errorf("the resumed session sent\n%s\nwant\n%s", got, want)
	}
	if n := len(second.run.conversation.Results); n != 2 {
		t.Errorf("it has %d results, want 2", n)
	}
}
