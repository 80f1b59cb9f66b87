package mcphost

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/secretstore"
)

// A server that lets everybody begin and asks for a sign-in only when the tools are listed
// can be signed in at, also in the middle of a run: the connection that was refused works
// afterwards. So can one that knows no handshake.
func TestSignInAtTheListOfTools(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{mcp.Latest, mcp.Stateless} {
		t.Run(revision, func(t *testing.T) {
			site := newAuthSite(t)
			h, store := newHome(t)
			site.mcp.Version = revision
			if revision != mcp.Stateless {
				site.mcp.Session = "one"
			}
			site.serves("/mcp", func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(data))
				site.mu.Lock()
				signed := site.access != "" && r.Header.Get("Authorization") == "Bearer "+site.access
				site.mu.Unlock()
				if bytes.Contains(data, []byte(`"tools/`)) && !signed {
					w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+site.at.URL+`/.well-known/oauth-protected-resource/mcp"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				site.mcp.ServeHTTP(w, r)
			})
			c := New(h, t.TempDir()).Connect(mcp.Server{Name: "wiki", URL: site.at.URL + "/mcp"})
			defer c.Close()
			list := func() error {
				if err := c.Open(t.Context()); err != nil {
					t.Fatal(err) // everybody may begin
				}
				_, _, err := c.Client().Tools(t.Context(), func(string) bool { return true })
				return err
			}
			var f *fault.Fault
			if err := list(); !errors.As(err, &f) || !strings.Contains(f.Hint, "golem mcp login") {
				t.Fatal(err)
			}
			in, err := site.login(t).Run(t.Context())
			if err != nil || in == nil {
				t.Fatalf("%v %v", in, err)
			}
			if _, err := store.KeepSignIn(in, secretstore.InFile); err != nil {
				t.Fatal(err)
			}
			if err := list(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The secret of a client that the person registered goes to the server that gives tokens,
// and is kept for renewals; it comes from a variable and not from the command line.
func TestSecretOfAClient(t *testing.T) {
	t.Parallel()
	site := newAuthSite(t)
	site.change["/.well-known/oauth-authorization-server"] = func(doc map[string]any) {
		doc["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
	}
	var mu sync.Mutex
	var got string
	site.serves("/token", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = r.FormValue("client_id") + " " + r.FormValue("client_secret")
		mu.Unlock()
		site.token(w, r)
	})
	l := site.login(t)
	l.ClientID, l.Secret = "mine", "the-client-secret"
	in, err := l.Run(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if err != nil || got != "mine the-client-secret" || in.Secret != "the-client-secret" {
		t.Errorf("%q %+v %v", got, in, err)
	}
}
