package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

// SPEC §6: golem.http of a JavaScript source reaches the hosts that were granted, by hand and in
// a worker, and has status, headers, text and JSON of the answer.
func TestSourceReachesGrantedHosts(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/none" {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		w.Header().Set("X-Answer", "yes")
		fmt.Fprintf(w, `{"method": %q, "key": %q, "body": %q}`, r.Method, r.Header.Get("X-Key"), body)
	}))
	defer s.Close()
	at := strings.TrimPrefix(s.URL, "http://")
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tools/send.js", `
/**
 * Sends.
 * @param {string} url
 * @param {string} text
 */
export function send(url, text) {
  const found = golem.http({url, method: 'PUT', headers: {'X-Key': 'é'.normalize('NFD').length + ' letters'}, body: text})
  const none = golem.http({url: url + 'none'})
  const {method, key, body} = found.json()
  return {status: found.status, answer: found.headers['x-answer'], method, key, body, bytes: found.bytes.length > 10, none: [none.status, none.text.trim()]}
}
`)
	args, err := json.Marshal(map[string]string{"url": s.URL + "/", "text": "grüße 😀"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"status":200,"answer":"yes","method":"PUT","key":"2 letters","body":"grüße 😀","bytes":true,"none":[404,"not here"]}`
	for _, c := range []struct {
		flags []string
		exit  int
		says  string
	}{
		{nil, console.ExitFailed, "E_GRANT"},
		{[]string{"--allow-host", "example.com"}, console.ExitFailed, "E_NETWORK"},
		{[]string{"--allow-host", at}, console.ExitOK, want},
	} {
		out, bad, exit := golem(t, dir, append([]string{"tool", "call", "tools/send.js", "send", string(args)}, c.flags...)...)
		if exit != c.exit || !strings.Contains(out+bad, c.says) {
			t.Errorf("%q: exit %d\n%s%s", c.flags, exit, out, bad)
		}
	}
	write("main.worker", fmt.Sprintf("---\nmodel: script:s.yaml\nsandbox: {root: ., network_enabled: true}\ntoolsets: {custom: {modules: {send: {allowed_hosts: [%q]}}}}\n---\nGo.\n", at))
	write("s.yaml", fmt.Sprintf("script: 1\nworkers:\n  main:\n    - calls: [{tool: send, args: %s}]\n    - when: {tool: send, match: '(?s)^(.*)$'}\n      say: \"$1\"\n", args))
	if out, bad, exit := golem(t, dir, "run", ".", "go", "--approve-all", "--trust"); exit != console.ExitOK || !strings.Contains(out, want) {
		t.Errorf("a worker: exit %d\n%s%s", exit, out, bad)
	}
}
