package wasmtool

import (
	"cmp"
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/tool"
)

// Fetcher makes HTTP requests for modules.
type Fetcher interface {
	// Fetch makes one request. It must check the policy before each hop, including
	// redirects, and before it connects to an address that a name resolved to. Where it
	// cannot see addresses (in a browser) it must not follow redirects. The response is
	// limited to p.Received() bytes.
	Fetch(ctx context.Context, r HTTPRequest, p Policy) (HTTPResponse, error)
}

// Limits of what a module sends and receives.
const (
	MaxRequest  = tool.UsualRequest // bytes of a request body; a Policy may say otherwise
	MaxResponse = tool.UsualResponse
	maxURL      = 8 << 10
	maxHeaders  = 64 << 10 // bytes of all header names and values
)

// Policy says which hosts a module may use: the allowed_hosts of its grants. An
// entry is a host name, *.example.com for all names below one, or an address;
// with a port (:8080), or without for ports 80 and 443. An entry that CheckHost
// rejects allows nothing.
//
// The fields from Any on are for golem's own tools that make requests for a worker.
type Policy struct {
	Hosts []string
	// MostSent and MostReceived limit the bodies of a request and of a response, in bytes;
	// 0: MaxRequest and MaxResponse.
	MostSent, MostReceived int64
	// Any also allows every public host, at ports 80 and 443.
	Any bool
	// Caller, List and Remedy are texts for errors, in place of "the module", "its
	// allowed_hosts" and the hint for a host that is not allowed.
	Caller, List, Remedy string
}

// Received returns the greatest size of a response's body, in bytes.
func (p Policy) Received() int64 { return cmp.Or(p.MostReceived, MaxResponse) }

// TooMuch returns the fault for a response whose body is larger than Received; from is
// the host, or "".
func (p Policy) TooMuch(from string) error {
	if from != "" {
		from = " of " + from
	}
	return fault.New(fault.Network, "the answer%s has more than %d bytes", from, p.Received()).Hinting("%s", raise("response"))
}

// raise returns the hint that says how a module gets a higher limit.
func raise(key string) string {
	return "ask for less, or give the module more with " + key + " in toolsets.custom.modules; tools." + key + " of your config.yaml is the most that a project can give"
}

func (p Policy) caller() string { return cmp.Or(p.Caller, "the module") }

// URL checks whether a request may go to a URL: it must be http or https,
// without a user, with an allowed host and port. Use the URL that it returns,
// which has the host in a normal spelling and no fragment, so that no other
// parser sees another host.
func (p Policy) URL(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fault.New(fault.Network, "%s requested a URL of %d bytes", p.caller(), len(raw))
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" || strings.ContainsAny(raw, " \\") {
		return nil, fault.New(fault.Network, "%s requested %q, which is not a URL with a host", p.caller(), Escape([]byte(raw), 200))
	}
	if u.Scheme != "https" && u.Scheme != "http" {
		return nil, fault.New(fault.Network, "%s requested %q; only http and https are allowed", p.caller(), Escape([]byte(raw), 200))
	}
	if u.User != nil {
		return nil, fault.New(fault.Network, "%s requested a URL with a user name in it", p.caller())
	}
	at, ok := parsePlace(u.Hostname(), u.Port())
	if !ok || strings.HasSuffix(u.Host, ":") {
		return nil, fault.New(fault.Network, "%s requested %q, whose host name is not valid", p.caller(), Escape([]byte(raw), 200)).
			Hinting("write host names in other alphabets in their xn-- form")
	}
	if at.port == 0 {
		at.port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	} else {
		at.explicit = true
	}
	if !p.allows(at) {
		return nil, fault.New(fault.Network, "%s requested %s, which is not in %s", p.caller(), Escape([]byte(u.Host), 200), cmp.Or(p.List, "its allowed_hosts")).
			Hinting("%s", cmp.Or(p.Remedy, "add the host to allowed_hosts in toolsets.custom.modules if the tool may use it"))
	}
	u.Host, u.Fragment, u.RawFragment = at.String(), "", ""
	return u, nil
}

// A place is a host and a port, of a request or of an entry in allowed_hosts.
type place struct {
	name     string     // in lower case; "" for an address
	addr     netip.Addr // IPv4 not mapped into IPv6, without a zone
	port     int        // 0: none was given
	wild     bool       // an entry for all names below name
	explicit bool
}

// String returns the place in the form that it has in a URL.
func (p place) String() string {
	host := p.name
	if host == "" {
		host = p.addr.String()
		if p.addr.Is6() {
			host = "[" + host + "]"
		}
	}
	if p.explicit {
		return host + ":" + strconv.Itoa(p.port)
	}
	return host
}

// parsePlace parses a host, without brackets, and a port that may be empty.
func parsePlace(host, port string) (place, bool) {
	var p place
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return p, false
		}
		p.port = int(n)
	}
	if a, err := netip.ParseAddr(host); err == nil {
		p.addr = a.Unmap()
		return p, a.Zone() == ""
	}
	p.name = strings.ToLower(strings.TrimSuffix(host, "."))
	return p, hostName(p.name)
}

// hostName reports whether a name has only letters, digits, hyphens and
// underscores and cannot be read as a number: browsers read 0x7f.1 as an
// address.
func hostName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if !validLabel(l) {
			return false
		}
	}
	last := labels[len(labels)-1]
	if hex, ok := strings.CutPrefix(last, "0x"); ok && strings.Trim(hex, "0123456789abcdef") == "" {
		return false
	}
	return strings.Trim(last, "0123456789") != ""
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

// parseEntry parses an entry of allowed_hosts.
func parseEntry(entry string) (place, bool) {
	if rest, ok := strings.CutPrefix(entry, "["); ok { // [::1]:8080
		host, tail, closed := strings.Cut(rest, "]")
		port, colon := strings.CutPrefix(tail, ":")
		if !closed || tail != "" && (!colon || port == "") {
			return place{}, false
		}
		p, ok := parsePlace(host, port)
		return p, ok && p.addr.IsValid()
	}
	host, port := entry, ""
	if strings.Count(entry, ":") == 1 {
		if host, port, _ = strings.Cut(entry, ":"); port == "" {
			return place{}, false
		}
	}
	host, wild := strings.CutPrefix(host, "*.")
	p, ok := parsePlace(host, port)
	p.wild = wild
	return p, ok && !(wild && p.name == "")
}

// CheckHost returns an error unless an entry of allowed_hosts is valid.
func CheckHost(entry string) error {
	if _, ok := parseEntry(entry); !ok {
		return fault.New(fault.Config, "allowed_hosts has %q, which is not a host", Escape([]byte(entry), 100)).
			Hinting("write a host name, *.example.com, or an address, with or without a port")
	}
	return nil
}

// covers reports whether an entry allows a place.
func (e place) covers(p place) bool {
	switch {
	case e.port != 0 && e.port != p.port, e.port == 0 && p.port != 80 && p.port != 443:
		return false
	case e.wild:
		return p.name != "" && strings.HasSuffix(p.name, "."+e.name)
	case e.name != "":
		return e.name == p.name
	}
	return p.name == "" && e.addr == p.addr
}

func (p Policy) allows(at place) bool {
	for _, h := range p.Hosts {
		if e, ok := parseEntry(h); ok && e.covers(at) {
			return true
		}
	}
	return p.Any && at.isPublic()
}

// isPublic reports whether a place is on the public network, at port 80 or 443. It looks
// only at the name or address: names with one label and names that local networks use
// are not public.
func (p place) isPublic() bool {
	if p.port != 80 && p.port != 443 {
		return false
	}
	if p.name == "" {
		return public(p.addr)
	}
	_, last, more := strings.Cut(p.name, ".")
	if !more {
		return false
	}
	last = last[strings.LastIndexByte(last, '.')+1:]
	return !slices.Contains([]string{"localhost", "local", "internal", "home", "lan", "intranet", "corp", "private"}, last) && !strings.HasSuffix(p.name, ".home.arpa")
}

// Outside reports whether an entry of allowed_hosts is on the public network. It looks
// only at the entry and resolves no name.
func Outside(entry string) bool {
	p, ok := parseEntry(entry)
	p.port = 443
	return ok && p.isPublic()
}

// Address checks whether a connection for host may use an address that the name
// resolved to. Private, local and special addresses are refused, unless host is
// this address and is listed, or host is localhost and is listed.
func (p Policy) Address(host string, to netip.AddrPort) error {
	at, ok := parsePlace(strings.Trim(host, "[]"), "")
	at.port = int(to.Port())
	if !ok || !p.allows(at) {
		return fault.New(fault.Network, "%s is not in %s", Escape([]byte(host), 200), cmp.Or(p.List, "the module's allowed_hosts"))
	}
	addr := to.Addr().Unmap().WithZone("")
	if public(addr) {
		return nil
	}
	if at.name == "" && at.addr == addr || at.name == "localhost" && addr.IsLoopback() {
		return nil
	}
	return fault.New(fault.Network, "%s resolves to %s, a private or local address", Escape([]byte(host), 200), addr).
		Hinting("%s", cmp.Or(p.Remedy, "if the tool may use this address, add the address itself to allowed_hosts, and let the tool request the address"))
}

// special lists the networks that are not public although netip does not call them
// private or local (from IANA's registries). Of IPv6 only 2000::/3 is public;
// networks that map or translate IPv4 are outside it or listed here.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
}

var publicIPv6 = netip.MustParsePrefix("2000::/3")

// Public reports whether an address is on the public internet: not private, local or
// special.
func Public(a netip.Addr) bool { return public(a.Unmap().WithZone("")) }

func public(a netip.Addr) bool {
	if !a.IsValid() || !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	if a.Is6() && !publicIPv6.Contains(a) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}
