package mcphost

import (
	"context"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// LoginWait is how long golem waits for the person to sign in.
const LoginWait = 5 * time.Minute

// Login holds the parameters of a sign-in at an MCP server (OAuth 2.1, with the Go
// SDK).
type Login struct {
	Server   string
	ClientID string
	Secret   string // of the client; "": it is a public one
	Scopes   []string
	Show     func(address, host string)       // shows the person where to sign in
	guard    func(context.Context) *authGuard // returns the guard; nil: newAuthGuard for the server
}

// Run signs in and returns the tokens. It returns nil without an error if the server
// needs no sign-in.
func (l Login) Run(ctx context.Context) (*secretstore.SignIn, error) {
	ctx, stop := context.WithTimeoutCause(ctx, LoginWait, fault.New(fault.Timeout, "nobody signed in within %v", LoginWait))
	defer stop()
	guard := newAuthGuard(ctx, l.Server)
	if l.guard != nil {
		guard = l.guard(ctx)
	}
	fail := func(err error) (*secretstore.SignIn, error) {
		var own *fault.Fault
		switch f, refused := guard.trouble(); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case refused:
			return nil, f
		case errors.As(err, &own):
			return nil, own
		case f != nil:
			return nil, f
		}
		return nil, fault.New(fault.Network, "the sign-in at %s failed: %s", secretstore.HostAndPath(l.Server), mcp.Plain(disk.Cause(err), 500)).
			Hinting("a server that does not register clients by itself needs --client-id; or use a key, with headers: {Authorization: …}")
	}
	req, res, err := l.challenge(ctx, guard.client())
	if err != nil {
		return fail(err)
	}
	switch {
	case res.StatusCode < 300:
		return nil, nil
	case res.StatusCode != http.StatusUnauthorized:
		return nil, mcp.StatusFault(secretstore.HostAndPath(l.Server), res.StatusCode, res.Header.Get("Location"))
	}
	back, err := newCallback()
	if err != nil {
		return nil, err
	}
	defer back.close()
	guard.signsIn()
	got := &secretstore.SignIn{Server: l.Server, Near: guard.nearness()}
	handler, err := auth.NewAuthorizationCodeHandler(l.config(guard, back, got))
	if err != nil {
		return fail(err)
	}
	if err := handler.Authorize(ctx, req, res); err != nil {
		return fail(err)
	}
	return got, nil
}

// config returns the configuration with which the SDK signs in. The SDK's results are
// written to got.
func (l Login) config(guard *authGuard, back *callback, got *secretstore.SignIn) *auth.AuthorizationCodeHandlerConfig {
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.address, RequestRefreshToken: true, AcceptUnadvertisedIss: true, Client: guard.client(),
		ScopeFilter: func(found []string) []string { return append(found, l.Scopes...) },
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if err := guard.allowsBrowser(ctx, args.URL); err != nil {
				return nil, err
			}
			u, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			got.Resource = u.Query().Get("resource")
			back.expect(u.Query().Get("state"))
			l.Show(args.URL, u.Host)
			return back.wait(ctx)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			got.TokenURL, got.ClientID, got.Secret, got.Style, got.Token = c.Endpoint.TokenURL, c.ClientID, c.ClientSecret, c.Endpoint.AuthStyle, t
			return oauth2.StaticTokenSource(t), usableToken(l.Server, t)
		},
	}
	if l.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: l.ClientID}
		if l.Secret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: l.Secret}
		}
		return config
	}
	config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		ClientName: "golem", RedirectURIs: []string{back.address}, TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}}
	return config
}

// missingScope returns the rights that a server demands in addition to those of a
// token; "" if there are none, or if they cannot be shown in a command to copy.
func missingScope(h http.Header) string {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return ""
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			scope := c.Params["scope"]
			if len(scope) > 500 || strings.ContainsFunc(scope, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("'\"\\", r) }) {
				return ""
			}
			return scope
		}
	}
	return ""
}

// callback is an HTTP server on this machine that waits for the browser to return from
// the sign-in page.
type callback struct {
	address string
	server  *http.Server
	got     chan cameBack

	mu    sync.Mutex
	state string // the state parameter of the sign-in; "": not known yet
}

type cameBack struct {
	result *auth.AuthorizationResult
	err    error
}

func newCallback() (*callback, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.New(fault.Network, "golem cannot wait for the sign-in on this machine: %s", disk.Cause(err))
	}
	c := &callback{address: "http://" + listener.Addr().String() + "/callback", got: make(chan cameBack, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: authRequest, MaxHeaderBytes: 64 << 10}
	go c.server.Serve(listener) // ends when close is called
	return c, nil
}

func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

func (c *callback) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = c.server.Shutdown(ctx) // lets the browser receive its answer
	_ = c.server.Close()
}

func (c *callback) wait(ctx context.Context) (*auth.AuthorizationResult, error) {
	select {
	case a := <-c.got:
		return a.result, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// ServeHTTP receives the answer that the authorization server sent through the browser.
// It refuses an answer with another state and goes on waiting, because any web page can
// send one.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method != http.MethodGet || r.URL.Path != "/callback" || "http://"+r.Host+"/callback" != c.address {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	in := r.URL.Query()
	if state == "" || subtle.ConstantTimeCompare([]byte(in.Get("state")), []byte(state)) != 1 {
		http.Error(w, "golem: this page is not the answer to the sign-in that golem waits for. Use the sign-in page that was opened last.", http.StatusBadRequest)
		return
	}
	out, text := cameBack{}, "golem: you are signed in as far as your browser goes. Look at the terminal; this page can be closed.\n"
	switch {
	case in.Get("error") != "":
		out.err = fault.New(fault.Denied, "the sign-in was refused: %s", mcp.Plain(in.Get("error")+" "+in.Get("error_description"), 300))
	case in.Get("code") == "":
		out.err = fault.New(fault.Network, "the browser came back without a code")
	default:
		out.result = &auth.AuthorizationResult{Code: in.Get("code"), State: in.Get("state"), Iss: in.Get("iss")}
	}
	if out.err != nil {
		text = "golem: the sign-in failed. Look at the terminal; this page can be closed.\n"
		w.WriteHeader(http.StatusBadRequest)
	}
	_, _ = w.Write([]byte(text)) // an error is ignored: only the answer matters
	select {
	case c.got <- out:
	default: // only the first answer counts
	}
}
