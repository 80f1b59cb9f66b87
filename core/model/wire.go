package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"golem/core/fault"
)

// wire carries one request of go-openai over the lent doer. It puts in what
// go-openai cannot say (patches, the key, the row's headers), takes out the
// headers that strict cross-origin rules of browsers refuse (Cache-Control,
// Connection, Accept), and hands back only an event stream from the host that
// was asked. Its errors are faults.
type wire struct {
	model   *remote
	guard   *guard
	patches []patch
}

// Do sends one request.
func (w wire) Do(req *http.Request) (*http.Response, error) {
	m := w.model
	for _, name := range []string{"Cache-Control", "Connection", "Accept"} {
		req.Header.Del(name)
	}
	for name, value := range m.end.row.Headers {
		req.Header.Set(name, value)
	}
	if m.end.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.end.key)
	}
	if err := w.patch(req); err != nil {
		return nil, fault.New(fault.Model, "the request cannot be written: %w", err)
	}
	w.guard.heard()
	resp, err := m.config.HTTP.Do(req)
	w.guard.pause()
	if err != nil || resp == nil || resp.Body == nil {
		return nil, m.unreachable(err)
	}
	body := newEvents(resp.Body, w.guard, m.config.maxBytes(), m.clean)
	if err := m.accept(req.URL, resp, source{body}); err != nil {
		_ = body.Close()
		return nil, err
	}
	resp.Body, w.guard.body = body, body
	return resp, nil
}

func (w wire) patch(req *http.Request) error {
	if len(w.patches) == 0 || req.Body == nil {
		return nil
	}
	data, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	if data, err = apply(data, w.patches); err != nil {
		return err
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	req.ContentLength = int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return nil
}

// unreachable is a request without an answer.
func (m *remote) unreachable(err error) error {
	cause := "no answer"
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		cause = m.clean(err.Error())
	}
	hint := fmt.Sprintf("check the network; if the address is wrong, set %s_BASE_URL", envName(m.end.row.Name))
	if m.end.row.unreachable != "" {
		hint = m.end.row.unreachable
	}
	return (&failure{retry: true, message: fmt.Sprintf("cannot reach %s: %s", m.end.url.Host, cause), err: err}).
		fault(fault.Model, hint)
}

// accept refuses every answer but an event stream from the host that was asked.
func (m *remote) accept(asked *url.URL, resp *http.Response, body io.Reader) error {
	if r := resp.Request; r != nil && r.URL != nil && (r.URL.Scheme != asked.Scheme || !strings.EqualFold(r.URL.Host, asked.Host)) {
		return (&failure{message: fmt.Sprintf("%s redirected to another host, %s: refused", asked.Host, m.clean(r.URL.Host))}).
			fault(fault.Model, fmt.Sprintf("set %s_BASE_URL to the final address if you trust it", envName(m.end.row.Name)))
	}
	if resp.StatusCode != http.StatusOK {
		return m.refused(resp, body)
	}
	contentType := resp.Header.Get("Content-Type")
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind == "text/event-stream" || contentType == "" {
		return nil
	}
	data, _ := io.ReadAll(io.LimitReader(body, maxError)) // what came is told, however it ended
	if says, status := providerSays(data); says != "" {
		return (&failure{status: status, retry: retriable(status), message: m.end.row.Name + " answered with an error: " + m.clean(says)}).
			fault(fault.Model, "")
	}
	what := m.clean(contentType)
	if looksHTML(contentType, data) {
		what = "an HTML page"
	}
	return (&failure{message: fmt.Sprintf("%s answered with %s instead of an event stream", m.end.url.Host, what)}).
		fault(fault.Model, fmt.Sprintf("check the address: %s_BASE_URL must be one that speaks the OpenAI protocol, often ending in /v1", envName(m.end.row.Name)))
}
