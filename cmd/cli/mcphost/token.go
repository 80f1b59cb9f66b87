package mcphost

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"
	"golem/core/trace"

	"golem/cmd/cli/console"
	"golem/cmd/cli/secretstore"
)

// usableToken returns an error for a token that golem cannot send, or cannot remove
// from texts.
func usableToken(server string, t *oauth2.Token) error {
	problem := ""
	switch {
	case !strings.EqualFold(t.Type(), "bearer"):
		problem = "a token of the kind " + mcp.Plain(t.Type(), 40) + ", and golem sends bearer tokens"
	case len(t.AccessToken) < trace.MinSecret || len(t.AccessToken)+len(t.RefreshToken) > secretstore.MaxSecret*2:
		problem = "a token that is too short or too long"
	case strings.ContainsFunc(t.AccessToken, func(r rune) bool { return r <= ' ' || r > '~' }):
		problem = "a token with characters that a header cannot have"
	}
	if problem == "" {
		return nil
	}
	return fault.New(fault.Network, "the sign-in at %s gave %s", secretstore.HostAndPath(server), problem)
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
			Hinting("%s; or give it a key, with headers: {Authorization: …} in toolsets.mcp.%s", secretstore.LoginLine(t.server.URL), t.server.Name).Because(mcp.ErrSignIn)
	}
	if scope := missingScope(res.Header); scope != "" {
		return fault.New(fault.Network, "the MCP server %s wants more rights than your sign-in has: %s", t.server.Name, scope).
			Hinting("if you agree: %s --scope %s", secretstore.LoginLine(t.server.URL), console.ShellWord(scope)).Because(mcp.ErrSignIn)
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
