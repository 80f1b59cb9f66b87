package coretest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Reply is the HTTP response of a provider to one request.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// parseReply parses a file of replies/. It is the body alone, or a line such as "HTTP 400",
// header lines, an empty line and the body.
func parseReply(data []byte) (Reply, error) {
	r := Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: data}
	if !bytes.HasPrefix(data, []byte("HTTP ")) {
		return r, nil
	}
	in := bufio.NewReader(bytes.NewReader(data))
	line, err := in.ReadString('\n')
	if err != nil {
		return r, fmt.Errorf("a reply has no body")
	}
	if r.Status, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "HTTP "))); err != nil {
		return r, fmt.Errorf("a reply has no status: %w", err)
	}
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); line == "" || err != nil {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		r.Header.Set(name, strings.TrimSpace(value))
	}
	r.Body, err = io.ReadAll(in)
	return r, err
}

// Provider answers the model requests of a case with its replies, in order, and
// stores the requests.
type Provider struct {
	mu      sync.Mutex
	replies []Reply
	sent    []string
	surplus int
}

// Provider returns a provider with the case's replies, or nil if it has none.
func (c Case) Provider() *Provider {
	if len(c.Replies) == 0 {
		return nil
	}
	return &Provider{replies: c.Replies}
}

// Next records the body of a request, which is empty for a list of models, and returns the
// next reply.
func (p *Provider) Next(body []byte) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := "(no body)"
	if len(body) > 0 {
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			return Reply{}, fmt.Errorf("a request is not JSON: %w", err)
		}
		said = plainJSON(named(value))
	}
	p.sent = append(p.sent, said)
	if len(p.sent) > len(p.replies) {
		p.surplus++
		return Reply{}, errors.New("the case has no reply to this request")
	}
	return p.replies[len(p.sent)-1], nil
}

// named returns a request's body in which each tool is replaced by its name, because a case
// does not test descriptions and schemas of tools.
func named(body any) any {
	o, ok := body.(map[string]any)
	if !ok {
		return body
	}
	tools, ok := o["tools"].([]any)
	if !ok {
		return body
	}
	for i, t := range tools {
		one, _ := t.(map[string]any)
		if f, ok := one["function"].(map[string]any); ok {
			one = f
		}
		tools[i] = one["name"]
	}
	return o
}

// Do answers a request in memory, so that a Provider can replace the platform's HTTP client.
func (p *Provider) Do(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	reply, err := p.Next(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: reply.Status, Header: reply.Header.Clone(), Body: io.NopCloser(bytes.NewReader(reply.Body)), Request: r}, nil
}

// Settle adds the requests that were sent to the outcome, and a problem if their number is
// not that of the replies.
func (p *Provider) Settle(o *Outcome) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sent {
		o.Sent += s + "\n"
	}
	if len(p.sent) < len(p.replies) || p.surplus > 0 {
		o.Problems = append(o.Problems, fmt.Sprintf("%d requests for %d replies", len(p.sent), len(p.replies)))
	}
}
