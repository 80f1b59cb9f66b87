package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"
)

// lockPause is the time between two attempts to get a lock that another golem holds.
const lockPause = 50 * time.Millisecond

// lockSignIn locks the sign-in at a server against other golem processes, and waits if
// one of them holds the lock. A refresh token can be used only once: two processes that
// renew at the same time would lose the sign-in. done releases the lock.
func (s *secretStore) lockSignIn(ctx context.Context, server string) (done func(), err error) {
	dir := filepath.Dir(s.file.name)
	if err = os.MkdirAll(dir, 0o700); err == nil {
		sum := sha256.Sum256([]byte(signInName(server)))
		lock := flock.New(filepath.Join(dir, fmt.Sprintf("sign-in-%x.lock", sum[:6])), flock.SetPermissions(0o600))
		if _, err = lock.TryLockContext(ctx, lockPause); err == nil {
			return func() { _ = lock.Close() }, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fault.New(fault.Config, "the sign-in at %s cannot be locked: %s", hostAndPath(server), cause(err)).Hinting("%s", writeHint(err, "make GOLEM_HOME writable"))
}

// serverTokens provides the tokens for one server. It is safe for concurrent use.
type serverTokens struct {
	server mcp.Server
	store  *secretStore

	mu  sync.Mutex
	now *signIn // the sign-in as it was last read
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
	if t.now, err = t.store.signIn(t.server.URL); err == nil {
		t.hide()
	}
	return err
}

// hide registers the secret values, so that golem removes them from all texts.
func (t *serverTokens) hide() {
	if t.now == nil || t.server.Hide == nil {
		return
	}
	for _, v := range t.now.values() {
		t.server.Hide(v)
	}
}

// renew requests a new token, or takes the one that another process has stored in the
// meantime.
func (t *serverTokens) renew(ctx context.Context, rejected string) error {
	done, err := t.store.lockSignIn(ctx, t.server.URL)
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
	_, err = t.store.keepSignIn(t.now, "")
	return err
}

func (t *serverTokens) ended(why string) error {
	return fault.New(fault.Network, "your sign-in at the MCP server %s is not valid any more%s", t.server.Name, why).Hinting("%s", loginLine(t.server.URL))
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
	return fault.New(fault.Network, "your sign-in at the MCP server %s could not be renewed: %s gives no token: %s", t.server.Name, hostAndPath(t.now.TokenURL), mcp.Plain(cause(err), 300)).
		Hinting("try again later, golem keeps the sign-in; if that does not help: %s", loginLine(t.server.URL))
}
