package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// Bounds of one request of a module, beside those of its call.
const (
	moduleRedirects   = 5
	moduleDialTimeout = 15 * time.Second
	moduleHeaderWait  = 60 * time.Second
	moduleHeaderBytes = 64 << 10
)

// moduleFetcher makes the HTTP requests of modules (SPEC §6). Each request has
// connections of its own, so that nothing passes from one module to another.
// Proxies of the environment are not used: behind one, nobody could check the
// address that is reached.
type moduleFetcher struct {
	resolver *net.Resolver // nil: the system's
}

// fetch is a wasmtool.Fetcher. The policy is asked for each hop, and for each
// address at the moment it is connected to, so that no second answer of a name
// server leads elsewhere.
func (m moduleFetcher) fetch(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
	u, err := p.URL(r.URL)
	if err != nil {
		return wasmtool.HTTPResponse{}, err
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), bytes.NewReader(r.Body))
	if err != nil {
		return wasmtool.HTTPResponse{}, fault.New(fault.Network, "the HTTP request is not valid: %w", err)
	}
	req.Header.Set("User-Agent", "golem")
	for k, v := range r.Header {
		req.Header.Set(k, v)
	}
	transport := m.transport(p)
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: hopByHop(p)}
	res, err := client.Do(req)
	if err != nil {
		return wasmtool.HTTPResponse{}, failedRequest(ctx, u, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, p.Received()+1))
	switch {
	case err != nil:
		return wasmtool.HTTPResponse{}, failedRequest(ctx, u, err)
	case int64(len(body)) > p.Received():
		return wasmtool.HTTPResponse{}, p.TooMuch(u.Host)
	}
	out := wasmtool.HTTPResponse{URL: res.Request.URL.String(), Status: res.StatusCode, Header: make(map[string]string, len(res.Header)), Body: body}
	for k, v := range res.Header {
		out.Header[strings.ToLower(k)] = strings.Join(v, ", ")
	}
	return out, nil
}

// transport connects only to addresses that the policy admits.
func (m moduleFetcher) transport(p wasmtool.Policy) *http.Transport {
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			d := net.Dialer{
				Timeout: moduleDialTimeout, Resolver: m.resolver,
				Control: func(_, connected string, _ syscall.RawConn) error {
					at, err := netip.ParseAddrPort(connected)
					if err != nil {
						return fault.New(fault.Network, "%s has no address that could be reached", host)
					}
					return p.Address(host, at)
				},
			}
			return d.DialContext(ctx, network, address)
		},
		TLSHandshakeTimeout:    moduleDialTimeout,
		ResponseHeaderTimeout:  moduleHeaderWait,
		MaxResponseHeaderBytes: moduleHeaderBytes,
		ForceAttemptHTTP2:      true,
	}
}

// safeHeaders are those that follow a redirect to another host; whatever else
// a module sets may be a key meant for the first one.
var safeHeaders = map[string]bool{"Accept": true, "Accept-Language": true, "Content-Type": true, "User-Agent": true}

// hopByHop asks the policy about every redirect.
func hopByHop(p wasmtool.Policy) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if len(via) > moduleRedirects {
			return fault.New(fault.Network, "%s redirected more than %d times", via[0].URL.Host, moduleRedirects)
		}
		u, err := p.URL(r.URL.String())
		if err != nil {
			f := *fault.Of(err, fault.Network)
			f.Message = fmt.Sprintf("%s redirects: %s", via[len(via)-1].URL.Host, f.Message)
			return &f
		}
		r.URL = u // in the one spelling that was judged
		last := via[len(via)-1].URL
		if last.Scheme == "https" && r.URL.Scheme != "https" {
			return fault.New(fault.Network, "%s redirects from https to http", last.Host)
		}
		r.Header.Del("Referer")
		if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
			for k := range r.Header {
				if !safeHeaders[k] {
					r.Header.Del(k)
				}
			}
		}
		return nil
	}
}

// failedRequest says what went wrong, without the address's query, which may
// hold a key.
func failedRequest(ctx context.Context, u *url.URL, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	if cerr := context.Cause(ctx); cerr != nil {
		return fault.Of(cerr, fault.Timeout)
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return fault.New(fault.Network, "the request to %s failed: %s", u.Host, wasmtool.Escape([]byte(oneLine(err.Error())), 300)) // it may quote the server
}
