//go:build !js

package web_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golem/core/coretest"
)

// asked is a case in the form that testdata/embedded.js plays.
type asked struct {
	Project     string                      `json:"project"` // a name of its own, "" if no other case is played at the same time
	Command     string                      `json:"command"`
	Files       map[string][]byte           `json:"files"`
	Libs        map[string][]byte           `json:"libs"`
	Options     map[string]any              `json:"options"`
	Inputs      []json.RawMessage           `json:"inputs"`
	Attachments []attachment                `json:"attachments"`
	Answers     map[string][]map[string]any `json:"answers"`
	Headless    bool                        `json:"headless"`
	Interrupt   string                      `json:"interrupt"`
	Steer       bool                        `json:"steer"`
}

type attachment struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// ask returns a case in the form for the page.
func ask(c coretest.Case) asked {
	s := c.Settings
	a := asked{
		Command: s.Command, Files: c.Project, Libs: c.Libs, Headless: s.Headless, Interrupt: s.Interrupt, Steer: s.Steer, Inputs: s.Inputs,
		Options: map[string]any{"env": s.Env, "secrets": s.Secrets}, Answers: map[string][]map[string]any{}, Attachments: []attachment{},
	}
	if s.Model != "none" {
		a.Options["model"] = s.Model
	}
	if s.Trust {
		a.Options["trust"] = true
	}
	for name, v := range map[string]any{"config": s.Config, "entry": s.Entry, "approval": s.Approval, "platform": s.Platform} {
		if v != "" {
			a.Options[name] = v
		}
	}
	if s.MaxDepth != nil {
		a.Options["maxDepth"] = *s.MaxDepth
	}
	if len(s.Set) > 0 {
		a.Options["modelSettings"] = s.Set
	}
	if len(s.Limits) > 0 {
		a.Options["limits"] = s.Limits
	}
	a.Options["strict"] = s.Strict
	a.Options["noImportTools"], a.Options["allowModuleImports"] = s.NoImportTools, s.AllowModuleImports
	if a.Inputs == nil {
		a.Inputs = []json.RawMessage{}
	}
	for id, list := range s.Answers {
		for _, one := range list {
			a.Answers[id] = append(a.Answers[id], map[string]any{
				"answer": one.Answer, "reason": one.Reason, "text": one.Text, "after": time.Duration(one.After).Milliseconds(),
			})
		}
	}
	for _, name := range s.Attach {
		a.Attachments = append(a.Attachments, attachment{name, append([]byte{}, c.Outside[name]...)})
	}
	return a
}

// listen starts a server for pages of any origin until the test ends, and returns its
// address.
func listen(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		w.Header().Set("Access-Control-Expose-Headers", "Mcp-Session-Id")
		if r.Method != http.MethodOptions {
			answer(w, r)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // a stream of events does not end by itself
		server.Close()
	})
	return server.URL
}

// serversOf starts a case's MCP servers for the page, and returns their addresses.
func serversOf(t *testing.T, c coretest.Case) coretest.Moves {
	t.Helper()
	servers, err := c.ServersByHost()
	if err != nil {
		t.Fatal(err)
	}
	var moves coretest.Moves
	for host, server := range servers {
		moves = append(moves, "https://"+host, listen(t, server.ServeHTTP))
	}
	return moves
}

// siteOf starts a case's web server for the page, and returns its host and port.
func siteOf(t *testing.T, site *coretest.Web) string {
	t.Helper()
	return strings.TrimPrefix(listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		send(w, site.Answer(r.Method, r.URL.RequestURI(), body))
	}), "http://")
}

// serve starts a case's model provider for the page, and returns the environment variables
// with its address.
func serve(t *testing.T, c coretest.Case, provider *coretest.Provider) map[string]string {
	t.Helper()
	address := listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		reply, nextErr := provider.Next(body)
		if err = errors.Join(err, nextErr); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		send(w, reply)
	})
	env := maps.Clone(c.Settings.Env)
	for name, value := range env {
		if strings.HasSuffix(name, "_BASE_URL") {
			env[name] = address + strings.TrimPrefix(value, "http://127.0.0.1:1")
		}
	}
	return env
}

// send writes a reply. It ignores errors: if the page is gone, the case fails anyway.
func send(w http.ResponseWriter, reply coretest.Reply) {
	maps.Copy(w.Header(), reply.Header)
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body)
}
