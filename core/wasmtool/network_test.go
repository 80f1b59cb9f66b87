package wasmtool_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/wasmtool"
)

func TestAllowedURL(t *testing.T) {
	p := wasmtool.Policy{Hosts: []string{
		"api.example.com", "*.Example.org", "example.net:8443", "127.0.0.1:9000", "[::1]:9000", "2606:4700::1111", "localhost", "xn--bcher-kva.example",
	}}
	for raw, want := range map[string]string{ // "": refused
		"https://api.example.com/a?b=c":                        "https://api.example.com/a?b=c",
		"http://api.example.com":                               "http://api.example.com",
		"HTTPS://API.EXAMPLE.COM./a#frag":                      "https://api.example.com/a",
		"https://api.example.com:443/":                         "https://api.example.com:443/",
		"https://api.example.com:00443/":                       "https://api.example.com:443/",
		"http://api.example.com:443/":                          "http://api.example.com:443/",
		"https://a.example.org/":                               "https://a.example.org/",
		"https://a.b.example.org/":                             "https://a.b.example.org/",
		"https://example.net:8443/":                            "https://example.net:8443/",
		"http://127.0.0.1:9000/":                               "http://127.0.0.1:9000/",
		"http://[::ffff:127.0.0.1]:9000/":                      "http://127.0.0.1:9000/",
		"http://[0:0:0:0:0:0:0:1]:9000/":                       "http://[::1]:9000/",
		"https://[2606:4700:0::1111]/":                         "https://[2606:4700::1111]/",
		"http://localhost/":                                    "http://localhost/",
		"https://xn--bcher-kva.example/":                       "https://xn--bcher-kva.example/",
		"https://example.com/":                                 "",
		"https://xapi.example.com/":                            "",
		"https://api.example.com.evil.com/":                    "",
		"https://a.api.example.com/":                           "",
		"https://example.org/":                                 "",
		"https://evilexample.org/":                             "",
		"https://example.net/":                                 "",
		"https://example.net:443/":                             "",
		"https://api.example.com:8080/":                        "",
		"https://api.example.com:0/":                           "",
		"https://api.example.com:/":                            "",
		"https://api.example.com:99999/":                       "",
		"https://api.example.com:+443/":                        "",
		"http://127.0.0.1/":                                    "",
		"http://127.1:9000/":                                   "",
		"http://2130706433:9000/":                              "",
		"http://0x7f.0.0.1:9000/":                              "",
		"http://0177.0.0.1:9000/":                              "",
		"http://[::1%25lo]:9000/":                              "",
		"http://[fe80::1]/":                                    "",
		"https://user@api.example.com/":                        "",
		"https://user:pw@api.example.com/":                     "",
		"https://evil.com@api.example.com/":                    "",
		"https://api.example.com@evil.com/":                    "",
		"https://evil.com#@api.example.com/":                   "",
		"https://evil.com?@api.example.com/":                   "",
		"https://evil.com\\@api.example.com/":                  "",
		"https://api.example.com\\@evil.com/":                  "",
		"https://api.example.com\\.evil.com/":                  "",
		"https://api.example.com /":                            "",
		"https://api.example.com/a b":                          "",
		"https://api.example.com/\r\nHost: x":                  "",
		"https://api.example.com\x00.evil/":                    "",
		"https://ａpi.example.com/":                             "",
		"https://api。example.com/":                             "",
		"https://api.%65xample.com/":                           "",
		"https://api..example.com/":                            "",
		"ftp://api.example.com/":                               "",
		"file:///etc/passwd":                                   "",
		"data:text/plain,a":                                    "",
		"javascript:alert(1)":                                  "",
		"//api.example.com/":                                   "",
		"api.example.com":                                      "",
		"https:api.example.com":                                "",
		"https:///api.example.com":                             "",
		"":                                                     "",
		"https://api.example.com/" + strings.Repeat("a", 9000): "",
	} {
		u, err := p.URL(raw)
		switch {
		case err != nil && want == "":
			wants(t, err, fault.Network)
		case err != nil:
			t.Errorf("%q: %v", raw, err)
		case u.String() != want:
			t.Errorf("%q became %q, want %q", raw, u, want)
		}
	}
}

func TestAllowedHosts(t *testing.T) {
	for _, ok := range []string{"example.com", "Example.COM", "example.com:8080", "*.example.com", "*.example.com:444", "localhost:1", "1.2.3.4", "1.2.3.4:80", "::1", "[::1]", "[::1]:80", "a_b.example", "host"} {
		if err := wasmtool.CheckHost(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{
		"", "*", "*.", "*.1.2.3.4", "*.*.com", "a.*.com", "https://example.com", "example.com/", "example.com:", "example.com:0", "example.com:65536", "example.com:-1", "example.com:+80",
		"example.com:http", ":80", "a b", "user@example.com", "exämple.com", "-a.com", "a-.com", "a..b", ".com", "[::1", "::1]", "[::1]x", "[::1]:", "[example.com]", "[]:80", "127.1", "0x7f.1", "1", "fe80::1%eth0",
		"\x1b[2J", "\u202e.com", strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 130) + "com",
	} {
		wants(t, wasmtool.CheckHost(bad), fault.Config)
		p := wasmtool.Policy{Hosts: []string{bad}}
		for _, raw := range []string{"https://example.com/", "http://127.0.0.1/", "http://[::1]/", "https://a.com/"} {
			if _, err := p.URL(raw); err == nil {
				t.Errorf("%q allows %s", bad, raw)
			}
		}
	}
}

// A connection to an address that is not public is refused, whatever name resolved to
// it, unless the address itself is listed, or localhost for a loopback address.
func TestAllowedAddress(t *testing.T) {
	hidden := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "64:ff9b::a00:1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::", "3fff::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1",
	}
	open := []string{"1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"}
	p := wasmtool.Policy{Hosts: []string{"api.example.com", "*.example.org", "localhost", "127.0.0.1", "10.0.0.1:8080", "[fd12::1]:443"}}
	for _, host := range []string{"api.example.com", "a.example.org", "API.Example.com."} {
		for _, a := range hidden {
			wants(t, p.Address(host, netip.AddrPortFrom(netip.MustParseAddr(a), 443)), fault.Network, "private or local")
		}
		for _, a := range open {
			if err := p.Address(host, netip.AddrPortFrom(netip.MustParseAddr(a), 443)); err != nil {
				t.Errorf("%s at %s: %v", host, a, err)
			}
		}
		wants(t, p.Address(host, netip.MustParseAddrPort("1.1.1.1:8080")), fault.Network, "allowed_hosts")
	}
	for host, c := range map[string]struct{ at, word string }{
		"localhost":        {"127.0.0.1:80", ""},
		"127.0.0.1":        {"127.0.0.1:80", ""},
		"::ffff:127.0.0.1": {"[::ffff:127.0.0.1]:80", ""},
		"10.0.0.1":         {"10.0.0.1:8080", ""},
		"[fd12::1]":        {"[fd12::1]:443", ""},
		"LOCALHOST":        {"[::1]:443", ""},
		"api.example.com":  {"10.0.0.1:8080", "allowed_hosts"},
		"10.0.0.2":         {"10.0.0.2:8080", "allowed_hosts"},
		"a.localhost":      {"127.0.0.1:80", "allowed_hosts"},
		"evil.com":         {"1.1.1.1:443", "allowed_hosts"},
		"":                 {"1.1.1.1:443", "allowed_hosts"},
	} {
		err := p.Address(host, netip.MustParseAddrPort(c.at))
		if c.word == "" && err != nil {
			t.Errorf("%s at %s: %v", host, c.at, err)
		}
		if c.word != "" {
			wants(t, err, fault.Network, c.word)
		}
	}
	wants(t, p.Address("localhost", netip.MustParseAddrPort("10.0.0.1:80")), fault.Network, "private or local")
	wants(t, p.Address("10.0.0.1", netip.MustParseAddrPort("10.0.0.2:8080")), fault.Network, "private or local")
	wants(t, p.Address("api.example.com", netip.AddrPort{}), fault.Network)
}

// An allowed URL is parsed to the same host again and is allowed again; a URL with a
// host that is not listed is never allowed.
func TestPolicyProperty(t *testing.T) {
	label := rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		name := label.Draw(t, "a") + "." + label.Draw(t, "b") + "." + rapid.SampledFrom([]string{"com", "example", "x1"}).Draw(t, "tld")
		entry := rapid.SampledFrom([]string{name, "*." + strings.SplitN(name, ".", 2)[1], name + ":443"}).Draw(t, "entry")
		p := wasmtool.Policy{Hosts: []string{entry}}
		junk := rapid.StringMatching(`[a-zA-Z0-9./:@?#\\%\[\]_ -]{0,12}`)
		raw := rapid.SampledFrom([]string{"https://", "http://", "https:/", "//", ""}).Draw(t, "scheme") + junk.Draw(t, "before") + name + junk.Draw(t, "after")
		u, err := p.URL(raw)
		if err != nil {
			return
		}
		if !strings.HasPrefix(entry, "*.") && u.Hostname() != name || !strings.HasSuffix(u.Hostname(), strings.SplitN(name, ".", 2)[1]) {
			t.Fatalf("%q with %s leads to %q", raw, entry, u.Hostname())
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.User != nil || strings.ContainsAny(u.String(), " \\") {
			t.Fatalf("%q reads as %v the second time: %v", u, again, err)
		}
		if twice, err := p.URL(u.String()); err != nil || twice.String() != u.String() {
			t.Fatalf("%q is another the second time: %v, %v", u, twice, err)
		}
	})
}

// An IPv4 address gets the same decision in every form that contains it.
func TestAddressProperty(t *testing.T) {
	p := wasmtool.Policy{Hosts: []string{"example.com"}}
	rapid.Check(t, func(t *rapid.T) {
		four := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "four")))
		plain := p.Address("example.com", netip.AddrPortFrom(four, 443))
		mapped := p.Address("example.com", netip.AddrPortFrom(netip.AddrFrom16(four.As16()), 443))
		if (plain == nil) != (mapped == nil) {
			t.Fatalf("%s: %v, mapped: %v", four, plain, mapped)
		}
		if plain == nil && (four.IsPrivate() || four.IsLoopback() || four.IsMulticast() || four.IsLinkLocalUnicast() || four.IsUnspecified()) {
			t.Fatalf("%s is taken for public", four)
		}
		six := netip.AddrFrom16([16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "six")))
		if err := p.Address("example.com", netip.AddrPortFrom(six, 443)); err == nil && six.As16()[0]>>5 != 1 {
			t.Fatalf("%s is taken for public", six)
		}
	})
}

func TestRequestIsChecked(t *testing.T) {
	p := wasmtool.Policy{Hosts: []string{"example.com"}}
	many := map[string]string{}
	for i := range 101 {
		many["X-"+strings.Repeat("a", i+1)] = "v"
	}
	ok := func(r wasmtool.HTTPRequest) wasmtool.HTTPRequest { r.URL = "https://example.com/"; return r }
	for _, c := range []struct {
		r    wasmtool.HTTPRequest
		word string // "": allowed
	}{
		{wasmtool.HTTPRequest{}, ""},
		{wasmtool.HTTPRequest{Method: "post", Body: []byte("x"), Header: map[string]string{"Content-Type": "a/b", "Authorization": "Bearer x", "X-A": "tab\tis fine"}}, ""},
		{wasmtool.HTTPRequest{Method: "DELETE"}, ""},
		{wasmtool.HTTPRequest{Method: "CONNECT"}, "method"},
		{wasmtool.HTTPRequest{Method: "TRACE"}, "method"},
		{wasmtool.HTTPRequest{Method: "GET / HTTP/1.1\r\nX:"}, "method"},
		{wasmtool.HTTPRequest{Method: "GET", Body: []byte("x")}, "a method without a body"},
		{wasmtool.HTTPRequest{Method: "POST", Body: make([]byte, wasmtool.MaxRequest+1)}, "bytes"},
		{wasmtool.HTTPRequest{Header: many}, "101 headers"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Host": "evil.com"}}, "Host"},
		{wasmtool.HTTPRequest{Header: map[string]string{"hOST": "evil.com"}}, "hOST"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Content-Length": "5"}}, "Content-Length"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Transfer-Encoding": "chunked"}}, "Transfer-Encoding"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Connection": "upgrade"}}, "Connection"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Proxy-Anything": "x"}}, "Proxy-Anything"},
		{wasmtool.HTTPRequest{Header: map[string]string{"Sec-Fetch-Site": "x"}}, "Sec-Fetch-Site"},
		{wasmtool.HTTPRequest{Header: map[string]string{"": "x"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{":authority": "x"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A B": "x"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A\r\nHost": "x"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A": "x\r\nHost: evil"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A": "x\x00"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A": "x\x7f"}}, "header"},
		{wasmtool.HTTPRequest{Header: map[string]string{"X-Key": "a", "x-key": "b"}}, "twice"},
		{wasmtool.HTTPRequest{Header: map[string]string{"A": strings.Repeat("x", 70_000)}}, "bytes"},
	} {
		r, err := p.Request(ok(c.r))
		if c.word != "" {
			wants(t, err, fault.Network, c.word)
			continue
		}
		if err != nil || r.Method == "" || r.Method != strings.ToUpper(r.Method) {
			t.Errorf("%+v: %+v, %v", c.r, r, err)
		}
	}
}
