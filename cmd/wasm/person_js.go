package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"syscall/js"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// page is the user interface of one run: it sends events to the page as lines of JSON, and
// waits for the page's answers to questions.
type page struct {
	ui.JSON
	call     *call
	headless bool
	kept     *message // has come and was not used yet
}

var _ ui.UI = (*page)(nil)

// Emit sends an event to the page. Events are sent together, when golem waits; after the end
// of a tool call they are sent at once, because golem may not wait for a while.
func (p *page) Emit(e trace.Event) {
	p.JSON.Emit(e)
	if _, ends := e.Body.(trace.ToolEnd); ends {
		p.call.server.scope.Call("golemTold")
	}
}

// Approve asks the person through the page and waits for the answer. It returns
// approval.ErrNobody if the page has no one to ask, and the cause of ctx if ctx ends. If the
// page is closed, this web worker ends with it.
func (p *page) Approve(ctx context.Context, r approval.Request) (approval.Decision, error) {
	if p.headless {
		return approval.Decision{}, approval.ErrNobody
	}
	p.call.post("ask", decoded(question{r, shown(r.Args)}))
	for {
		select {
		case <-ctx.Done():
			p.call.post("withdrawn", r.ID)
			return approval.Decision{}, context.Cause(ctx)
		case raw := <-p.call.answers:
			var d approval.Decision
			if err := json.Unmarshal(raw, &d); err != nil || d.ID != r.ID {
				continue // an answer to another request
			}
			switch d.Answer {
			case "nobody":
				return d, approval.ErrNobody
			case "failed":
				return d, errors.New("the page's function approve failed")
			}
			return d, nil
		}
	}
}

// question is a request in the form in which the page gets it.
type question struct {
	approval.Request
	Shown map[string]string `json:"shown,omitempty"`
}

// shown returns the JSON of each argument that is not a string, indented. The page shows it,
// because JavaScript does not keep all digits of a number.
func shown(args json.RawMessage) map[string]string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return nil // a question without arguments
	}
	out := map[string]string{}
	for name, raw := range fields {
		var b bytes.Buffer
		if raw[0] != '"' && json.Indent(&b, raw, "", "  ") == nil {
			out[name] = b.String()
		}
	}
	return out
}

// message is a message of the person in a chat; err is E_USAGE if it is not complete.
type message struct {
	in    run.Input
	after bool // it waits for the end of the exchange that runs
	err   error
}

// messageOf reads {say, after?, attachments?, bytes?}.
func messageOf(m js.Value) message {
	names := []string{}
	if list := m.Get("attachments"); list.Type() == js.TypeObject {
		for i := range list.Length() {
			names = append(names, list.Index(i).String())
		}
	}
	files, err := attached(names, m.Get("bytes"))
	return message{run.Input{Text: m.Get("say").String(), Attachments: files}, m.Get("after").Truthy(), err}
}

// next returns the first message that has come and was not used; nil if there is none.
func (p *page) next() *message {
	if p.kept == nil {
		select {
		case m := <-p.call.said:
			p.kept = &m
		default:
		}
	}
	return p.kept
}

// Steer returns the next message that the page sent during an exchange, unless it waits for
// the end of the exchange, as commands do.
func (p *page) Steer() (run.Input, bool) {
	m := p.next()
	if m == nil || m.after || m.err != nil || !ui.IsMessage(m.in.Text) {
		return run.Input{}, false
	}
	p.kept = nil
	return m.in, true
}

// Prompt waits for the person's next message.
func (p *page) Prompt(ctx context.Context) (run.Input, error) {
	p.call.mu.Lock()
	p.call.begun = true
	p.call.mu.Unlock()
	p.call.event(`{"type":"prompt"}`)
	if m := p.next(); m != nil { // before ended: the page sent these messages before it ended
		p.kept = nil
		return m.in, m.err
	}
	select {
	case <-ctx.Done():
		return run.Input{}, context.Cause(ctx)
	case m := <-p.call.said:
		return m.in, m.err
	case <-p.call.ended:
		return run.Input{}, io.EOF
	}
}

// lines returns a writer that calls f with each written line, without the line break.
func lines(f func(string)) io.Writer { return lineFunc(f) }

type lineFunc func(string)

func (f lineFunc) Write(b []byte) (int, error) {
	f(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}
