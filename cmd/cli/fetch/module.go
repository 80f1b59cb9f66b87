package fetch

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
	"golem/core/ui"
	"golem/core/wasmtool"
)

// Limits of one HTTP request of a module, in addition to those of its call.
const (
	ModuleRedirects   = 5
	ModuleDialTimeout = 15 * time.Second
	ModuleHeaderWait  = 60 * time.Second
	ModuleHeaderBytes = 64 << 10
)

// Modules makes the HTTP requests of modules (SPEC §6). Each request has its own
// connections, so that nothing passes from one module to another. It ignores the
// proxies of the environment, because behind a proxy golem could not check the address
// that is reached.
type Modules struct {
	resolver *net.Resolver // nil: the system's
}

// Fetch is a wasmtool.Fetcher. It asks the policy about each redirect, and about each
// address at the moment of connecting, so that a second answer of a name server cannot
// lead to another address.
func (m Modules) Fetch(ctx context.Context, r wasmtool.HTTPRequest, p wasmtool.Policy) (wasmtool.HTTPResponse, error) {
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
	transport := m.Transport(p)
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: hopByHop(p)}
	res, err := client.Do(req)
	if err != nil {
		return wasmtool.HTTPResponse{}, FailedRequest(ctx, u, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, p.Received()+1))
	switch {
	case err != nil:
		return wasmtool.HTTPResponse{}, FailedRequest(ctx, u, err)
	case int64(len(body)) > p.Received():
		return wasmtool.HTTPResponse{}, p.TooMuch(u.Host)
	}
	out := wasmtool.HTTPResponse{URL: res.Request.URL.String(), Status: res.StatusCode, Header: make(map[string]string, len(res.Header)), Body: body}
	for k, v := range res.Header {
		out.Header[strings.ToLower(k)] = strings.Join(v, ", ")
	}
	return out, nil
}

// Transport returns a transport that connects only to addresses that the policy allows.
func (m Modules) Transport(p wasmtool.Policy) *http.Transport {
	return &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			d := net.Dialer{
				Timeout: ModuleDialTimeout, Resolver: m.resolver,
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
		TLSHandshakeTimeout:    ModuleDialTimeout,
		ResponseHeaderTimeout:  ModuleHeaderWait,
		MaxResponseHeaderBytes: ModuleHeaderBytes,
		ForceAttemptHTTP2:      true,
	}
}

// safeHeaders are the headers that golem still sends after a redirect to another host.
// Any other header that a module sets may contain a key for the first host.
var safeHeaders = map[string]bool{"Accept": true, "Accept-Language": true, "Content-Type": true, "User-Agent": true}

// hopByHop returns a redirect check that asks the policy about every redirect.
func hopByHop(p wasmtool.Policy) func(*http.Request, []*http.Request) error {
	return func(r *http.Request, via []*http.Request) error {
		if len(via) > ModuleRedirects {
			return fault.New(fault.Network, "%s redirected more than %d times", via[0].URL.Host, ModuleRedirects)
		}
		u, err := p.URL(r.URL.String())
		if err != nil {
			f := *fault.Of(err, fault.Network)
			f.Message = fmt.Sprintf("%s redirects: %s", via[len(via)-1].URL.Host, f.Message)
			return &f
		}
		r.URL = u // the spelling that the policy has checked
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

// FailedRequest returns the fault for a failed request, without the address's query,
// which may contain a key.
func FailedRequest(ctx context.Context, u *url.URL, err error) error {
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
	return fault.New(fault.Network, "the request to %s failed: %s", u.Host, wasmtool.Escape([]byte(ui.OneLine(err.Error())), 300)) // it may quote the server
}
