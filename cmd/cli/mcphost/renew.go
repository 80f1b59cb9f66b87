package mcphost

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/disk"
	"golem/cmd/cli/secretstore"
)

// serverTokens provides the tokens for one server. It is safe for concurrent use.
type serverTokens struct {
	server mcp.Server
	store  *secretstore.Store

	mu  sync.Mutex
	now *secretstore.SignIn // the sign-in as it was last read
}

// token returns the access token to send, which is never the rejected one; "" if there
// is no sign-in.
func (t *serverTokens) token(ctx context.Context, rejected string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.usable(rejected) {
		// Another process may have signed in, or have a new token.
		if err := t.load(); err != nil {
			return "", err
		}
	}
	if t.now != nil && !t.usable(rejected) {
		if err := t.renew(ctx, rejected); err != nil {
			return "", err
		}
	}
	if t.now == nil {
		return "", nil
	}
	return t.now.Token.AccessToken, nil
}

func (t *serverTokens) usable(rejected string) bool {
	return t.now != nil && t.now.Token.Valid() && t.now.Token.AccessToken != rejected
}

// load reads the sign-in from the store.
func (t *serverTokens) load() (err error) {
	if t.now, err = t.store.SignInAt(t.server.URL); err == nil {
		t.hide()
	}
	return err
}

// hide registers the secret values, so that golem removes them from all texts.
func (t *serverTokens) hide() {
	if t.now == nil || t.server.Guard == nil {
		return
	}
	for _, v := range t.now.Values() {
		t.server.Guard.Hide(v)
	}
}

// renew requests a new token, or takes the one that another process has stored in the
// meantime.
func (t *serverTokens) renew(ctx context.Context, rejected string) error {
	done, err := t.store.LockSignIn(ctx, t.server.URL)
	if err != nil {
		return err
	}
	defer done()
	if err := t.load(); err != nil || t.now == nil || t.usable(rejected) {
		return err
	}
	if t.now.Token.RefreshToken == "" {
		return t.ended("")
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// The server may invalidate the old refresh token as soon as it gets the request.
	// So the request is not cancelled with the call, and its answer is stored in any
	// case. The client waits 30 s at most.
	ctx = context.WithoutCancel(ctx)
	guard := newAuthGuard(ctx, t.server.URL)
	guard.near = t.now.Near // golem does not connect to the server now, so it cannot see how near it is
	client := guard.client()
	client.Transport = withResource{t.now.Resource, client.Transport}
	config := oauth2.Config{ClientID: t.now.ClientID, ClientSecret: t.now.Secret, Endpoint: oauth2.Endpoint{TokenURL: t.now.TokenURL, AuthStyle: t.now.Style}}
	fresh, err := config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client), &oauth2.Token{RefreshToken: t.now.Token.RefreshToken}).Token()
	if err == nil {
		err = usableToken(t.server.URL, fresh)
	}
	if err != nil {
		return t.notRenewed(err)
	}
	t.now.Token = fresh
	t.hide()
	_, err = t.store.KeepSignIn(t.now, "")
	return err
}

func (t *serverTokens) ended(why string) error {
	return fault.New(fault.Network, "your sign-in at the MCP server %s is not valid any more%s", t.server.Name, why).Hinting("%s", secretstore.LoginLine(t.server.URL)).Because(mcp.ErrSignIn)
}

// notRenewed returns the fault of a token that could not be renewed. It says that the
// sign-in has ended only if the server says so; an outage is temporary.
func (t *serverTokens) notRenewed(err error) error {
	var own *fault.Fault
	var answer *oauth2.RetrieveError
	var sending *url.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &answer):
		if slices.Contains([]string{"invalid_grant", "invalid_client", "unauthorized_client"}, answer.ErrorCode) {
			return t.ended(": " + answer.ErrorCode)
		}
		err = fmt.Errorf("it answered with the HTTP status %d %s", answer.Response.StatusCode, answer.ErrorCode)
	case errors.As(err, &sending):
		err = sending.Err // without the whole address
	}
	return fault.New(fault.Network, "your sign-in at the MCP server %s could not be renewed: %s gives no token: %s", t.server.Name, secretstore.HostAndPath(t.now.TokenURL), mcp.Plain(disk.Cause(err), 300)).
		Hinting("try again later, golem keeps the sign-in; if that does not help: %s", secretstore.LoginLine(t.server.URL))
}
