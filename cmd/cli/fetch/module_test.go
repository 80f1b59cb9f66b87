package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// patience is how long a test waits for something that must happen.
const patience = 5 * time.Minute

// get makes a request of a module that is allowed to reach the hosts.
func get(t *testing.T, m Modules, address string, hosts ...string) (wasmtool.HTTPResponse, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return m.Fetch(ctx, wasmtool.HTTPRequest{URL: address, Method: "GET", Header: map[string]string{"X-Key": "secret", "Accept": "text/plain"}}, wasmtool.Policy{Hosts: hosts})
}

// hostPort returns a test server's address as an entry of allowed_hosts.
func hostPort(t *testing.T, s *httptest.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// refusedHop checks that a request failed with E_NETWORK and the right reason.
func refusedHop(t *testing.T, err error, why string) {
	t.Helper()
	if !errors.Is(err, fault.Network) || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v; want E_NETWORK with %q", err, why)
	}
}

func TestFetch(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.Header.Get("X-Key"))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", r.Header.Get("User-Agent"))
	}))
	defer s.Close()
	res, err := get(t, Modules{}, s.URL+"/a", hostPort(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != http.StatusTeapot || string(res.Body) != "GET /a golem" || res.Header["x-seen"] != "secret" {
		t.Errorf("got %+v, body %q", res, res.Body)
	}
}

// Scenario 15, SPEC §6: no host but the allowed ones, no private address unless
// it is listed itself.
func TestFetchRefuses(t *testing.T) {
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer s.Close()
	at := hostPort(t, s)
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, url, host, why string }{
		{"another host", s.URL, "example.com", "not in its allowed_hosts"},
		{"another port", s.URL, "127.0.0.1", "not in its allowed_hosts"},
		{"another scheme", "file:///etc/passwd", at, "not a URL"},
		{"a user in the address", "http://u:p@" + at, at, "user"},
		{"a public name with a private address", "http://name.test:" + port, "name.test:" + port, "private or local"},
	} {
		_, err := get(t, Modules{resolver: answering(t, "127.0.0.1")}, c.url, c.host)
		t.Log(c.name)
		refusedHop(t, err, c.why)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server was reached %d times", n)
	}
}

// A name server that changes its mind between the check and the connection
// gains nothing: what is checked is the address that is connected to.
func TestFetchChecksTheConnection(t *testing.T) {
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer s.Close()
	_, port, err := net.SplitHostPort(hostPort(t, s))
	if err != nil {
		t.Fatal(err)
	}
	name := "rebind.test:" + port
	for range 4 {
		_, err := get(t, Modules{resolver: answering(t, "127.0.0.1", "10.0.0.1", "169.254.169.254")}, "http://"+name, name)
		refusedHop(t, err, "private or local")
	}
	if hits.Load() != 0 {
		t.Error("the server was reached")
	}
}

// The policy is asked about each hop; keys are not sent on to another host.
func TestFetchRedirects(t *testing.T) {
	seen := make(chan http.Header, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/near":
			http.Redirect(w, r, "/end", http.StatusFound)
		default:
			seen <- r.Header
		}
	}))
	defer first.Close()
	a, b := hostPort(t, first), hostPort(t, other)

	_, err := get(t, Modules{}, first.URL+"/away?key=secret", a)
	refusedHop(t, err, "redirects: the module requested "+b)
	_, err = get(t, Modules{}, first.URL+"/loop", a)
	refusedHop(t, err, "redirected more than")
	_, err = get(t, Modules{}, first.URL+"/file", a)
	refusedHop(t, err, "redirects:")

	if _, err := get(t, Modules{}, first.URL+"/away?key=secret", a, b); err != nil {
		t.Fatal(err)
	}
	if h := <-seen; h.Get("X-Key") != "" || h.Get("Referer") != "" || h.Get("Accept") != "text/plain" {
		t.Errorf("another host got %v", h)
	}
	if _, err := get(t, Modules{}, first.URL+"/near", a); err != nil {
		t.Fatal(err)
	}
	if h := <-seen; h.Get("X-Key") != "secret" {
		t.Errorf("the same host got %v", h)
	}
}

// The size and the time of an answer are limited, and no message shows the query.
func TestFetchIsBounded(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-release
			return
		}
		block := make([]byte, 1<<20)
		for range wasmtool.MaxResponse>>20 + 1 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	defer close(release)
	_, err := get(t, Modules{}, s.URL+"/big", hostPort(t, s))
	refusedHop(t, err, "more than")

	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, fault.New(fault.Timeout, "the tool took too long"))
	defer cancel()
	_, err = Modules{}.Fetch(ctx, wasmtool.HTTPRequest{URL: s.URL + "/slow?key=secret", Method: "GET"}, wasmtool.Policy{Hosts: []string{hostPort(t, s)}})
	if !errors.Is(err, fault.Timeout) {
		t.Errorf("got %v, want E_TIMEOUT", err)
	}

	dead := httptest.NewServer(http.NotFoundHandler())
	at, address := hostPort(t, dead), dead.URL
	dead.Close()
	_, err = get(t, Modules{}, address+"/?key=secret", at)
	refusedHop(t, err, "failed")
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("the query is told: %v", err)
	}
}

// The proxies of the environment are not used, because addresses cannot be checked
// behind them.
func TestFetchUsesNoProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was reached") }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	_, err := get(t, Modules{resolver: answering(t, "10.1.2.3")}, "http://name.test", "name.test")
	refusedHop(t, err, "private or local")
}

// answering returns a resolver whose name server gives these addresses in turn.
func answering(t *testing.T, addrs ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, 512)
		for n := 0; ; n++ {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if _, err := conn.WriteTo(dnsAnswer(buf[:size], netip.MustParseAddr(addrs[n%len(addrs)])), from); err != nil {
				return
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// dnsAnswer returns the answer to a question for an IPv4 address; any other question
// gets an answer without addresses.
func dnsAnswer(query []byte, addr netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root's zero, type and class
	isA := query[end-4] == 0 && query[end-3] == 1
	out := append([]byte{}, query[:end]...)
	out[2], out[3] = 0x81, 0x80
	copy(out[4:12], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	if !isA {
		return out
	}
	out[7] = 1
	ip := addr.As4()
	out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(out, ip[:]...)
}

// No redirect leads from an encrypted address to one that is not.
func TestFetchKeepsEncryption(t *testing.T) {
	hop := func(from, to string) error {
		t.Helper()
		request := func(address string) *http.Request {
			r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		return hopByHop(wasmtool.Policy{Hosts: []string{"a.example.com"}})(request(to), []*http.Request{request(from)})
	}
	refusedHop(t, hop("https://a.example.com/", "http://a.example.com/"), "from https to http")
	for _, c := range [][2]string{{"https://a.example.com/", "https://a.example.com/x"}, {"http://a.example.com/", "https://a.example.com/"}, {"http://a.example.com/", "http://a.example.com/x"}} {
		if err := hop(c[0], c[1]); err != nil {
			t.Errorf("%s → %s: %v", c[0], c[1], err)
		}
	}
}
