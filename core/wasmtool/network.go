package wasmtool

import (
	"context"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golem/core/fault"
)

// Fetcher makes one HTTP request for a module. It asks the policy before each
// hop, redirects included, and before connecting to each address that a name
// resolved to; where it cannot see addresses (a browser), it follows no
// redirect. It bounds the response by MaxResponse.
type Fetcher func(ctx context.Context, r HTTPRequest, p Policy) (HTTPResponse, error)

// Bounds of what a module sends and receives.
const (
	MaxRequest  = 4 << 20 // bytes of a body
	MaxResponse = 8 << 20
	maxURL      = 8 << 10
)

// Policy is where a module may go: the allowed_hosts of its grants. An entry is
// a host name, or *.example.com for the names below one, or an address, each
// with a port (:8080) or for the ports 80 and 443.
type Policy struct{ Hosts []string }

// URL tells whether a request may go to an address: http or https, without a
// user, to an allowed host and port.
func (p Policy) URL(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fault.New(fault.Network, "the module asks for an address of %d bytes", len(raw))
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, fault.New(fault.Network, "the module asks for %q, which is no address", escaped([]byte(raw), 200))
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Network, "the module asks for %q, and only http and https are allowed", escaped([]byte(raw), 200))
	}
	if u.User != nil {
		return nil, fault.New(fault.Network, "the module asks for an address with a user in it")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, ok := p.entry(host, port(u)); !ok {
		return nil, fault.New(fault.Network, "the module asks for %s, which is none of its allowed_hosts", escaped([]byte(u.Host), 200)).
			Hinting("add the host in toolsets.custom.modules if the tool may talk to it")
	}
	return u, nil
}

func port(u *url.URL) int {
	if p := u.Port(); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil {
			return -1
		}
		return n
	}
	if u.Scheme == "http" {
		return 80
	}
	return 443
}

// entry finds what allows a host and port.
func (p Policy) entry(host string, port int) (string, bool) {
	for _, h := range p.Hosts {
		name, ports := splitPort(strings.ToLower(h))
		if ports != 0 && ports != port || ports == 0 && port != 80 && port != 443 {
			continue
		}
		if rest, wild := strings.CutPrefix(name, "*."); wild {
			if strings.HasSuffix(host, "."+rest) && !isAddress(host) {
				return name, true
			}
			continue
		}
		if name == host {
			return name, true
		}
	}
	return "", false
}

// splitPort takes the port from an entry; 0 is none.
func splitPort(h string) (string, int) {
	if rest, ok := strings.CutPrefix(h, "["); ok { // [::1]:8080
		name, tail, _ := strings.Cut(rest, "]")
		n, err := strconv.Atoi(strings.TrimPrefix(tail, ":"))
		if tail == "" || err != nil {
			return name, 0
		}
		return name, n
	}
	i := strings.LastIndexByte(h, ':')
	if i < 0 || strings.Count(h, ":") > 1 {
		return h, 0
	}
	n, err := strconv.Atoi(h[i+1:])
	if err != nil {
		return h, 0
	}
	return h[:i], n
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// CheckHost tells whether an entry of allowed_hosts is well-formed.
func CheckHost(entry string) error {
	name, port := splitPort(strings.ToLower(entry))
	bare := strings.TrimPrefix(name, "*.")
	ok := bare != "" && len(bare) <= 253 && port >= 0 && port <= 65535
	if !isAddress(bare) {
		for label := range strings.SplitSeq(bare, ".") {
			ok = ok && validLabel(label)
		}
	} else if bare != name {
		ok = false
	}
	if !ok {
		return fault.New(fault.Config, "allowed_hosts has %q, which is no host", escaped([]byte(entry), 100)).
			Hinting("write a host name, *.example.com, or an address, with or without a port")
	}
	return nil
}

func validLabel(l string) bool {
	if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' {
		return false
	}
	for _, c := range l {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// Address tells whether a connection for host may be made to an address it
// resolved to: none that is private, local or special, unless that very
// address, or localhost, is what is allowed.
func (p Policy) Address(host string, at netip.AddrPort) error {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	entry, ok := p.entry(host, int(at.Port()))
	if !ok {
		return fault.New(fault.Network, "%s is none of the module's allowed_hosts", escaped([]byte(host), 200))
	}
	addr := at.Addr().Unmap().WithZone("")
	if public(addr) {
		return nil
	}
	literal, err := netip.ParseAddr(entry)
	if err == nil && literal.Unmap() == addr || entry == "localhost" && addr.IsLoopback() {
		return nil
	}
	return fault.New(fault.Network, "%s resolves to %s, which is private or local", escaped([]byte(host), 200), addr).
		Hinting("list the address itself in allowed_hosts if the tool may reach it")
}

// special are the networks that are neither private nor local by netip's own
// words and still not the public network's.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("fec0::/10"),
}

func public(a netip.Addr) bool {
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// ownHeaders are what a module may not set: they belong to the connection.
var ownHeaders = map[string]bool{
	"host": true, "connection": true, "content-length": true, "transfer-encoding": true, "te": true, "trailer": true,
	"upgrade": true, "keep-alive": true, "proxy-authorization": true, "proxy-connection": true, "expect": true,
}

var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true}

// Request checks a request and completes it: an allowed address, a known
// method (GET if none), headers that are the module's to set.
func (p Policy) Request(r HTTPRequest) (HTTPRequest, error) {
	if _, err := p.URL(r.URL); err != nil {
		return r, err
	}
	r.Method = strings.ToUpper(r.Method)
	if r.Method == "" {
		r.Method = "GET"
	}
	if !methods[r.Method] {
		return r, fault.New(fault.Network, "the module asks with the method %q", escaped([]byte(r.Method), 40))
	}
	if len(r.Body) > MaxRequest {
		return r, fault.New(fault.Network, "the module sends %d bytes, at most %d are allowed", len(r.Body), MaxRequest)
	}
	if len(r.Header) > 100 {
		return r, fault.New(fault.Network, "the module sends %d headers", len(r.Header))
	}
	for k, v := range r.Header {
		if !token(k) || strings.ContainsAny(v, "\r\n\x00") || len(k)+len(v) > 16<<10 {
			return r, fault.New(fault.Network, "the module sends a header that is none: %q", escaped([]byte(k), 60))
		}
		if ownHeaders[strings.ToLower(k)] {
			return r, fault.New(fault.Network, "the module sets the header %s, which is not its to set", k)
		}
	}
	return r, nil
}

// token tells whether s is a header name (RFC 9110, 5.6.2).
func token(s string) bool {
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", c) {
			return false
		}
	}
	return s != ""
}
