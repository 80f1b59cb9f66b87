package mcphost

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/secretstore"
)

// signedIn returns a site at which the person has signed in, and the store with the
// sign-in.
func signedIn(t *testing.T) (*authSite, *secretstore.Store) {
	site := newAuthSite(t)
	_, store := newHome(t)
	in, err := site.login(t).Run(t.Context())
	if err == nil {
		_, err = store.KeepSignIn(in, secretstore.InFile)
	}
	if err != nil {
		t.Fatal(err)
	}
	return site, store
}

// tokensOf returns the tokens of a new connection, like those of another process.
func tokensOf(site *authSite, store *secretstore.Store) *serverTokens {
	return &serverTokens{server: mcp.Server{Name: "wiki", URL: site.at.URL + "/mcp"}, store: store}
}

// Connections that renew a sign-in at the same time use its refresh token once, and
// leave no connection to the token server open.
func TestRenewOnce(t *testing.T) {
	t.Parallel()
	site, store := signedIn(t)
	site.serves("/token", func(w http.ResponseWriter, r *http.Request) {
		if !r.Close {
			t.Error("the connection to the token server is kept open")
		}
		site.token(w, r)
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if token, err := tokensOf(site, store).token(t.Context(), "access-1"); token != "access-2" || err != nil {
				t.Errorf("%q, %v", token, err)
			}
		})
	}
	all.Wait()
	if site.count != 2 {
		t.Errorf("%d tokens were made", site.count)
	}
	// Waiting for the lock of another golem can be cancelled.
	done, err := store.LockSignIn(t.Context(), site.at.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ctx, stop := context.WithCancelCause(t.Context())
	stop(fault.New(fault.Interrupted, "stopped"))
	if _, err := tokensOf(site, store).token(ctx, "access-2"); !errors.Is(err, fault.Interrupted) {
		t.Error(err)
	}
}

// Only an answer of the token server ends a sign-in; an outage does not, and the next
// attempt renews it.
func TestRenewOutage(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	site, store := signedIn(t)
	for name, one := range map[string]struct {
		serve http.HandlerFunc
		ended bool
	}{
		"down":       {says(503, "<html>down</html>"), false},
		"busy":       {says(429, `{"error":"slow_down"}`), false},
		"breaks off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false},
		"no token":   {says(200, "{}"), false},
		"revoked":    {says(400, `{"error":"invalid_grant"}`), true},
		"no client":  {says(401, `{"error":"invalid_client"}`), true},
		"forbidden":  {says(400, `{"error":"unauthorized_client"}`), true},
	} {
		site.serves("/token", one.serve)
		_, err := tokensOf(site, store).token(t.Context(), "access-1")
		f := fault.Of(err, fault.Tool)
		if errors.Is(err, mcp.ErrSignIn) != one.ended {
			t.Errorf("%s: whether to sign in again is not told: %v", name, err)
		}
		if f.Code != fault.Network || strings.Contains(f.Message, "not valid any more") != one.ended || strings.Contains(f.Hint, "try again") == one.ended {
			t.Errorf("%s: %v", name, err)
		}
	}
	site.serves("/token", nil)
	if token, err := tokensOf(site, store).token(t.Context(), "access-1"); token != "access-2" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
}

// A run that ends while the server renews a sign-in does not lose the new refresh token:
// the old one can be used once.
func TestRenewWhileStopping(t *testing.T) {
	t.Parallel()
	site, store := signedIn(t)
	ctx, stop := context.WithCancel(t.Context())
	site.serves("/token", func(w http.ResponseWriter, r *http.Request) {
		stop()
		site.token(w, r)
	})
	if token, err := tokensOf(site, store).token(ctx, "access-1"); token != "access-2" || err != nil {
		t.Errorf("%q, %v", token, err)
	}
	if in, err := store.SignInAt(site.at.URL + "/mcp"); err != nil || in.Token.AccessToken != "access-2" {
		t.Errorf("kept: %v, %v", in, err)
	}
}

// If secrets.json cannot be read, the fault says to repair it: signing in again would
// not help.
func TestSignInOfBrokenSecrets(t *testing.T) {
	t.Parallel()
	site := newAuthSite(t)
	c, store := newHome(t)
	if err := os.WriteFile(filepath.Join(c.Home.Dir(), "secrets.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := tokensOf(site, store).token(t.Context(), "")
	if f := fault.Of(err, fault.Tool); !strings.Contains(f.Message, "secrets.json") || !strings.Contains(f.Hint, "repair the file") || strings.Contains(f.Hint, "login") {
		t.Error(err)
	}
}

// Any page can send the browser to the address where golem waits. An answer with another
// state is refused and the waiting goes on; the right one signs in.
func TestServerLoginForeignAnswers(t *testing.T) {
	t.Parallel()
	site := newAuthSite(t)
	l := site.login(t)
	var browser sync.WaitGroup
	defer browser.Wait()
	l.Show = func(address, _ string) {
		browser.Go(func() {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			get := func(address string) *http.Response {
				res, err := client.Get(address)
				if err != nil {
					t.Error(err)
					return &http.Response{}
				}
				res.Body.Close()
				return res
			}
			back, err := url.Parse(get(address).Header.Get("Location"))
			if err != nil {
				t.Error(err)
				return
			}
			right := back.Query()
			for _, foreign := range []string{"", "?state=", "?state=x&code=code-1", "?state=x&error=access_denied"} {
				if got := get("http://" + back.Host + back.Path + foreign).StatusCode; got != http.StatusBadRequest {
					t.Errorf("%q is answered with %d", foreign, got)
				}
			}
			if got := get(back.String()).StatusCode; got != http.StatusOK {
				t.Errorf("%v is answered with %d", right, got)
			}
		})
	}
	if in, err := l.Run(t.Context()); err != nil || in.Token.AccessToken != "access-1" {
		t.Errorf("%v, %v", in, err)
	}
}

// The query of a server's address can hold a key: messages show its host and path.
func TestSignInHidesQueries(t *testing.T) {
	t.Parallel()
	site := newAuthSite(t)
	site.serves("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	l := site.login(t)
	l.Server += "?key=s3cret"
	_, err := l.Run(t.Context())
	if f := fault.Of(err, fault.Tool); strings.Contains(f.Text(), "s3cret") || !strings.Contains(f.Text(), "/mcp answered with the HTTP status 502") {
		t.Error(err)
	}
}

// A server that wants a sign-in, or more rights, says so in a way that the rest of golem
// understands.
func TestRefusalsWantASignIn(t *testing.T) {
	t.Parallel()
	tokens := &serverTokens{server: mcp.Server{Name: "wiki", URL: "https://wiki.example/mcp"}}
	for status, challenge := range map[int]string{http.StatusUnauthorized: "", http.StatusForbidden: `Bearer error="insufficient_scope", scope="write"`} {
		res := &http.Response{StatusCode: status, Header: http.Header{"Www-Authenticate": {challenge}}}
		if f := tokens.wanted(res); f == nil || !errors.Is(f, mcp.ErrSignIn) || strings.HasSuffix(f.Message, " ") {
			t.Errorf("%d: %v", status, f)
		}
	}
}
