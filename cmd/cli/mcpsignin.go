package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/trace"
)

// signInPrefix begins the names under which sign-ins are kept among the person's
// secrets. No worker's file can name such a secret, because of the space.
const signInPrefix = "mcp "

// signIn is a person's sign-in at an MCP server. Its tokens are sent to Server and to
// TokenURL, and to no other address.
type signIn struct {
	Server   string           `json:"server"` // the resource that the tokens are for (RFC 8707)
	Resource string           `json:"resource"`
	TokenURL string           `json:"token_url"`
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Token    *oauth2.Token    `json:"token"`
}

// values are those that have to be kept out of other texts.
func (s signIn) values() []string {
	return slices.DeleteFunc([]string{s.Token.AccessToken, s.Token.RefreshToken, s.Secret}, func(v string) bool { return v == "" })
}

// signInName is the name of the sign-in at a server's address.
func signInName(server string) string {
	if u, err := url.Parse(server); err == nil {
		u.Host = strings.ToLower(u.Host)
		server = u.String()
	}
	return signInPrefix + server
}

// signIn returns the sign-in that is kept for a server; nil: there is none.
func (s *secretStore) signIn(server string) (*signIn, error) {
	value, ok, err := s.Secret(signInName(server))
	if err != nil {
		return nil, fault.New(fault.NotFound, "the sign-in at %s cannot be read: %s", mcp.Plain(server, 200), cause(err)).Hinting("%s", loginLine(server))
	}
	if !ok {
		return nil, nil
	}
	return readSignIn(value, server)
}

func readSignIn(value, server string) (*signIn, error) {
	out := &signIn{}
	if json.Unmarshal([]byte(value), out) != nil || out.Token == nil || signInName(out.Server) != signInName(server) {
		return nil, fault.New(fault.Config, "the sign-in that is kept for %s cannot be read", mcp.Plain(server, 200)).Hinting("%s", loginLine(server))
	}
	return out, nil
}

// keepSignIn keeps a sign-in in the keyring, or where none answers in the file.
func (s *secretStore) keepSignIn(in *signIn, store string) (used string, err error) {
	data, err := json.Marshal(in)
	if err != nil {
		return "", fault.New(fault.Config, "the sign-in cannot be kept: %w", err)
	}
	if store == "" {
		index, err := s.index()
		if err != nil {
			return "", err
		}
		if before := index.Secrets[signInName(in.Server)]; before != nil {
			store = before.Store // the person chose it
		}
	}
	used, _, err = s.set(signInName(in.Server), string(data), store)
	return used, err
}

// loginLine is the line with which a person signs in.
func loginLine(server string) string { return "golem mcp login " + shellWord(server) }

// serverTokens are the tokens for one server. It is safe for concurrent use.
type serverTokens struct {
	server mcp.Server
	store  *secretStore

	mu   sync.Mutex
	now  *signIn
	read bool
}

// token is the token to send: not the one that the server rejected. "": there is no
// sign-in.
func (t *serverTokens) token(ctx context.Context, rejected string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	usable := func() bool { return t.now != nil && t.now.Token.Valid() && t.now.Token.AccessToken != rejected }
	if !t.read || !usable() {
		// Another process may have signed in, or have a new token.
		in, err := t.store.signIn(t.server.URL)
		if err != nil {
			return "", err
		}
		t.now, t.read = in, true
		t.hide()
	}
	if t.now == nil {
		return "", nil
	}
	if !usable() {
		if err := t.refresh(ctx, rejected); err != nil {
			return "", err
		}
	}
	return t.now.Token.AccessToken, nil
}

// hide makes the values known that may not be in any text.
func (t *serverTokens) hide() {
	if t.now == nil || t.server.Hide == nil {
		return
	}
	for _, v := range t.now.values() {
		t.server.Hide(v)
	}
}

// refresh gets a new token. What another process got in the meantime is as good.
func (t *serverTokens) refresh(ctx context.Context, rejected string) error {
	ended := func(why string) error {
		return fault.New(fault.Network, "your sign-in at the MCP server %s is not valid any more%s", t.server.Name, why).Hinting("%s", loginLine(t.server.URL))
	}
	if t.now.Token.RefreshToken == "" {
		return ended("")
	}
	guard := newAuthGuard(ctx, t.server.URL)
	client := guard.client()
	client.Transport = withResource{t.now.Resource, client.Transport}
	config := oauth2.Config{ClientID: t.now.ClientID, ClientSecret: t.now.Secret, Endpoint: oauth2.Endpoint{TokenURL: t.now.TokenURL, AuthStyle: t.now.Style}}
	fresh, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client), &oauth2.Token{RefreshToken: t.now.Token.RefreshToken}).Token()
	if err == nil {
		err = usableToken(t.server.URL, fresh)
	}
	if err == nil {
		t.now.Token = fresh
		t.hide()
		_, err := t.store.keepSignIn(t.now, "")
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if other, e := t.store.signIn(t.server.URL); e == nil && other != nil && other.Token.Valid() && other.Token.AccessToken != rejected {
		t.now = other
		t.hide()
		return nil
	}
	var own *fault.Fault
	var answer *oauth2.RetrieveError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &answer):
		return ended(": " + mcp.Plain(answer.ErrorCode, 80))
	}
	return fault.New(fault.Network, "the sign-in at the MCP server %s cannot be renewed: %s", t.server.Name, mcp.Plain(cause(err), 300)).Hinting("%s", loginLine(t.server.URL))
}

// usableToken fails with a token that golem cannot send, or cannot keep out of texts.
func usableToken(server string, t *oauth2.Token) error {
	problem := ""
	switch {
	case !strings.EqualFold(t.Type(), "bearer"):
		problem = "a token of the kind " + mcp.Plain(t.Type(), 40) + ", and golem sends bearer tokens"
	case len(t.AccessToken) < trace.MinSecret || len(t.AccessToken)+len(t.RefreshToken) > mostSecret*2:
		problem = "a token that is too short or too long"
	case strings.ContainsFunc(t.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }):
		problem = "a token with characters that a header cannot have"
	}
	if problem == "" {
		return nil
	}
	return fault.New(fault.Network, "the sign-in at %s gave %s", mcp.Plain(server, 200), problem)
}

// withResource adds the resource to requests for tokens (RFC 8707).
type withResource struct {
	resource string
	next     http.RoundTripper
}

// RoundTrip sends a request.
func (w withResource) RoundTrip(r *http.Request) (*http.Response, error) {
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return nil, err
	}
	data = append(data, "&resource="+url.QueryEscape(w.resource)...)
	r = r.Clone(r.Context())
	r.Body, r.ContentLength, r.GetBody = io.NopCloser(bytes.NewReader(data)), int64(len(data)), nil
	return w.next.RoundTrip(r)
}

// send sends a request with the person's token, with a new one if the server rejects it.
func (t *serverTokens) send(r *http.Request, next http.RoundTripper) (*http.Response, error) {
	token, err := t.token(r.Context(), "")
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := next.RoundTrip(r)
	if err != nil || token == "" || res.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
		return res, err
	}
	fresh, err := t.token(r.Context(), token)
	if err != nil {
		res.Body.Close()
		return nil, err
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return res, nil
		}
	}
	res.Body.Close()
	again.Header.Set("Authorization", "Bearer "+fresh)
	return next.RoundTrip(again)
}

// wanted is the fault of a server that wants a sign-in, or more rights than it gave.
func (t *serverTokens) wanted(res *http.Response) *fault.Fault {
	if res.StatusCode == http.StatusUnauthorized {
		return fault.New(fault.Network, "the MCP server %s wants you to sign in", t.server.Name).
			Hinting("%s; or give it a key, with headers: {Authorization: …} in toolsets.mcp.%s", loginLine(t.server.URL), t.server.Name)
	}
	if scope := missingScope(res.Header); scope != "" {
		return fault.New(fault.Network, "the MCP server %s wants more rights than your sign-in has: %s", t.server.Name, scope).
			Hinting("if you agree: %s --scope %s", loginLine(t.server.URL), shellWord(scope))
	}
	return nil
}
