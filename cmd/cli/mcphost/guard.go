package mcphost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/wasmtool"

	"golem/cmd/cli/fetch"
	"golem/cmd/cli/secretstore"
)

const (
	authRequest = 30 * time.Second // timeout of one request of a sign-in
	authBody    = 1 << 20          // bytes of one answer
	authAddress = 8 << 10          // bytes of an address that the browser is to open
)

// How near to this machine an address is. A server may not direct golem to an address
// that is nearer than its own: a server on the internet would otherwise reach what only
// this machine or its network can reach.
const (
	onInternet = iota
	onNetwork
	onMachine
)

// authGuard is the HTTP transport for a sign-in at an MCP server. The server and its
// authorization server choose the addresses of the requests. The guard refuses
// addresses that are not https, addresses nearer than the server itself, and every
// redirect.
type authGuard struct {
	server    string // the server's address
	proxied   func(*http.Request) (*url.URL, error)
	via, self http.RoundTripper // the transports with and without a proxy

	mu      sync.Mutex
	near    int          // how near the server is
	refused *fault.Fault // the first address that was refused
	moved   *fault.Fault // the first redirect
	signing bool         // a sign-in began, which needs the metadata of the authorization server
	known   bool         // that metadata was received
}

func newAuthGuard(ctx context.Context, server string) *authGuard {
	g := &authGuard{server: server}
	if u, err := url.Parse(server); err == nil {
		g.near = nearest(ctx, u.Hostname())
	}
	plain := fetch.NewClient().Transport.(*http.Transport)
	plain.DisableKeepAlives = true // the few requests of a sign-in leave no connection open
	direct := plain.Clone()
	direct.Proxy = nil
	dialer := &net.Dialer{Timeout: 15 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return g.allowsIP(address, to.Addr())
	}}
	direct.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if host, _, err := net.SplitHostPort(address); err == nil {
			g.reached(host, nearConn(conn))
		}
		return conn, nil
	}
	g.proxied, g.via, g.self = plain.Proxy, plain, direct
	return g
}

// reached records how near a connection to the server ended. The server counts as near
// only if its connections show it, because its name may resolve to another address each
// time.
func (g *authGuard) reached(host string, near int) {
	if u, err := url.Parse(g.server); err != nil || !strings.EqualFold(host, u.Hostname()) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.near = min(g.near, near)
}

// nearness returns how near the server is, as far as that is known.
func (g *authGuard) nearness() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.near
}

// signsIn marks the beginning of the sign-in itself. From then on, no client is
// registered and no browser is opened before the metadata of the authorization server
// were received, from which the SDK sees whether it supports PKCE (MCP 2025-11-25,
// authorization).
func (g *authGuard) signsIn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.signing = true
}

// unknown returns an error if that metadata is needed and was not received.
func (g *authGuard) unknown() error {
	g.mu.Lock()
	missing := g.signing && !g.known
	g.mu.Unlock()
	if missing {
		return g.refuse(secretstore.HostAndPath(g.server), "whose authorization server has no metadata document, so that golem cannot see whether it supports PKCE")
	}
	return nil
}

func (g *authGuard) client() *http.Client {
	return &http.Client{Transport: g, Timeout: authRequest, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// nearest returns the nearest place where a host may be: of several addresses the
// furthest one counts. A name never counts as this machine, even if it resolves to it,
// because it may resolve to another address the next time; connections show how near it
// really is, see reached.
func nearest(ctx context.Context, host string) int {
	if host == "localhost" {
		return onMachine
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return nearness(ip)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return onInternet
	}
	return furthest(ips)
}

// furthest returns how near a name with these addresses is.
func furthest(ips []netip.Addr) int {
	near := onNetwork
	for _, ip := range ips {
		near = min(near, nearness(ip))
	}
	return near
}

func nearness(ip netip.Addr) int {
	switch ip = ip.Unmap().WithZone(""); {
	case ip.IsLoopback():
		return onMachine
	case wasmtool.Public(ip):
		return onInternet
	}
	return onNetwork
}

// nearConn returns how near the other end of a connection is.
func nearConn(c net.Conn) int {
	if to, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
		return nearness(to.Addr())
	}
	return onInternet
}

func (g *authGuard) refuse(address, why string) *fault.Fault {
	f := fault.New(fault.Network, "the sign-in at %s is refused: it leads to %s, %s", secretstore.HostAndPath(g.server), mcp.Plain(address, 200), why).
		Hinting("tell the people who run the server; until then use a key, with headers: {Authorization: …}")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused == nil {
		g.refused = f
	}
	return g.refused
}

func (g *authGuard) allowsIP(address string, ip netip.Addr) error {
	if nearness(ip) > g.nearness() {
		return g.refuse(address, "an address of this machine or of its network")
	}
	return nil
}

// allows returns an error if golem, or the person's browser, must not request an
// address.
func (g *authGuard) allows(u *url.URL) error {
	near := g.nearness()
	local := near == onMachine && (u.Hostname() == "localhost" || strings.HasPrefix(u.Hostname(), "127.") || u.Hostname() == "::1")
	switch {
	case u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !local):
		return g.refuse(u.Redacted(), "which is not an https address")
	case u.Hostname() == "localhost" && near < onMachine:
		return g.refuse(u.Redacted(), "an address of this machine")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return g.allowsIP(u.Redacted(), ip)
	}
	return nil
}

// allowsBrowser returns an error if the person's browser must not open an address. In
// addition to allows, the host's name must not resolve to an address that is nearer
// than the server.
func (g *authGuard) allowsBrowser(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return g.refuse(address, "which is not a plain address")
	case len(address) > authAddress:
		return g.refuse(address, "which is too long")
	}
	if err := g.allows(u); err != nil {
		return err
	}
	if err := g.unknown(); err != nil {
		return err
	}
	if ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname()); err == nil {
		for _, ip := range ips {
			if err := g.allowsIP(u.Host, ip); err != nil {
				return err
			}
		}
	}
	return nil // a name that does not resolve here is left to the browser and its proxy
}

// RoundTrip sends a request that is allowed. After a refusal it sends nothing more.
func (g *authGuard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.allows(r.URL); err != nil {
		return nil, err
	}
	if before, refused := g.trouble(); refused {
		return nil, before
	}
	if r.Method == http.MethodPost {
		if err := g.unknown(); err != nil {
			return nil, err
		}
	}
	next := g.self
	if proxy, err := g.proxied(r); err == nil && proxy != nil {
		next = g.via
		if _, err := netip.ParseAddr(r.URL.Hostname()); err != nil { // only the proxy knows the address of a name
			g.reached(r.URL.Hostname(), onInternet)
		}
	}
	res, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		res.Body.Close()
		f := fault.New(fault.Network, "the sign-in at %s is refused: %s answered with a redirect, and golem follows none", secretstore.HostAndPath(g.server), secretstore.HostAndPath(r.URL.String()))
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.moved == nil {
			g.moved = f
		}
		return nil, f
	}
	res.Body = &bounded{ReadCloser: res.Body, left: authBody}
	if res.StatusCode == http.StatusOK && (strings.Contains(r.URL.Path, "/.well-known/oauth-authorization-server") || strings.Contains(r.URL.Path, "/.well-known/openid-configuration")) {
		g.mu.Lock()
		g.known = true
		g.mu.Unlock()
	}
	if res.StatusCode == http.StatusOK && strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
		if err := g.resource(res); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// resource checks the metadata document of the protected resource. The SDK skips a
// document that is wrong and tries others; the guard refuses it.
func (g *authGuard) resource(res *http.Response) error {
	data, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil {
		return err
	}
	res.Body = io.NopCloser(bytes.NewReader(data))
	var in struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	own, err := url.Parse(g.server)
	if json.Unmarshal(data, &in) != nil || err != nil {
		return nil // not a document: the SDK tries another
	}
	if u, err := url.Parse(in.Resource); err != nil || u.Scheme != own.Scheme || !strings.EqualFold(u.Host, own.Host) {
		return g.refuse(in.Resource, "another server than yours")
	}
	for _, one := range in.Servers {
		u, err := url.Parse(one)
		if err != nil {
			return g.refuse(one, "which is not an address")
		}
		if err := g.allows(u); err != nil {
			return err
		}
	}
	return nil
}

// trouble returns the first refusal. refused is true if it was that of an address, and
// false for a redirect or if there was none.
func (g *authGuard) trouble() (f *fault.Fault, refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != nil {
		return g.refused, true
	}
	return g.moved, false
}
