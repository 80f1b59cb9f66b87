package mcphost

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/mcp/mcptest"

	"golem/cmd/cli/secretstore"
)

// authSite is an MCP server with its authorization server. A test changes single
// documents, or answers a path by itself.
type authSite struct {
	at     *httptest.Server
	mcp    mcptest.Server
	change map[string]func(map[string]any) // documents by path
	serve  map[string]http.HandlerFunc     // by path
	back   func(url.Values)                // changes what the browser brings back

	mu        sync.Mutex
	challenge string // the code challenge of the sign-in (PKCE)
	access    string // the valid token
	refresh   string
	count     int
	asked     []string // paths
	resources []string // the resources for which tokens were requested
}

func newAuthSite(t *testing.T) *authSite {
	s := &authSite{change: map[string]func(map[string]any){}, serve: map[string]http.HandlerFunc{}, mcp: mcptest.Server{Tools: []mcptest.Tool{{Name: "a"}}}}
	s.at = httptest.NewServer(s)
	t.Cleanup(s.at.Close)
	return s
}

func (s *authSite) document(w http.ResponseWriter, path string, doc map[string]any) {
	if change := s.change[path]; change != nil {
		change(doc)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc)
}

// issue makes new tokens; the ones before are not valid any more.
func (s *authSite) issue(w http.ResponseWriter) {
	s.count++
	s.access, s.refresh = fmt.Sprintf("access-%d", s.count), fmt.Sprintf("refresh-%d", s.count)
	s.document(w, "/token", map[string]any{"access_token": s.access, "refresh_token": s.refresh, "token_type": "Bearer", "expires_in": 3600})
}

// serves sets what a path answers from now on; nil: as the servers do.
func (s *authSite) serves(path string, serve http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serve[path] = serve
}

// ServeHTTP answers for both servers.
func (s *authSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.Path)
	access, serve := s.access, s.serve[r.URL.Path]
	s.mu.Unlock()
	if serve != nil {
		serve(w, r)
		return
	}
	here := s.at.URL
	switch r.URL.Path {
	case "/mcp":
		if access == "" || r.Header.Get("Authorization") != "Bearer "+access {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+here+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.mcp.ServeHTTP(w, r)
	case "/.well-known/oauth-protected-resource/mcp":
		s.document(w, r.URL.Path, map[string]any{"resource": here + "/mcp", "authorization_servers": []string{here}, "scopes_supported": []string{"read"}})
	case "/.well-known/oauth-authorization-server":
		s.document(w, r.URL.Path, map[string]any{
			"issuer": here, "authorization_endpoint": here + "/authorize", "token_endpoint": here + "/token", "registration_endpoint": here + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
		})
	case "/register":
		w.WriteHeader(http.StatusCreated)
		s.document(w, r.URL.Path, map[string]any{"client_id": "client-1", "token_endpoint_auth_method": "none"})
	case "/authorize":
		in := r.URL.Query()
		s.mu.Lock()
		s.challenge = in.Get("code_challenge")
		s.mu.Unlock()
		out := url.Values{"code": {"code-1"}, "state": {in.Get("state")}, "iss": {here}}
		if s.back != nil {
			s.back(out)
		}
		http.Redirect(w, r, in.Get("redirect_uri")+"?"+out.Encode(), http.StatusFound)
	case "/token":
		s.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *authSite) token(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resources = append(s.resources, r.FormValue("resource"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	switch {
	case r.FormValue("grant_type") == "authorization_code" && r.FormValue("code") == "code-1" && base64.RawURLEncoding.EncodeToString(sum[:]) == s.challenge,
		r.FormValue("grant_type") == "refresh_token" && r.FormValue("refresh_token") == s.refresh && s.refresh != "":
		s.issue(w)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant"}`)
	}
}

// login returns a sign-in whose browser follows every redirect.
func (s *authSite) login(t *testing.T) Login {
	var browsers sync.WaitGroup
	t.Cleanup(browsers.Wait)
	return Login{Server: s.at.URL + "/mcp", Show: func(address, _ string) {
		browsers.Go(func() {
			if res, err := http.Get(address); err == nil {
				res.Body.Close()
			}
		})
	}}
}

// A person signs in, with PKCE and the server as the resource. The token goes to the
// server, is renewed when the server rejects it, and is registered to be hidden.
// Without a sign-in, and when it has ended, the fault names the command to run.
func TestServerLogin(t *testing.T) {
	t.Parallel()
	site := newAuthSite(t)
	h, store := newHome(t)
	server := site.at.URL + "/mcp"
	var mu sync.Mutex
	var hidden []string
	open := func() error {
		s := mcp.Server{Name: "wiki", URL: server, Guard: hiding(func(v string) {
			mu.Lock()
			defer mu.Unlock()
			hidden = append(hidden, v)
		})}
		c := New(h, t.TempDir()).Connect(s)
		defer c.Close()
		if err := c.Open(t.Context()); err != nil {
			return err
		}
		_, _, err := c.Client().Tools(t.Context(), func(string) bool { return true })
		return err
	}
	wants := func(when string, err error, line string) {
		t.Helper()
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code != fault.Network || !strings.Contains(f.Hint, "golem mcp login "+server) || !strings.Contains(f.Message, line) {
			t.Fatalf("%s: %v", when, err)
		}
	}
	wants("not signed in", open(), "wants you to sign in")
	in, err := site.login(t).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.KeepSignIn(in, secretstore.InFile); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil {
		t.Fatal(err)
	}
	site.mu.Lock()
	site.access = "revoked" // the server does not take access-1 any more
	site.mu.Unlock()
	if err := open(); err != nil {
		t.Fatal(err)
	}
	if err := open(); err != nil { // with the new one, which was kept
		t.Fatal(err)
	}
	site.mu.Lock()
	if site.count != 2 || slices.ContainsFunc(site.resources, func(r string) bool { return r != server }) {
		t.Errorf("%d tokens, for %q", site.count, site.resources)
	}
	site.access, site.refresh = "revoked", ""
	site.mu.Unlock()
	wants("ended", open(), "not valid any more: invalid_grant")
	mu.Lock()
	defer mu.Unlock()
	for _, v := range []string{"access-1", "refresh-1", "access-2", "refresh-2"} {
		if !slices.Contains(hidden, v) {
			t.Errorf("%s was not hidden", v)
		}
	}
	if values, err := store.Values(); err != nil || !slices.Contains(values, "access-2") || slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "{") }) {
		t.Errorf("%q, %v", values, err)
	}
	if other, err := store.SignInAt(site.at.URL + "/other"); other != nil || err != nil {
		t.Errorf("another address has the sign-in: %v, %v", other, err)
	}
}

// Hostile servers: each sign-in ends in a coded fault, and no token is made.
func TestServerLoginHostile(t *testing.T) {
	t.Parallel()
	const resource, meta = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"
	set := func(path, key string, value func(s *authSite) any) func(*authSite, *Login) {
		return func(s *authSite, _ *Login) {
			s.change[path] = func(doc map[string]any) { doc[key] = value(s) }
		}
	}
	text := func(v any) func(*authSite) any { return func(*authSite) any { return v } }
	redirects := func(path string) func(*authSite, *Login) {
		return func(s *authSite, _ *Login) {
			s.serve[path] = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://as.example/", http.StatusTemporaryRedirect)
			}
		}
	}
	gone := func(path string) func(*authSite, *Login) {
		return func(s *authSite, _ *Login) {
			s.serve[path] = http.NotFound
			for _, never := range []string{"/register", "/authorize", "/token"} {
				s.serve[never] = func(http.ResponseWriter, *http.Request) { t.Errorf("%s is asked", never) }
			}
		}
	}
	endless := func(path string) func(*authSite, *Login) {
		return func(s *authSite, _ *Login) {
			s.serve[path] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for _, err := fmt.Fprint(w, `{"issuer": "`); err == nil; {
					_, err = fmt.Fprint(w, strings.Repeat("a", 1<<16))
				}
			}
		}
	}
	back := func(change func(url.Values)) func(*authSite, *Login) {
		return func(s *authSite, _ *Login) { s.back = change }
	}
	for name, one := range map[string]struct {
		make func(*authSite, *Login)
		code fault.Code
		says string
	}{
		"an authorization server over http": {set(resource, "authorization_servers", text([]string{"http://as.example"})), fault.Network, "as.example"},
		"the resource is another server":    {set(resource, "resource", text("https://other.example/mcp")), fault.Network, "another server"},
		"an endpoint over http":             {set(meta, "authorization_endpoint", text("http://as.example/authorize")), fault.Network, "as.example"},
		"an endpoint that is a script":      {set(meta, "authorization_endpoint", text("javascript:alert(1)")), fault.Network, "javascript"},
		"the metadata of another issuer":    {set(meta, "issuer", text("https://as.example")), fault.Network, "does not match issuer"},
		"no PKCE":                           {set(meta, "code_challenge_methods_supported", text(nil)), fault.Network, "PKCE"},
		"a token of another kind":           {set("/token", "token_type", text("mac")), fault.Network, "MAC"},
		"a token of one letter":             {set("/token", "access_token", text("a")), fault.Network, "too short"},
		"a token with a line break":         {set("/token", "access_token", text("access\r\nx: y")), fault.Network, "characters"},
		"a registration without an ID":      {set("/register", "client_id", text("")), fault.Network, "client_id"},
		"an address with a bidi character":  {set(meta, "authorization_endpoint", text("https://a\u202e.example/authorize")), fault.Network, "plain address"},
		"an endless address":                {set(meta, "authorization_endpoint", text("https://as.example/"+strings.Repeat("a", authAddress))), fault.Network, "too long"},
		"no metadata, so no word of PKCE":   {gone(meta), fault.Network, "PKCE"},
		"no metadata for a known client":    {func(s *authSite, l *Login) { gone(meta)(s, l); l.ClientID = "client-1" }, fault.Network, "PKCE"},
		"the answer has another issuer":     {back(func(v url.Values) { v.Set("iss", "https://as.example") }), fault.Network, "issuer"},
		"the answer has no issuer":          {back(func(v url.Values) { v.Del("iss") }), fault.Network, "iss"},
		"the answer has another code":       {back(func(v url.Values) { v.Set("code", "x") }), fault.Network, "invalid_grant"},
		"the person says no":                {back(func(v url.Values) { v.Set("error", "access_denied") }), fault.Denied, "access_denied"},
		"the metadata is elsewhere":         {redirects(meta), fault.Network, "redirect"},
		"the registration is elsewhere":     {redirects("/register"), fault.Network, "redirect"},
		"the tokens are elsewhere":          {redirects("/token"), fault.Network, "redirect"},
		"metadata that does not end":        {endless(meta), fault.Network, "failed"},
		"a registration that does not end":  {endless("/register"), fault.Network, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := newAuthSite(t)
			l := site.login(t)
			one.make(site, &l)
			in, err := l.Run(t.Context())
			var f *fault.Fault
			if in != nil || !errors.As(err, &f) || f.Code != one.code || !strings.Contains(f.Text(), one.says) || len(f.Text()) > 1500 {
				t.Errorf("%v, %v", in, err)
			}
		})
	}
}

// A server on the internet can direct golem neither to this machine nor to its network,
// and no server can direct it to http, except on this machine. After a refusal nothing
// more is sent.
func TestServerLoginNear(t *testing.T) {
	t.Parallel()
	for address, allowed := range map[string]int{
		"https://8.8.8.8/token": onInternet, "https://as.example/token": onInternet,
		"https://10.0.0.1/": onNetwork, "https://169.254.169.254/": onNetwork, "https://[fd00::1]/": onNetwork, "https://100.64.0.1/": onNetwork,
		"https://127.0.0.1/": onMachine, "https://[::1]/": onMachine, "https://[::ffff:127.0.0.1]/": onMachine, "https://localhost/": onMachine, "http://127.0.0.1/": onMachine,
		"http://8.8.8.8/": onMachine + 1, "https://a:b@as.example/": onMachine + 1, "ftp://127.0.0.1/": onMachine + 1, "https:///": onMachine + 1,
	} {
		for near := onInternet; near <= onMachine; near++ {
			sent := false
			g := &authGuard{server: "https://mcp.example/mcp", near: near, proxied: func(*http.Request) (*url.URL, error) { return nil, nil }, self: roundTrip(func(*http.Request) (*http.Response, error) {
				sent = true
				return nil, errors.New("sent")
			})}
			for _, one := range []string{address, "https://as.example/"} {
				_, err := g.client().Get(one)
				if sent != (near >= allowed) || !sent && !errors.Is(err, fault.Network) {
					t.Errorf("%s, %d: %s: %v", address, near, one, err)
				}
			}
		}
	}
	g := &authGuard{near: onInternet}
	if err := g.allowsIP("as.example", netip.MustParseAddr("192.168.1.1")); !errors.Is(err, fault.Network) {
		t.Errorf("a name that stands for a private address: %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A name may resolve to another address at the next request, so it never gives a
// sign-in access to this machine's own addresses; only an IP address or localhost does.
func TestNamesAreNeverThisMachine(t *testing.T) {
	for host, want := range map[string]int{
		"localhost": onMachine, "127.0.0.1": onMachine, "::1": onMachine,
		"10.0.0.1": onNetwork, "192.0.2.1": onNetwork, "8.8.8.8": onInternet,
	} {
		if got := nearest(t.Context(), host); got != want {
			t.Errorf("%s is %d, want %d", host, got, want)
		}
	}
	here, there := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("8.8.8.8")
	if one, both := furthest([]netip.Addr{here}), furthest([]netip.Addr{here, there}); one != onNetwork || both != onInternet {
		t.Errorf("a name at 127.0.0.1 is %d, one at 8.8.8.8 too is %d", one, both)
	}
}

// What a name resolved to before connecting counts only if the connection shows it: a
// name that then leads to the internet, or through a proxy, gives no access to private
// addresses.
func TestNamesAreWhereTheyLead(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		host string
		near int
		want int
	}{
		{"WIKI.example", onInternet, onInternet}, {"wiki.example", onNetwork, onNetwork}, {"wiki.example", onMachine, onNetwork}, {"as.example", onInternet, onNetwork},
	} {
		g := &authGuard{server: "https://wiki.example/mcp", near: onNetwork}
		if g.reached(one.host, one.near); g.nearness() != one.want {
			t.Errorf("%v: %d", one, g.nearness())
		}
	}
	sent := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 401, Body: http.NoBody}, nil
	})
	g := &authGuard{server: "https://wiki.example/mcp", near: onNetwork, via: sent, proxied: func(*http.Request) (*url.URL, error) { return &url.URL{Host: "proxy"}, nil }}
	if res, err := g.client().Get(g.server); err != nil || res.Body.Close() != nil || g.nearness() != onInternet {
		t.Errorf("%v, %d", err, g.nearness())
	}
}

// hiding is a guard that lets every session start.
type hiding func(value string)

func (hiding) Ready(context.Context) error { return nil }
func (h hiding) Hide(value string)         { h(value) }
