package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// said is what the program writes.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

var address = regexp.MustCompile(`nats://[0-9.:]+`)

// serve runs the program until the returned function is called, and returns its address.
func serve(t *testing.T, token string, args ...string) (url string, end func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, ended := &said{}, make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"--addr", "127.0.0.1:0"}, args...), token, out) }()
	for url == "" {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v\n%s", err, out)
		case <-time.After(10 * time.Millisecond):
			url = address.FindString(out.String())
		}
	}
	return url, func() {
		t.Helper()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// What is in a stream is there again after the program was ended and started, with the token only.
func TestQueueKeepsItsStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a long random text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		url, end := serve(t, "", "--dir", dir, "--token-file", token, "--fsync")
		if _, err := nats.Connect(url); !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("without the token: %v", err)
		}
		conn, err := nats.Connect(url, nats.Token("a long random text"))
		if err != nil {
			t.Fatal(err)
		}
		js, err := jetstream.New(conn)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if _, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}}); err == nil {
				_, err = js.Publish(t.Context(), "s", []byte("here"))
			}
		} else {
			var s jetstream.Stream
			var m *jetstream.RawStreamMsg
			if s, err = js.Stream(t.Context(), "S"); err == nil {
				m, err = s.GetMsg(t.Context(), 1)
			}
			if err == nil && string(m.Data) != "here" {
				t.Errorf("%q", m.Data)
			}
		}
		if err != nil {
			t.Error(err)
		}
		conn.Close()
		end()
	}
}

// A file for the token that is not there is made, for its owner only, and has a token that counts
// from then on.
func TestQueueMakesAToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	var first string
	for n := range 2 {
		url, end := serve(t, "", "--dir", t.TempDir(), "--token-file", file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		token := strings.TrimSpace(string(data))
		if n == 0 {
			first = token
		}
		if _, err := nats.Connect(url, nats.Token("x"+token)); len(token) < 20 || token != first || !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%q, first %q: with another token: %v", token, first, err)
		}
		conn, err := nats.Connect(url, nats.Token(token))
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		end()
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := run(t.Context(), []string{"--token-file", filepath.Join(t.TempDir(), "none", "token")}, "", &said{}); err == nil || !strings.Contains(err.Error(), "cannot be made") {
		t.Error(err)
	}
}

// The health of the server is at an address of its own, and nothing else.
func TestQueueHealth(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, end := serve(t, "a long random text", "--dir", t.TempDir(), "--health", at)
	for path, want := range map[string]int{"/healthz": 200, "/healthz?stream=x&account=y": 200, "/": 404, "/varz": 404, "/jsz": 404} {
		r, err := http.Get("http://" + at + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil || r.StatusCode != want || want == 200 && !strings.Contains(string(body), `"ok"`) {
			t.Errorf("%s: %d %s, %v", path, r.StatusCode, body, err)
		}
	}
	end()
	if _, err := http.Get("http://" + at + "/healthz"); err == nil {
		t.Error("it answers after its end")
	}
}

// SECURITY: without a token it listens on this machine only.
func TestQueueRefuses(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	used, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	for want, args := range map[string][]string{
		"listens on this machine only": {"--addr", "0.0.0.0:0"},
		"this machine only":            {"--addr", "queue.example:4222"},
		"is not HOST:PORT":             {"--addr", "4222"},
		"has no port between":          {"--addr", "127.0.0.1:99999"},
		"is empty":                     {"--token-file", empty},
		"cannot be read":               {"--token-file", filepath.Join(empty, "x")},
		"--tls-cert and --tls-key":     {"--tls-cert", empty, "--tls-key", empty},
		"cannot be made":               {"--dir", filepath.Join(empty, "x")},
		"--health":                     {"--addr", "127.0.0.1:0", "--dir", t.TempDir(), "--health", "127.0.0.1:99999"},
		"does not start on":            {"--addr", used.Addr().String(), "--dir", t.TempDir()},
		"is not a flag":                {"now"},
	} {
		if err := run(t.Context(), args, "", &said{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// With --fsync each message is on the disk before it is acknowledged.
func TestQueueWritesToTheDisk(t *testing.T) {
	for _, want := range []bool{false, true} {
		args := []string{"--dir", t.TempDir()}
		if want {
			args = append(args, "--fsync")
		}
		o, err := read(args, &said{})
		if err != nil {
			t.Fatal(err)
		}
		so, err := o.server("")
		if err != nil || so.SyncAlways != want {
			t.Errorf("%v: %v, %v", args, so.SyncAlways, err)
		}
	}
}
