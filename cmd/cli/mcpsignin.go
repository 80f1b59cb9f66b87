package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/trace"
)

// signInPrefix is the prefix of the names under which sign-ins are stored among the
// person's secrets. It contains a space, so that no worker's file can name such a
// secret.
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
	Near     int              `json:"near,omitempty"` // how near the server was when the person signed in
	Token    *oauth2.Token    `json:"token"`
}

// values returns the secret values, which must not appear in other texts.
func (s signIn) values() []string {
	return slices.DeleteFunc([]string{s.Token.AccessToken, s.Token.RefreshToken, s.Secret}, func(v string) bool { return v == "" })
}

// signInName returns the name of the secret that stores the sign-in at a server.
func signInName(server string) string {
	if u, err := url.Parse(server); err == nil {
		u.Host = strings.ToLower(u.Host)
		server = u.String()
	}
	return signInPrefix + server
}

// signIn returns the stored sign-in at a server; nil if there is none.
func (s *secretStore) signIn(server string) (*signIn, error) {
	if _, err := s.index(); err != nil { // its fault says how to repair the file
		return nil, err
	}
	value, ok, err := s.Secret(signInName(server))
	if err != nil {
		return nil, fault.New(fault.NotFound, "the keyring of this machine does not give the sign-in at %s", hostAndPath(server)).
			Hinting("unlock the keyring, or sign in again: %s", loginLine(server))
	}
	if !ok {
		return nil, nil
	}
	return readSignIn(value, server)
}

func readSignIn(value, server string) (*signIn, error) {
	out := &signIn{}
	if json.Unmarshal([]byte(value), out) != nil || out.Token == nil || signInName(out.Server) != signInName(server) {
		return nil, fault.New(fault.Config, "the sign-in that is kept for %s cannot be read", hostAndPath(server)).Hinting("%s", loginLine(server))
	}
	return out, nil
}

// keepSignIn stores a sign-in in store, or if that is "" where it was before, else in
// the keyring, or in the file if no keyring answers. used says where.
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

// hostAndPath returns the address of a server for messages, without its query, which
// may contain a secret.
func hostAndPath(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "the address that you gave"
	}
	return mcp.Plain(u.Host+u.EscapedPath(), 200)
}

// loginLine returns the command with which a person signs in.
func loginLine(server string) string { return "golem mcp login " + shellWord(server) }

// usableToken returns an error for a token that golem cannot send, or cannot remove
// from texts.
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
	return fault.New(fault.Network, "the sign-in at %s gave %s", hostAndPath(server), problem)
}

// withResource is an HTTP transport that adds the resource parameter to token requests
// (RFC 8707).
type withResource struct {
	resource string
	next     http.RoundTripper
}

// RoundTrip adds the parameter and sends the request.
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

// send sends a request with the person's token. If the server rejects the token, it
// sends the request once more with a new one.
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
	if fresh == "" { // the person signed out meanwhile
		return res, nil
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

// wanted returns the fault for a server that demands a sign-in, or more rights than the
// token has; nil for any other answer.
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

// hasAuthorization reports whether headers name Authorization.
func hasAuthorization(headers map[string]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}
