package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"golem/core/otlp/otlptest"
)

// collector is an OpenTelemetry collector of a script. It reads requests strictly.
type collector struct {
	dir  string
	mode string

	mu     sync.Mutex
	bodies [][]byte
	tried  int
	over   chan struct{} // for the mode slow: closed at the end of the script
}

// cmdCollector starts a collector until the script ends, and puts its address into a variable:
// collector DIR NAME [MODE]. DIR gets each request as N.json, its header as N.txt, and, for the
// requests of all runs together, the spans as spans.txt. The modes: busy (429 once, then it
// takes it), full (503 and a long Retry-After), slow (it never answers), moved (a redirect),
// partly (it refuses one span).
func cmdCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: collector DIR NAME [MODE]")
	}
	c := &collector{dir: ts.MkAbs(args[0]), mode: strings.Join(args[2:], ""), over: make(chan struct{})}
	ts.Check(os.MkdirAll(c.dir, 0o700))
	server := httptest.NewServer(c)
	ts.Defer(server.Close)
	ts.Defer(func() { close(c.over) })
	ts.Setenv(args[1], server.URL)
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried++
	switch {
	case c.mode == "slow":
		c.mu.Unlock()
		<-c.over
		c.mu.Lock()
		return
	case c.mode == "moved":
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		return
	case c.mode == "full":
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case c.mode == "busy" && c.tried == 1:
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := c.keep(r, body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if c.mode == "partly" {
		fmt.Fprint(w, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too \u001b[31mold"}}`)
		return
	}
	fmt.Fprint(w, "{}")
}

// keep writes a request to the directory.
func (c *collector) keep(r *http.Request, body []byte) error {
	c.bodies = append(c.bodies, body)
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s %s\n", r.Method, r.URL)
	if err := r.Header.Write(&text); err != nil {
		return err
	}
	var spans bytes.Buffer
	got, err := otlptest.Read(body)
	if err != nil {
		fmt.Fprintf(&spans, "WRONG: %v\n", err)
	}
	names := map[string]string{}
	var lines []string
	for _, s := range got.Spans {
		names[string(s.SpanId)] = s.Name
		line := fmt.Sprintf("%s < %s: %s", s.Name, names[string(s.ParentSpanId)], s.Status.GetCode())
		for _, e := range s.Events {
			line += " +" + e.Name
		}
		lines = append(lines, line)
	}
	slices.Sort(lines) // calls run beside each other
	spans.WriteString(strings.Join(lines, "\n") + "\n")
	delete(got.Resource, "service.version")
	resource, err := json.Marshal(got.Resource)
	if err != nil {
		return err
	}
	fmt.Fprintf(&spans, "resource %s\n", resource)
	n := len(c.bodies)
	for name, data := range map[string][]byte{fmt.Sprintf("%d.json", n): append(body, '\n'), fmt.Sprintf("%d.txt", n): text.Bytes()} {
		if err := os.WriteFile(filepath.Join(c.dir, name), data, 0o600); err != nil {
			return err
		}
	}
	all, err := os.OpenFile(filepath.Join(c.dir, "spans.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer all.Close()
	_, err = all.Write(spans.Bytes())
	return err
}
