package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
)

// wire sends one request over the platform's HTTP client. It adds what the request
// lacks (messages, the key, the row's headers) and removes the headers that strict
// cross-origin rules of browsers refuse (Cache-Control, Connection, Accept). It returns
// only an answer from the host that was asked, as a stream of events.
type wire struct {
	model   *remote
	guard   *guard
	payload payload
}

// Do sends the request when the lane lets it go out. The body of the answer is events.
func (w wire) Do(req *http.Request) (*http.Response, error) {
	m := w.model
	for _, name := range []string{"Cache-Control", "Connection", "Accept"} {
		req.Header.Del(name)
	}
	m.end.sign(req)
	if err := w.splice(req); err != nil {
		return nil, fault.Of(err, fault.Model)
	}
	w.guard.pause()
	leave, err := m.lane.enter(w.guard.ctx)
	if err != nil {
		return nil, err
	}
	w.guard.heard()
	resp, err := m.config.HTTP.Do(req)
	w.guard.pause()
	leave(err == nil && resp != nil && m.lane.heed(resp, m.config.now()))
	if err != nil || resp == nil || resp.Body == nil {
		return nil, m.unreachable(err)
	}
	body := newEvents(resp.Body, w.guard, m.config.maxBytes(), m.clean)
	if err := m.accept(req.URL, resp, body); err != nil {
		_ = body.Close()
		return nil, w.payload.named(err)
	}
	resp.Body, w.guard.body = body, body
	return resp, nil
}

// splice puts messages and tools into the request's body.
func (w wire) splice(req *http.Request) error {
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	b, err := w.model.splice(w.payload, data)
	if err != nil {
		return err
	}
	req.Body, req.ContentLength = b.open(), b.size()
	req.GetBody = func() (io.ReadCloser, error) { return b.open(), nil }
	return nil
}

// unreachable returns the fault of a request without an answer.
func (m *remote) unreachable(err error) error {
	do := hintOrPage("check the network; if the address is wrong, set "+BaseURLVar(m.end.row.Name), "check the network; if the address is wrong, change it in the settings")
	if m.end.row.unreachable != "" {
		do = remedy{hint: m.end.row.unreachable}
	}
	var own *fault.Fault                                                                 // the platform's fault, which says everything
	if errors.As(err, &own) && (own.Code == fault.Model || own.Code == fault.Platform) { // of a lent model
		out := *own
		out.Message = m.clean(own.Message)
		return &out
	}
	if own != nil {
		switch {
		case own.Hint != "" && m.end.row.unreachable != "":
			do.hint += "; " + m.clean(own.Hint)
		case own.Hint != "":
			do = remedy{hint: m.clean(own.Hint)}
		}
		return (&failure{retry: true, message: m.clean(own.Message), err: err}).fault(fault.Model, do)
	}
	cause := "no answer"
	if err != nil {
		cause = m.clean(innermost(err).Error())
	}
	return (&failure{retry: true, message: fmt.Sprintf("cannot reach %s: %s", m.end.url.Host, cause), err: err}).
		fault(fault.Model, do)
}

// toolPlace matches how providers name a tool of a request: by its position.
var toolPlace = regexp.MustCompile(`\btools(?:\.|\[|/)(\d{1,4})\]?`)

// named adds the name of the tool to an error that names a tool by its position.
func (p payload) named(err error) error {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return err
	}
	f.Message = toolPlace.ReplaceAllStringFunc(f.Message, func(place string) string {
		i, bad := strconv.Atoi(toolPlace.FindStringSubmatch(place)[1])
		if bad != nil || i >= len(p.names) {
			return place
		}
		return place + " (the tool " + p.names[i] + ")"
	})
	return err
}

// innermost returns the cause alone, without the addresses around it, which the message
// names anyway. It keeps the whole error of a proxy.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	for !strings.Contains(err.Error(), "proxy") {
		inner := errors.Unwrap(err)
		if inner == nil {
			break
		}
		err = inner
	}
	return err
}

// accept refuses every answer but one from the host that was asked, in a form
// that golem reads.
func (m *remote) accept(asked *url.URL, resp *http.Response, body *events) error {
	if otherHost(asked, resp) {
		return m.redirectedError(asked, resp)
	}
	if resp.StatusCode/100 != 2 { // some gateways say 201 for 200
		return m.refused(resp, body.in)
	}
	contentType := resp.Header.Get("Content-Type")
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind == "text/event-stream" || contentType == "" || looksRight(body.in) {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(body.in, maxError)) // an error does not matter: what came is quoted
	if c := complain(data); c.message != "" {
		return c.broken(m.clean)
	}
	what, says := m.clean(contentType), m.clean(string(data))
	page := looksHTML(contentType, data)
	switch {
	case page:
		what, says = "an HTML page", ""
	case says != "":
		says = ": " + says
	}
	speaks := " must be one that speaks the OpenAI protocol, often ending in /v1"
	if _, anthropic := m.api.(anthropicAPI); anthropic {
		speaks = " must be one that speaks Anthropic's protocol"
	}
	// A page is what a wrong address has; other words are those of a gateway in trouble.
	return (&failure{retry: !page, message: fmt.Sprintf("%s answered with %s instead of an event stream%s", m.end.url.Host, what, says)}).
		fault(fault.Model, hintOrPage("check the address: "+BaseURLVar(m.end.row.Name)+speaks, "check the address in the settings: it"+speaks))
}

// otherHost reports whether an answer comes from another host or scheme than the one
// that was asked.
func otherHost(asked *url.URL, resp *http.Response) bool {
	r := resp.Request
	return r != nil && r.URL != nil && (r.URL.Scheme != asked.Scheme || !strings.EqualFold(r.URL.Host, asked.Host))
}

func (m *remote) redirectedError(asked *url.URL, resp *http.Response) error {
	return (&failure{message: fmt.Sprintf("%s redirected to another host, %s, and golem does not follow", asked.Host, m.clean(resp.Request.URL.Host))}).
		fault(fault.Model, m.finalAddress())
}

// looksRight reports whether a body begins as a stream of events or a JSON
// object does, whatever type it was declared to have.
func looksRight(in *bufio.Reader) bool {
	head, _ := in.Peek(64) // a body may be shorter
	text := strings.TrimLeft(strings.TrimPrefix(string(head), "\uFEFF"), " \t\r\n")
	if text == "" {
		return true // an empty answer
	}
	return slices.ContainsFunc([]string{"data:", "event:", "id:", "retry:", ":", "{", "["}, func(start string) bool { return strings.HasPrefix(text, start) })
}
