package mcpserve

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// front is the front end of one call: what happens goes to the client as progress, and
// questions are put to the client's user.
type front struct {
	session *mcp.ServerSession
	turn    chan struct{} // one question of a session at a time

	mu    sync.Mutex
	next  string // what is to be told next; only the newest counts
	wake  chan struct{}
	token any // nil: the client wants no progress
}

var _ ui.UI = (*front)(nil)

// report sends progress until stop is called.
func (f *front) report(ctx context.Context, token any) (stop func()) {
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
			// A client that cannot be told has gone away, which ends the call.
			_ = f.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: f.token, Progress: float64(n), Message: text})
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Emit tells the client of the workers and tools of the run. It does not wait for the
// client: of what comes meanwhile only the newest is told.
func (f *front) Emit(e trace.Event) {
	if f.token == nil {
		return
	}
	text := told(e)
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

// maxTold is how many bytes of a line of progress the client gets.
const maxTold = 200

// told is an event in one line; "": the client does not hear of it.
func told(e trace.Event) string {
	var text string
	switch b := e.Body.(type) {
	case trace.Progress:
		text = b.Description + ": " + b.Status
		if b.Task != "" {
			text += ": " + b.Task
		}
	case trace.ToolStart:
		if b.Kind == "worker" {
			return "" // Progress tells it
		}
		text = e.Worker + ": " + b.Tool
	case trace.ModelStart:
		text = fmt.Sprintf("%s: turn %d", e.Worker, b.Turn)
	case trace.Status:
		text = b.Text
	case trace.Warning:
		text = "warning: " + b.Message
	default:
		return ""
	}
	text, _ = approval.Visible(text)
	return short(text, maxTold)
}

// short is the beginning of a text, in whole characters.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Prompt has no further message: a call is one exchange.
func (f *front) Prompt(context.Context) (run.Input, error) { return run.Input{}, io.EOF }

// page is how many bytes of a question the client shows at once.
const page = 12 << 10

// more asks for the rest of a question that is longer than a page.
const more = "more"

// Approve puts a question to the client's user. Whoever is at the client did not trust
// the project: that stays with the person at this machine.
func (f *front) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if r.Kind == approval.KindTrust || !f.asks() {
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
	for {
		text := rest
		if len(text) > page {
			text = strings.TrimSuffix(short(rest, page), "…")
		}
		rest = rest[len(text):]
		answer, reason, err := f.choose(ctx, r, text, len(rest))
		if answer == more && rest != "" && err == nil {
			continue
		}
		d := approval.Decision{ID: r.ID, Answer: approval.No, Reason: reason}
		if a := approval.Answer(answer); r.Offers(a) && a != approval.Keep {
			d.Answer = a
		}
		return d, err
	}
}

// asks tells whether the client can ask its user with a form.
func (f *front) asks() bool {
	p := f.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil // neither: forms, as before there were two kinds
}

// choose shows a page of a question and takes the answer. An approval has to be chosen
// by its name: accepting a form that says nothing is a no.
func (f *front) choose(ctx context.Context, r approval.Request, text string, hidden int) (answer, reason string, err error) {
	var names, means []any
	if hidden > 0 {
		text += fmt.Sprintf("\n… %d more bytes: answer %q to read on before you decide", hidden, more)
		names, means = []any{string(approval.No), more}, []any{"no, this once", "show the next page"}
	} else {
		for _, c := range ui.Choices(r) {
			if c.Answer != approval.Keep { // a lasting rule is made at this machine
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
	res, err := f.session.Elicit(ctx, &mcp.ElicitParams{
		Mode: "form", Message: text,
		RequestedSchema: map[string]any{"type": "object", "properties": properties, "required": []any{"answer"}},
	})
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

// input asks for a text.
func (f *front) input(ctx context.Context, r approval.Request, text string) (approval.Decision, error) {
	d := approval.Decision{ID: r.ID, Answer: approval.No}
	res, err := f.session.Elicit(ctx, &mcp.ElicitParams{
		Mode: "form", Message: short(text, page),
		RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string", "title": "Answer"}}, "required": []any{"text"},
		},
	})
	if err != nil || res.Action != "accept" {
		return d, err
	}
	if text, _ := res.Content["text"].(string); strings.TrimSpace(text) != "" {
		d.Answer, d.Text = approval.Yes, text
	}
	return d, nil
}
