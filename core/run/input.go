package run

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/approval"
	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/tool"
)

// noteQuestion stores the question of a worker that lacked information, until a worker
// answers after it or the person does.
func (f *frame) noteQuestion(who callee, out tool.Output) {
	if !who.file {
		return
	}
	if !out.NeedsInput {
		f.conversation.Question = nil
		return
	}
	q := &conversation.Question{}
	if json.Unmarshal(out.Data, q) != nil {
		*q = conversation.Question{}
	}
	q.Worker = who.id
	f.conversation.Question = q
}

// joined returns several questions as one, with the options of each after it.
func joined(questions []tool.Output) tool.Output {
	if len(questions) == 0 {
		return tool.Output{}
	}
	out := questions[0]
	if len(questions) == 1 {
		return out
	}
	var lines []string
	for _, one := range questions {
		q := conversation.Question{Text: one.Text}
		if json.Unmarshal(one.Data, &q) == nil && len(q.Options) > 0 {
			q.Text += " (" + strings.Join(q.Options, ", ") + ")"
		}
		lines = append(lines, q.Text)
	}
	out.Text = strings.Join(lines, "\n")
	if data, err := json.Marshal(map[string]string{"question": out.Text}); err == nil {
		out.Data = data
	}
	return out
}

// reply asks the person after the only exchange of a single run, if a child has asked
// for input and the root has answered with a question of its own. In a chat the next
// message is the reply. ok is false if the run is over.
func (s *Session) reply(ctx context.Context, res Result) (in Input, ok bool) {
	f := s.frame
	q := f.conversation.Question
	if res.Status != OK || q == nil || f.worker.Input != nil || f.output != nil {
		return in, false
	}
	title := shortTask(res.Output.Text)
	if title == "" {
		title = shortTask(q.Text)
	}
	lines := []approval.Line{{Path: q.Worker + " asked", Value: q.Text}}
	if len(q.Options) > 0 {
		lines = append(lines, approval.Line{Path: "options", Value: strings.Join(q.Options, "\n")})
	}
	text, err := s.r.Gate.Input(ctx, approval.Question{
		Kind: approval.KindInput, Call: f.id, WorkerPath: f.chain, Title: title, Lines: lines,
		Asking: s.tree.ask,
		Shown:  func(r approval.Request) { s.tree.shown(f.at(), r) },
	})
	if err != nil {
		s.out, s.err = tool.Output{}, fault.Of(err, fault.Interrupted)
	}
	return Input{Text: text}, err == nil && strings.TrimSpace(text) != ""
}
