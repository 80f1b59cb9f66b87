// Package httpguard is what golem's HTTP servers for other programs have in common: who may
// ask, how long a request may take to arrive, and a clean end.
package httpguard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"golem/core/fault"
)

// Guard decides which requests a server answers.
type Guard struct {
	// Program is the command, for reasons.
	Program string
	// Anywhere says that the server listens on an address that other machines reach. It
	// then answers to every IP address, but still to no other name than localhost.
	Anywhere bool
	want     [sha256.Size]byte
}

// New returns a guard that wants this token.
func New(program, token string) Guard {
	return Guard{Program: program, want: sha256.Sum256([]byte(token))}
}

// NewToken returns a new random bearer token that cannot be guessed.
func NewToken() string { return rand.Text() + rand.Text() }

// minToken is the fewest characters that a token chosen by a person may have.
const minToken = 24

// CheckToken returns E_USAGE for a token that a person chose if it is too short, or has a
// character that a header cannot carry. from says where it is from.
func CheckToken(from, token string) error {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(token) < minToken || strings.ContainsFunc(token, odd) {
		return fault.New(fault.Usage, "the token in %s has fewer than %d characters, or a space or a character that is not ASCII", from, minToken).
			Hinting("make one with: openssl rand -hex 24; without it golem makes one at each start")
	}
	return nil
}

// Foreign returns why a request is refused with 403 whatever its token: it is addressed to
// another name than this machine's (DNS rebinding), or a web page of another origin sends
// it. It returns "" for every other request.
func (g Guard) Foreign(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case host == "localhost" || err == nil && ip.IsLoopback():
	case !g.Anywhere:
		return g.Program + " answers to this machine's loopback names only"
	case err != nil:
		return g.Program + " answers to IP addresses and to localhost only, not to other names"
	}
	if origins := r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && origins[0] != "http://"+r.Host {
		return "requests of pages of other origins are refused"
	}
	return ""
}

// Authorized reports whether a request has the token, in exactly one header. How long it
// takes does not depend on the token that the request has.
func (g Guard) Authorized(r *http.Request) bool {
	scheme, got, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	same := g.Is(got)
	return same && strings.EqualFold(scheme, "Bearer") && len(r.Header.Values("Authorization")) == 1
}

// Is reports whether a text is the token. How long it takes does not depend on the text.
func (g Guard) Is(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.want[:]) == 1
}

// Unauthorized is the reason for a request without the token.
const Unauthorized = "the header Authorization: Bearer TOKEN is missing or has another token; golem shows the token when it starts"

// Harden sets the headers that every answer has.
func Harden(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// bodyTime is how long a client may take to send the body of a request.
const bodyTime = 30 * time.Second

// ErrTooLarge is the error of a body that has more bytes than it may have.
var ErrTooLarge = errors.New("the body is too large")

// ReadBody reads the whole body of a request, so that a client that sends slowly occupies
// only its connection, and at most for bodyTime. The limit does not apply to the answer. The
// errors are ErrTooLarge and those of the connection.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	control := http.NewResponseController(w)
	// The error is ignored: only the response writers of tests have no deadlines.
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, ErrTooLarge
	case err != nil:
		return nil, err
	}
	_ = control.SetReadDeadline(time.Time{})
	return body, nil
}

// Serve serves a handler until ctx ends. It then calls end, which must end what the handler
// does and wait for it.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, end func()) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fault.Of(err, fault.Platform)
	case <-ctx.Done():
	}
	end()
	closing, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(closing); err != nil {
		server.Close() // a client may keep its stream open
	}
	<-ended
	return nil
}
