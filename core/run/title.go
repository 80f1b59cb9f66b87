package run

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"golem/core/fault"
	"golem/core/model"
	"golem/core/prompt"
)

// titleRoom is how many tokens a title may have, titleText how many bytes of the
// conversation the model reads for it.
const (
	titleRoom = 64
	titleText = 8 << 10
)

// Titles gives the conversation of a session its title.
type Titles struct{ run *workerRun }

// TitlesOf returns the Titles of a session.
func TitlesOf(s *Session) Titles { return Titles{s.run} }

// Now returns the title of the conversation, "" if it is not kept or has none.
func (t Titles) Now() string {
	k, err := t.run.tree.r.Keeping.Journal.Kept()
	if err != nil {
		return ""
	}
	return k.Title()
}

// Set gives the conversation a title, and returns it: the first line, at most 60
// characters.
func (t Titles) Set(title string) (string, error) {
	return t.run.tree.r.Keeping.Journal.Name(title)
}

// CanMake reports whether a model can make a title: none is opened before the first
// message, and a script or a recording makes none.
func (t Titles) CanMake() bool { return t.run.model != nil && model.CanTitle(t.run.model) }

// Make asks the model for a title of the conversation and keeps it. The request counts
// in usage and cost, but is not a turn.
func (t Titles) Make(ctx context.Context) (string, error) {
	f := t.run
	if !t.CanMake() {
		return "", fault.New(fault.Usage, "this model makes no titles").Hinting("/title WORDS gives the conversation a title of yours")
	}
	var asked []model.Message
	for _, m := range f.conversation.Messages {
		if m.Role != model.System && !m.Inner {
			asked = append(asked, model.Message{Role: m.Role, Text: m.Text})
		}
	}
	turn, err := askAside(ctx, f, aside{
		what: "the request for a title", most: titleRoom, thoughts: maxThoughts,
		messages: []model.Message{{Role: model.System, Text: prompt.Title}, {Role: model.User, Text: transcript(asked, titleText)}},
	})
	if err != nil {
		return "", err
	}
	f.keepLost(turn, f.conversation.Turns+1)
	return t.Set(strings.Trim(strings.TrimSpace(turn.Text), "\"'`*#“”„ "))
}

// aside is a request that is not a turn of the conversation.
type aside struct {
	what     string // names the request in faults, such as "the request for a title"
	messages []model.Message
	most     int // tokens of the answer
	thoughts int // more tokens, for reasoning
}

// askAside makes the request. An empty answer is an error.
func askAside(ctx context.Context, f *workerRun, a aside) (model.Turn, error) {
	ctx, deadline := f.tree.clock.deadline(ctx, f.worker.Limits.ModelTimeout, a.what)
	defer deadline.stop()
	name := f.conversation.Name + "~"
	settings := summarySettings(f.settings, f.model.Name())
	settings["max_output_tokens"] = json.RawMessage(fmt.Sprint(a.most + a.thoughts))
	f.tree.r.Keeping.Journal.Flush()
	turn, err := f.model.Generate(ctx, model.Request{
		Worker: f.worker.ID, Conversation: name, ID: f.id, Turn: f.conversation.Turns + 1, Settings: settings, Timeout: f.worker.Limits.ModelTimeout,
		Messages: a.messages, Budget: &payer{budget: f.budget, deadline: deadline, in: model.EstimateTokens(a.messages)},
	}, nil)
	model.Forget(f.model, name)
	if err == nil && strings.TrimSpace(turn.Text) == "" {
		err = fault.New(fault.Model, "the answer to %s is empty", a.what)
	}
	if err != nil {
		f.keepLost(turn, f.conversation.Turns+1)
	}
	return turn, err
}
