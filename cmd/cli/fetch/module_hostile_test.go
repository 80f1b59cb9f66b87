package fetch

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"

	"golem/core/fault"
	"golem/core/wasmtool"
)

// talking starts a server that answers each connection with say, whatever the request
// is, and returns its address.
func talking(t *testing.T, say func(w io.Writer) error) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_ = say(conn) // until the other side has enough
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// forever returns an answer that never ends: head, and then text again and again.
func forever(head, text string, pause time.Duration) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, head)
		for err == nil {
			_, err = io.WriteString(w, text)
			time.Sleep(pause)
		}
		return err
	}
}

// SECURITY 7: whatever a server answers, a module's request ends with a bounded answer
// or a refusal, and the server's words are only text.
func TestFetchFromHostileServers(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	once := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	bomb := func(w io.Writer) error {
		if _, err := io.WriteString(w, ok+"Content-Encoding: gzip\r\n\r\n"); err != nil {
			return err
		}
		z := gzip.NewWriter(w)
		for range 64 {
			if _, err := z.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
		return z.Close()
	}
	for _, c := range []struct {
		what string
		say  func(io.Writer) error
		want fault.Code
	}{
		{"headers without end", forever(ok, "X-A: "+strings.Repeat("a", 1000)+"\r\n", 0), fault.Network},
		{"one header without end", forever(ok+"X-A: ", strings.Repeat("a", 1000), 0), fault.Network},
		{"a body without end", forever(ok+"\r\n", strings.Repeat("a", 1<<16), 0), fault.Network},
		{"chunks without end", forever(ok+"Transfer-Encoding: chunked\r\n\r\n", "1000\r\n"+strings.Repeat("a", 0x1000)+"\r\n", 0), fault.Network},
		{"trailers without end", forever(ok+"Transfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: "+strings.Repeat("a", 1000)+"\r\n", 0), fault.Network},
		{"early hints without end", forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0), fault.Network},
		{"a gzip bomb", bomb, fault.Network},
		{"gzip that is none", once(ok + "Content-Encoding: gzip\r\n\r\nnonsense"), fault.Network},
		{"a body in drips", forever(ok+"\r\n", "a", 10*time.Millisecond), fault.Timeout},
		{"headers in drips", forever(ok, "X-A: a\r\n", 10*time.Millisecond), fault.Timeout},
		{"silence", func(io.Writer) error { <-t.Context().Done(); return nil }, fault.Timeout},
		{"a length that lies", once(ok + "Content-Length: 1000\r\n\r\nshort"), fault.Network},
		{"two lengths", once(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), fault.Network},
		{"terminal controls", once("HTTP/1.1 \x1b[31m\u202e\x07\r\n\r\n"), fault.Network},
		{"another protocol", once(strings.Repeat("\x00\x1b]0;owned\x07", 100) + "\r\n"), fault.Network},
		{"a redirect to controls", once("HTTP/1.1 302 Found\r\nLocation: http://\x1b[31m/\r\n\r\n"), fault.Network},
		{"a long redirect", once("HTTP/1.1 302 Found\r\nLocation: /" + strings.Repeat("a", 20_000) + "\r\n\r\n"), fault.Network},
		{"a redirect to a socket", once("HTTP/1.1 302 Found\r\nLocation: unix:///var/run/docker.sock\r\n\r\n"), fault.Network},
		{"a redirect to a user", once("HTTP/1.1 302 Found\r\nLocation: http://u:p@127.0.0.1/\r\n\r\n"), fault.Network},
	} {
		at := talking(t, c.say)
		limit := patience
		if c.want == fault.Timeout {
			limit = 300 * time.Millisecond
		}
		ctx, stop := context.WithTimeout(t.Context(), limit)
		res, err := Modules{}.Fetch(ctx, wasmtool.HTTPRequest{URL: "http://" + at + "/?key=secret", Method: "GET"}, wasmtool.Policy{Hosts: []string{at}})
		stop()
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code != c.want {
			t.Errorf("%s: %v and %d bytes, want %s", c.what, err, len(res.Body), c.want)
			continue
		}
		hidden := func(r rune) bool { return unicode.Is(unicode.C, r) }
		if strings.ContainsFunc(f.Message, hidden) || strings.Contains(f.Message, "secret") || len(f.Message) > 600 {
			t.Errorf("%s: says %q", c.what, f.Message)
		}
	}
}

// After a redirect, the body is sent only to hosts that are allowed, and never to
// another one.
func TestFetchBodyStaysWithAllowedHosts(t *testing.T) {
	got := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		got <- fmt.Sprint(r.Method, " ", string(body), " ", err)
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer first.Close()
	a, b := hostPort(t, first), hostPort(t, other)
	send := func(hosts ...string) error {
		_, err := Modules{}.Fetch(t.Context(), wasmtool.HTTPRequest{URL: first.URL, Method: "POST", Body: []byte("text")}, wasmtool.Policy{Hosts: hosts})
		return err
	}
	refusedHop(t, send(a), "not in its allowed_hosts")
	if len(got) != 0 {
		t.Errorf("the other host got %s", <-got)
	}
	if err := send(a, b); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "POST text <nil>" {
		t.Errorf("got %s", s)
	}
}
