package acpcmd

import (
	"context"
	"io"
	"slices"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"golem/core/approval"
	"golem/core/ui"
)

// Approve asks the client's user. A client that cannot be asked, or that gives no answer, is no
// yes. Every question waits for its own answer: the protocol binds it to its request.
func (f *front) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if r.Kind == approval.KindInput { // the protocol has no question for a text
		return approval.Decision{}, approval.ErrNobody
	}
	if p := f.session.current(); p != nil {
		var stop func()
		ctx, stop = joined(ctx, p.ctx)
		defer stop()
	}
	no := approval.Decision{ID: r.ID, Answer: approval.No}
	shown := f.asked(r)
	answer, err := f.ask(ctx, shown, ui.Choices(r))
	if err == nil && answer == approval.Keep {
		var sure approval.Answer
		sure, err = f.ask(ctx, ruleAsked(shown, r.Lasting), []ui.Choice{
			{Answer: approval.Yes, Means: "save this rule, and run the call"}, {Answer: approval.No, Means: "no: save nothing, and do not run the call"},
		})
		if sure != approval.Yes {
			answer = approval.No
		}
	}
	f.endQuestion(r, shown, answer)
	if err != nil {
		return no, err
	}
	return approval.Decision{ID: r.ID, Answer: answer}, nil
}

// endQuestion ends the question for the client, if it is about no call.
func (f *front) endQuestion(r approval.Request, shown acp.ToolCallUpdate, answer approval.Answer) {
	if r.Kind == approval.KindTool {
		return
	}
	status := acp.ToolCallStatusFailed
	if answer == approval.Yes {
		status = acp.ToolCallStatusCompleted
	}
	f.session.agent.update(f.session.id, acp.UpdateToolCall(shown.ToolCallId, acp.WithUpdateStatus(status)))
}

// ask sends one question and returns the answer. What is none of the choices is a no.
func (f *front) ask(ctx context.Context, shown acp.ToolCallUpdate, choices []ui.Choice) (approval.Answer, error) {
	req := acp.RequestPermissionRequest{SessionId: f.session.id, ToolCall: shown}
	for _, c := range choices {
		req.Options = append(req.Options, acp.PermissionOption{OptionId: acp.PermissionOptionId(c.Answer), Name: c.Means, Kind: optionKind(c)})
	}
	res, err := acp.SendRequest[acp.RequestPermissionResponse](f.session.agent.conn, ctx, acp.ClientMethodSessionRequestPermission, req)
	switch {
	case ctx.Err() != nil:
		return approval.No, context.Cause(ctx)
	case err != nil:
		return approval.No, err
	case res.Outcome.Selected == nil:
		return approval.No, io.EOF
	}
	answer := approval.Answer(res.Outcome.Selected.OptionId)
	if !slices.ContainsFunc(choices, func(c ui.Choice) bool { return c.Answer == answer }) {
		return approval.No, nil
	}
	return answer, nil
}

// optionKind returns the protocol's kind of an answer. A yes to trust lasts.
func optionKind(c ui.Choice) acp.PermissionOptionKind {
	switch c.Answer {
	case approval.Yes:
		if strings.Contains(c.Means, "later runs") {
			return acp.PermissionOptionKindAllowAlways
		}
		return acp.PermissionOptionKindAllowOnce
	case approval.Session, approval.Always, approval.Keep:
		return acp.PermissionOptionKindAllowAlways
	case approval.Never:
		return acp.PermissionOptionKindRejectAlways
	}
	return acp.PermissionOptionKindRejectOnce
}

// asked returns a question as the client shows it: all that a yes covers, with control and
// invisible characters as escapes. A difference is also there in the protocol's form.
func (f *front) asked(r approval.Request) acp.ToolCallUpdate {
	out := acp.ToolCallUpdate{ToolCallId: acp.ToolCallId("question-" + r.ID), Kind: acp.Ptr(acp.ToolKindOther), Status: acp.Ptr(acp.ToolCallStatusPending)}
	title := r.Title
	if r.Kind == approval.KindTool {
		f.mu.Lock()
		if c := f.calls[r.Call]; c != nil {
			out.ToolCallId, out.Kind, title = c.id, &c.kind, c.title
		}
		f.mu.Unlock()
		if title == "" {
			title = ui.CallLine(r.Tool, r.Args)
		}
		out.Locations, out.RawInput = f.requestPlaces(r), rawArgs(r.Args)
	}
	visible, _ := approval.Visible(title)
	out.Title = &visible
	if len(out.Locations) == 1 {
		changes, ok := changesOf(r.Diff, out.Locations[0].Path)
		if ok {
			out.Content = changes
			if _, hidden := approval.Visible(strings.ReplaceAll(strings.ReplaceAll(r.Diff, "\n", ""), "\t", "")); !hidden {
				r.Diff = "" // the client shows it
			}
		}
	}
	out.Content = append(out.Content, whole(strings.Join(ui.RequestLines(r, 100, false, true), "\n")))
	return out
}

// whole returns a text of a question; nothing of it is left out.
func whole(text string) acp.ToolCallContent { return acp.ToolContent(acp.TextBlock(fenced(text))) }

// ruleAsked returns the question whether to save the rule that an answer would keep.
func ruleAsked(shown acp.ToolCallUpdate, l *approval.Lasting) acp.ToolCallUpdate {
	shown.Title = acp.Ptr("Save this rule in your own configuration, and run the call?")
	if l != nil {
		shown.Content = append(slices.Clone(shown.Content), whole(strings.Join(ui.RuleLines(l, 100, false), "\n")))
	}
	return shown
}
