package run

import (
	"context"
	"encoding/json"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/tool"
)

// openQuestion is what a child of the root asked and nobody has answered yet.
type openQuestion struct {
	worker   string
	question string
	options  []string
}

// heard keeps the question of a child that lacked information, until a worker
// has answered after it.
func (c *conversation) heard(who callee, out tool.Output) {
	if who.worker == nil {
		return
	}
	if !out.NeedsInput {
		c.open = nil
		return
	}
	q := openQuestion{worker: who.id}
	var fields struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
	}
	if json.Unmarshal(out.Data, &fields) == nil {
		q.question, q.options = fields.Question, fields.Options
	}
	c.open = &q
}

// reply asks the person, after the only exchange of a single run, for what a
// child asked and the root has answered with a question of its own; in a chat
// the next message is the reply. ok is false where the run is over.
func (s *Session) reply(ctx context.Context, res Result) (in Input, ok bool) {
	f := s.frame
	q := f.open
	if res.Status != OK || q == nil || f.worker.Input != nil || f.worker.Output != nil {
		return in, false
	}
	title := shortTask(res.Output.Text)
	if title == "" {
		title = shortTask(q.question)
	}
	lines := []approval.Line{{Path: q.worker + " asked", Value: q.question}}
	if len(q.options) > 0 {
		lines = append(lines, approval.Line{Path: "options", Value: strings.Join(q.options, "\n")})
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
