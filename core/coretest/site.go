package coretest

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// SiteAt is the address of a case's web server. Natively nothing listens there: the requests
// stay in memory.
const SiteAt = "127.0.0.1:1"

// Web is the web server of a case, for the toolset web. It records the requests.
type Web struct {
	mu    sync.Mutex
	site  map[string]Reply
	asked []string
}

// Web returns the case's server, or nil if it has none.
func (c Case) Web() *Web {
	if len(c.Site) == 0 {
		return nil
	}
	return &Web{site: c.Site}
}

// Answer records a request and returns the server's answer; target is the path with the
// query.
func (w *Web) Answer(method, target string, body []byte) Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, strings.TrimSpace(fmt.Sprintf("%s http://%s%s %s", method, SiteAt, target, body)))
	if r, ok := w.site[strings.TrimPrefix(target, "/")]; ok {
		return r
	}
	return Reply{Status: 404}
}

// Fetch reaches only the server, if the policy allows it.
func (w *Web) Fetch(_ context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (out wasmtool.HTTPResponse, err error) {
	u, err := p.URL(r.URL)
	if err != nil {
		return out, err
	}
	at, err := netip.ParseAddrPort(u.Host)
	if err != nil || u.Host != SiteAt || w == nil {
		return out, fault.New(fault.Network, "a case has no network but its site")
	}
	if err := p.Address(u.Hostname(), at); err != nil {
		return out, err
	}
	target := (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
	reply := w.Answer(r.Method, target, r.Body)
	out = wasmtool.HTTPResponse{Status: reply.Status, Header: map[string]string{}, Body: reply.Body, URL: u.String()}
	for name := range reply.Header {
		out.Header[strings.ToLower(name)] = reply.Header.Get(name)
	}
	return out, nil
}

// Settle adds the requests that the server got to the outcome.
func (w *Web) Settle(o *Outcome) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.asked {
		o.Sent += line + "\n"
	}
}

// Moves has addresses in a case and their replacements: old, new, old, new.
type Moves []string

// Moved returns the case with the addresses replaced; Back undoes that in an outcome.
func (c Case) Moved(m Moves) Case {
	out, to := c, strings.NewReplacer(m...)
	out.Project = map[string][]byte{}
	for name, data := range c.Project {
		out.Project[name] = []byte(to.Replace(string(data)))
	}
	out.Settings.Config = to.Replace(c.Settings.Config)
	return out
}

// Back undoes Moved in an outcome.
func (o Outcome) Back(m Moves) Outcome {
	m = slices.Clone(m)
	slices.Reverse(m)
	from := strings.NewReplacer(m...)
	for _, text := range []*string{&o.Output, &o.Trace, &o.Requests, &o.Sent, &o.Faults} {
		*text = from.Replace(*text)
	}
	for name, data := range o.Files {
		o.Files[name] = []byte(from.Replace(string(data)))
	}
	return o
}
