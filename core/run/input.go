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

// questionOf returns the question that a worker asks its caller: the one of a worker that
// lacked information, until a worker answers after it or the person does. before is the
// question so far.
func questionOf(before *conversation.Question, who callee, out tool.Output) *conversation.Question {
	if !who.file {
		return before
	}
	if !out.NeedsInput {
		return nil
	}
	q := &conversation.Question{}
	if json.Unmarshal(out.Data, q) != nil {
		*q = conversation.Question{}
	}
	q.Worker = who.id
	return q
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
	f := s.run
	q := f.conversation.Question
	if res.Status != OK || q == nil || f.worker.Input != nil || f.output != nil {
		return in, false
	}
	lines := questionLines(f.worker.ID, res.Output.Text, q)
	for range maxReplies {
		text, err := s.tree.r.Gate.Input(ctx, s.tree.person.questionFrom(&f.place, approval.Question{
			Kind: approval.KindInput, Title: f.worker.ID + " asks you", Lines: lines,
		}))
		if err != nil {
			s.out, s.err = tool.Output{}, fault.Of(err, fault.Interrupted)
		}
		if err != nil || strings.TrimSpace(text) == "" {
			return in, false
		}
		in = Input{Text: text}
		if err = guardReply(ctx, s.run, in); err == nil {
			return in, true
		}
		if ctx.Err() != nil {
			s.out, s.err = tool.Output{}, err
			return Input{}, false
		}
		s.Say("warn", fault.Of(err, fault.Denied).Error())
	}
	return Input{}, false
}

// maxReplies is how often a person is asked for an answer that golem may send.
const maxReplies = 3

// questionLines returns the lines of the question that the root passes on: its own words, and
// the question of its child with the options. Each line names the worker whose words it
// has, because golem's own words are the heading alone (SPEC §7).
func questionLines(root, text string, q *conversation.Question) (lines []approval.Line) {
	if strings.TrimSpace(text) != "" {
		lines = append(lines, approval.Line{Path: root + " says", Value: text, By: root})
	}
	lines = append(lines, approval.Line{Path: q.Worker + " asked", Value: q.Text, By: q.Worker})
	if len(q.Options) > 0 {
		lines = append(lines, approval.Line{Path: "options of " + q.Worker, Value: strings.Join(q.Options, "\n"), By: q.Worker})
	}
	return lines
}

// guardReply asks the person before an answer to a worker's question goes to a model, if
// the answer contains a known key or something that looks like one (SPEC §7). It returns
// E_DENIED unless the person says yes.
func guardReply(ctx context.Context, f *workerRun, in Input) error {
	values := f.tree.r.Values
	if f.conversation.Question == nil || values == nil || !values.IsSecret(in.Text) {
		return nil
	}
	rec, err := f.tree.person.ask(ctx, &f.place, approval.Question{
		Kind: approval.KindSecret, Title: "Your answer looks like a key. Send it to " + f.worker.ID + "?",
		Lines: []approval.Line{{
			Path: "your answer", Value: fault.Count(len(in.Text), "byte") + ", which golem does not show here",
			Means: "the model, its provider, the trace and the kept conversation can get the key; golem secret set gives a key to tools without that",
		}},
	}, "your answer")
	if err == nil && !rec.Run {
		err = fault.New(fault.Denied, "your answer was not sent: it looks like a key (%s)", rec.Reason).Hinting("answer without the key; golem secret set NAME keeps it for tools")
	}
	return err
}
