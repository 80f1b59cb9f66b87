//go:build !js

package model

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"golem/core/fault"
)

// serve returns a real server that plays a behaviour.
func serve(t *testing.T, b behaviour) *httptest.Server {
	t.Helper()
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if b.status >= 300 {
			w.Header().Set("Content-Type", "application/json")
		}
		for k, v := range b.header {
			w.Header().Set(k, v)
		}
		if b.cut && len(b.body) == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(max(b.status, 200))
		flush := http.NewResponseController(w).Flush
		for i, piece := range b.body {
			if i > 0 {
				time.Sleep(b.pause)
			}
			if _, err := w.Write([]byte(piece)); err != nil {
				return
			}
			if err := flush(); err != nil {
				return
			}
		}
		if b.hang {
			if err := flush(); err != nil {
				return
			}
			<-r.Context().Done()
		}
		if b.cut {
			panic(http.ErrAbortHandler)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(server.Close)
	if !b.redirect {
		return server
	}
	first := httptest.NewServer(http.RedirectHandler(server.URL+"/v1/chat/completions", http.StatusTemporaryRedirect))
	t.Cleanup(first.Close)
	return first
}

func onServer(t *testing.T, b behaviour, c Config) Model {
	t.Helper()
	server := serve(t, b)
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.HTTP = client
	all := maps.Clone(key)
	for _, row := range rows {
		all[envName(row.Name)+"_BASE_URL"] = server.URL + "/v1"
	}
	c.Env = env(all)
	return open(t, b.named(), b.config(c))
}

// Every behaviour of the table passes on a local server.
func TestBehavioursOnServer(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			idle := 10 * time.Second
			if b.hang {
				idle = 100 * time.Millisecond
			}
			b.play(t, onServer(t, b, Config{Idle: idle}))
		})
	}
}

// Scenario 36: cancellation ends a real connection that nothing else would end, before
// or in the answer, and leaves no goroutine. TestCancellationStopsAtOnce tests how
// fast.
func TestCancellationOnServer(t *testing.T) {
	for _, body := range [][]string{nil, {eventsOf(text("Hel"))}} {
		func() {
			m := onServer(t, behaviour{hang: true, body: body}, Config{})
			before := goleak.IgnoreCurrent()
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			_, err := m.Generate(ctx, request(), nil)
			if !errors.Is(err, fault.Interrupted) {
				t.Fatal(err)
			}
			m.(*remote).config.HTTP.(*http.Client).CloseIdleConnections()
			if err := goleak.Find(before); err != nil && strings.Contains(err.Error(), "core/model.(") && !strings.Contains(err.Error(), "serve.func") {
				t.Error(err)
			}
		}()
	}
}

// Scenario 36 as a whole: 429 with Retry-After, 500, 200 through the retry
// decorator on a real connection.
func TestRetriesOnServer(t *testing.T) {
	answers := []behaviour{
		{status: 429, header: map[string]string{"Retry-After": "1"}},
		{status: 500, body: []string{"oops"}},
		{body: []string{eventsOf(text("Hello")), ok("stop")}},
	}
	var arrived []time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := answers[len(arrived)]
		arrived = append(arrived, time.Now())
		w.Header().Set("Content-Type", "text/event-stream")
		for k, v := range b.header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(max(b.status, 200))
		_, _ = w.Write([]byte(strings.Join(b.body, ""))) // a client that is gone fails the test elsewhere
	}))
	defer server.Close()
	m := open(t, "openai:gpt-test", Config{HTTP: server.Client(), Env: env(map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.URL})})
	var heard []Retry
	turn, err := WithRetry(m, RetryPolicy{First: 10 * time.Millisecond}, func(r Retry) { heard = append(heard, r) }).
		Generate(context.Background(), request(), nil)
	if err != nil || turn.Text != "Hello" || turn.Attempts != 3 || len(heard) != 2 {
		t.Fatal(turn, err, heard)
	}
	if wait := arrived[1].Sub(arrived[0]); wait < time.Second {
		t.Errorf("waited %v, less than the server asked for", wait)
	}
}

// A whole conversation uses one connection.
func TestConnectionIsKept(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(eventsOf(text("Hello")) + ok("stop"))) // a client that is gone fails the test elsewhere
		_ = http.NewResponseController(w).Flush()
		time.Sleep(5 * time.Millisecond) // so that the end of the body arrives later
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	m := open(t, "openai:gpt-test", Config{HTTP: server.Client(), Env: env(map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.URL})})
	if m.(*remote).moment <= 0 {
		t.Error("nothing is read after the end mark: no connection is kept")
	}
	m.(*remote).moment = time.Minute // enough on a busy machine
	for range 5 {
		if _, err := m.Generate(context.Background(), request(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n > 4 { // net/http opens another one if its goroutine that writes is late by 50 ms
		t.Errorf("%d connections for 5 requests", n)
	}
}
