package secretstore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/oauth2"

	"golem/core/fault"
	"golem/core/mcp"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// lockPause is the time between two attempts to get a lock that another golem holds.
const lockPause = 50 * time.Millisecond

// LockSignIn locks the sign-in at a server against other golem processes, and waits if
// one of them holds the lock. A refresh token can be used only once: two processes that
// renew at the same time would lose the sign-in. done releases the lock.
func (s *Store) LockSignIn(ctx context.Context, server string) (done func(), err error) {
	dir := filepath.Dir(s.file.Name)
	if err = os.MkdirAll(dir, 0o700); err == nil {
		sum := sha256.Sum256([]byte(SignInName(server)))
		lock := flock.New(filepath.Join(dir, fmt.Sprintf("sign-in-%x.lock", sum[:6])), flock.SetPermissions(0o600))
		if _, err = lock.TryLockContext(ctx, lockPause); err == nil {
			return func() { _ = lock.Close() }, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fault.New(fault.Config, "the sign-in at %s cannot be locked: %s", HostAndPath(server), disk.Cause(err)).Hinting("%s", disk.WriteHint(err, "make GOLEM_HOME writable"))
}

// signInPrefix is the prefix of the names under which sign-ins are stored among the
// person's secrets. It contains a space, so that no worker's file can name such a
// secret.
const signInPrefix = "mcp "

// SignIn is a person's sign-in at an MCP server. Its tokens are sent to Server and to
// TokenURL, and to no other address.
type SignIn struct {
	Server   string           `json:"server"` // the resource that the tokens are for (RFC 8707)
	Resource string           `json:"resource"`
	TokenURL string           `json:"token_url"`
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Near     int              `json:"near,omitempty"` // how near the server was when the person signed in
	Token    *oauth2.Token    `json:"token"`
}

// Values returns the secret values, which must not appear in other texts.
func (s SignIn) Values() []string {
	return slices.DeleteFunc([]string{s.Token.AccessToken, s.Token.RefreshToken, s.Secret}, func(v string) bool { return v == "" })
}

// SignInName returns the name of the secret that stores the sign-in at a server.
func SignInName(server string) string {
	if u, err := url.Parse(server); err == nil {
		u.Host = strings.ToLower(u.Host)
		server = u.String()
	}
	return signInPrefix + server
}

// SignIn returns the stored sign-in at a server; nil if there is none.
func (s *Store) SignInAt(server string) (*SignIn, error) {
	if _, err := s.Index(); err != nil { // its fault says how to repair the file
		return nil, err
	}
	value, ok, err := s.Secret(SignInName(server))
	if err != nil {
		return nil, fault.New(fault.NotFound, "the keyring of this machine does not give the sign-in at %s", HostAndPath(server)).
			Hinting("unlock the keyring, or sign in again: %s", LoginLine(server))
	}
	if !ok {
		return nil, nil
	}
	return readSignIn(value, server)
}

func readSignIn(value, server string) (*SignIn, error) {
	out := &SignIn{}
	if json.Unmarshal([]byte(value), out) != nil || out.Token == nil || SignInName(out.Server) != SignInName(server) {
		return nil, fault.New(fault.Config, "the sign-in that is kept for %s cannot be read", HostAndPath(server)).Hinting("%s", LoginLine(server))
	}
	return out, nil
}

// KeepSignIn stores a sign-in in store, or if that is "" where it was before, else in
// the keyring, or in the file if no keyring answers. used says where.
func (s *Store) KeepSignIn(in *SignIn, store string) (used string, err error) {
	data, err := json.Marshal(in)
	if err != nil {
		return "", fault.New(fault.Config, "the sign-in cannot be kept: %w", err)
	}
	if store == "" {
		index, err := s.Index()
		if err != nil {
			return "", err
		}
		if before := index.Secrets[SignInName(in.Server)]; before != nil {
			store = before.Store // the person chose it
		}
	}
	used, _, err = s.Set(SignInName(in.Server), string(data), store)
	return used, err
}

// HostAndPath returns the address of a server for messages, without its query, which
// may contain a secret.
func HostAndPath(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return "the address that you gave"
	}
	return mcp.Plain(u.Host+u.EscapedPath(), 200)
}

// LoginLine returns the command with which a person signs in.
func LoginLine(server string) string { return "golem mcp login " + console.ShellWord(server) }

// MaxSecret is the largest value in bytes. A value shorter than trace.MinSecret is
// refused, too: it could not be told from ordinary text, so golem could not remove it
// from a trace.
const MaxSecret = 8 << 10
