package mcpserve

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// front is the front end of one call: it sends events to the client as progress, and
// asks the client's user the questions of the run.
type front struct {
	elicit func(ctx context.Context, shown *mcp.ElicitParams, r approval.Request, page int) (*mcp.ElicitResult, error)
	given  *given        // nil: no answer came in advance
	forms  bool          // the client can show its user a form (elicitation)
	turn   chan struct{} // holds one value: the right to ask, so that a session has one question at a time

	mu    sync.Mutex
	next  string // the text to send next; a newer one replaces it
	wake  chan struct{}
	token any // nil: the client wants no progress
}

var _ ui.UI = (*front)(nil)

// report begins to send progress to the client. The caller must call stop, which
// returns when nothing more is sent. Without a token the client wants no progress, and
// report does nothing.
func (f *front) report(ctx context.Context, session *mcp.ServerSession, token any) (stop func()) {
	if token == nil {
		return func() {}
	}
	f.token, f.wake = token, make(chan struct{}, 1)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-f.wake:
			}
			f.mu.Lock()
			text := f.next
			f.mu.Unlock()
			// The error is ignored: if the client cannot be reached, it has gone away,
			// and that ends the call.
			_ = session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: f.token, Progress: float64(n), Message: text})
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Emit passes the events of the run to the client as progress. It does not wait for the
// client: of several events that arrive meanwhile, only the newest is sent.
func (f *front) Emit(e trace.Event) {
	if f.token == nil {
		return
	}
	text := progressLine(e)
	if text == "" {
		return
	}
	f.mu.Lock()
	f.next = text
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// maxTold is the most bytes that one line of progress may have.
const maxTold = 200

// progressLine returns an event as one line for the client; "" if the client is not told of it.
func progressLine(e trace.Event) string {
	var text string
	switch b := e.Body.(type) {
	case trace.Progress:
		text = b.Description + ": " + b.Status
		if b.Task != "" {
			text += ": " + b.Task
		}
	case trace.ToolStart:
		if b.Kind == "worker" {
			return "" // a Progress event reports it
		}
		text = e.Worker + ": " + b.Tool
	case trace.ModelStart:
		text = fmt.Sprintf("%s: turn %d", e.Worker, b.Turn)
	case trace.Status:
		text = b.Text
	case trace.Fallback:
		text = e.Worker + ": " + b.Text()
	case trace.Warning:
		text = "warning: " + b.Message
	default:
		return ""
	}
	text, _ = approval.Visible(text)
	return short(text, maxTold)
}

// short returns the first most bytes of s, without a partial character, and an ellipsis
// if something was cut off.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return fault.Head(s, most) + "…"
}

// Prompt returns io.EOF: a call is one exchange, so that there is no further message.
func (f *front) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// page is the most bytes of a question that the client shows at once.
const page = 12 << 10

// more is the answer with which the user asks for the next page of a long question.
const more = "more"

// Approve asks the client's user. It returns approval.ErrNobody if the client cannot
// ask its user, and for a question about trust: only the person at this machine may
// trust the project.
func (f *front) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if r.Kind == approval.KindTrust || !f.forms {
		return approval.Decision{}, approval.ErrNobody
	}
	select {
	case <-ctx.Done():
		return approval.Decision{}, ctx.Err()
	case <-f.turn:
	}
	defer func() { f.turn <- struct{}{} }()
	rest := strings.Join(ui.RequestLines(r, 100, false, true), "\n")
	if r.Kind == approval.KindInput {
		return f.input(ctx, r, rest)
	}
	first, given := f.given.takeFor(r)
	for n := 0; ; n++ {
		text := rest
		if len(text) > page {
			text = strings.TrimSuffix(short(rest, page), "…")
		}
		rest = rest[len(text):]
		if n < first {
			continue // the person read it before golem ended
		}
		answer, reason, err := f.choose(ctx, r, n, text, len(rest), given)
		given = nil
		if answer == more && rest != "" && err == nil {
			continue
		}
		d := approval.Decision{ID: r.ID, Answer: approval.No, Reason: reason}
		if answer == string(approval.Yes) && rest == "" {
			d.Answer = approval.Yes
		}
		return d, err
	}
}

// forms reports whether a client can show its user a form.
func forms(c *mcp.ClientCapabilities) bool {
	if c == nil || c.Elicitation == nil {
		return false
	}
	e := c.Elicitation
	return e.Form != nil || e.URL == nil // neither is named: forms, the only kind in older revisions
}

// choose shows one page of a question and returns the answer. To approve, the user must
// select an answer by its name: a form that is accepted without an answer counts as no.
// An answer that was given in advance is taken without showing anything.
func (f *front) choose(ctx context.Context, r approval.Request, n int, text string, hidden int, given *mcp.ElicitResult) (answer, reason string, err error) {
	var names, means []any
	if hidden > 0 {
		text += fmt.Sprintf("\n… %d more bytes: answer %q to read on before you decide", hidden, more)
		names, means = []any{string(approval.No), more}, []any{"no, this once", "show the next page"}
	} else {
		for _, c := range ui.Choices(r) {
			if c.Answer == approval.Yes || c.Answer == approval.No { // what lasts is decided at this machine only
				names, means = append(names, string(c.Answer)), append(means, c.Means)
			}
		}
	}
	properties := map[string]any{
		"answer": map[string]any{"type": "string", "title": "Answer", "enum": names, "enumNames": means},
	}
	if r.Kind == approval.KindTool {
		properties["reason"] = map[string]any{"type": "string", "title": "Reason", "description": "of a no: the worker's model is told"}
	}
	res := given
	if res == nil {
		res, err = f.elicit(ctx, &mcp.ElicitParams{
			Mode: "form", Message: text,
			RequestedSchema: map[string]any{"type": "object", "properties": properties, "required": []any{"answer"}},
		}, r, n)
	}
	switch {
	case err != nil:
		return "", "", err
	case res.Action == "cancel":
		return "", "", io.EOF
	case res.Action != "accept":
		return string(approval.No), "", nil
	}
	answer, _ = res.Content["answer"].(string)
	reason, _ = res.Content["reason"].(string)
	return answer, reason, nil
}

// input asks the client's user for a text. An empty text counts as no answer.
func (f *front) input(ctx context.Context, r approval.Request, text string) (approval.Decision, error) {
	d := approval.Decision{ID: r.ID, Answer: approval.No}
	var err error
	_, res := f.given.takeFor(r)
	if res == nil {
		res, err = f.elicit(ctx, &mcp.ElicitParams{
			Mode: "form", Message: short(text, page),
			RequestedSchema: map[string]any{
				"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string", "title": "Answer"}}, "required": []any{"text"},
			},
		}, r, 0)
	}
	if err != nil || res.Action != "accept" {
		return d, err
	}
	if text, _ := res.Content["text"].(string); strings.TrimSpace(text) != "" {
		d.Answer, d.Text = approval.Yes, text
	}
	return d, nil
}
