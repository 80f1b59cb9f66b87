//go:build !js

package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golem/core/coretest"
	"golem/web/webtest"
)

// elsewhere are the cases that the page cannot be asked to play, and why.
var elsewhere = map[string]string{
	"s13-allowed": "a page has no $GOLEM_HOME, where this module lies",

	"s19-wrong-request": "golem.js binds every answer to the question it was given",
	"x-toolset-unknown": "the list of toolsets that it names has one more in a page, page",
}

// asked is a case as testdata/embedded.js plays it.
type asked struct {
	Command     string                      `json:"command"`
	Files       map[string][]byte           `json:"files"`
	Libs        map[string][]byte           `json:"libs"`
	Options     map[string]any              `json:"options"`
	Inputs      []json.RawMessage           `json:"inputs"`
	Attachments []attachment                `json:"attachments"`
	Answers     map[string][]map[string]any `json:"answers"`
	Headless    bool                        `json:"headless"`
	Interrupt   string                      `json:"interrupt"`
}

type attachment struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// ask is a case for the page.
func ask(c coretest.Case) asked {
	s := c.Settings
	a := asked{
		Command: s.Command, Files: c.Project, Libs: c.Libs, Headless: s.Headless, Interrupt: s.Interrupt, Inputs: s.Inputs,
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
		a.Attachments = append(a.Attachments, attachment{name, c.Outside[name]})
	}
	return a
}

// TestParity plays every case natively and in each browser of everywhere, through
// golem.js, and compares normalised traces, what the models were sent, results,
// faults and file trees, byte for byte (scenario 40). The table goes to
// build/parity.txt.
func TestParity(t *testing.T) {
	t.Parallel()
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	sides := everywhere(t, 2)
	rows := make([]string, len(cases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range cases {
			if why, ok := elsewhere[c.Name]; ok {
				rows[i] = fmt.Sprintf("%-28s left out: %s\n", c.Name, why)
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				var here coretest.Outcome
				synctest.Test(t, func(t *testing.T) { here = coretest.Run(t.Context(), c) })
				rows[i] = sides.compare(t, c, here)
			})
		}
	})
	table := strings.Join(rows, "")
	t.Logf("native and in browsers:\n%s", table)
	keep(t, "parity.txt", []byte(table))
}

// side is a browser and the pages in it that play cases.
type side struct {
	engine webtest.Engine
	pages  chan *webtest.Page
}

type sides []side

// everywhere opens n pages in each browser.
func everywhere(t *testing.T, n int) sides {
	t.Helper()
	var out sides
	for _, b := range []*webtest.Browser{&browser, &firefox} {
		s := side{b.Engine, make(chan *webtest.Page, n)}
		for range n {
			s.pages <- embeddedIn(t, b)
		}
		out = append(out, s)
	}
	return out
}

// compare plays a case in each browser and returns its rows of the table.
func (all sides) compare(t *testing.T, c coretest.Case, here coretest.Outcome) string {
	t.Helper()
	var rows strings.Builder
	for _, s := range all {
		begun := time.Now()
		there := s.play(t, c)
		different := append(coretest.Compare(c, there), differences(here, there)...)
		for _, d := range different {
			t.Errorf("%s: %s", s.engine, d)
		}
		fmt.Fprintf(&rows, "%-28s %-9s %-11s exit %3d  trace %6d B  files %3d  %5d ms  %s\n", c.Name, s.engine, there.Status, there.Exit,
			len(there.Trace), len(there.Files), time.Since(begun).Milliseconds(), verdict(len(different) == 0))
	}
	return rows.String()
}

func (s side) play(t *testing.T, c coretest.Case) coretest.Outcome {
	t.Helper()
	p := <-s.pages
	defer func() { s.pages <- p }()
	return play(t, p, c)
}

func verdict(equal bool) string {
	if equal {
		return "equal"
	}
	return "DIFFERS"
}

// play plays a case in the page.
func play(t *testing.T, p *webtest.Page, c coretest.Case) coretest.Outcome {
	t.Helper()
	site, moves := c.Web(), serversOf(t, c)
	if site != nil {
		moves = append(moves, coretest.SiteAt, siteOf(t, site))
	}
	c = c.Moved(moves)
	asked := ask(c)
	provider := c.Provider()
	if provider != nil {
		asked.Options["env"] = serve(t, c, provider)
	}
	data, err := json.Marshal(asked)
	if err != nil {
		t.Fatal(err)
	}
	text, err := webtest.Try[string](p, "play("+string(data)+")", webtest.Patience)
	if err != nil {
		t.Fatalf("the page did not play it: %v\n%s", err, p.Console())
	}
	var e coretest.Elsewhere
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o := e.Outcome()
	for _, rule := range e.Rules { // the page keeps them in a file of their own
		if o.Config = string(c.Want["config"]); !strings.Contains(o.Config, "- "+rule+"\n") {
			o.Problems = append(o.Problems, "the page kept another rule: "+rule)
		}
	}
	provider.Settle(&o)
	site.Settle(&o)
	return o.Back(moves)
}

// listen serves until the test ends, for pages of any origin; it returns the address.
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

// serversOf lets a page reach a case's MCP servers; it returns where each is instead.
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

// siteOf lets a page reach a case's server; it returns its host and port.
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

// serve lets a page reach a case's provider over the network; it returns the
// environment that says where.
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

// send writes a reply. A page that is gone fails the case by itself.
func send(w http.ResponseWriter, reply coretest.Reply) {
	maps.Copy(w.Header(), reply.Header)
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body)
}

// differences are what two outcomes of one case do not share.
func differences(here, there coretest.Outcome) []string {
	var out []string
	same := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s differ:\nnatively:\n%s\nin the page:\n%s", what, a, b))
		}
	}
	same("status and exit", fmt.Sprint(here.Status, here.Exit), fmt.Sprint(there.Status, there.Exit))
	same("outputs", here.Output, there.Output)
	same("traces", here.Trace, there.Trace)
	same("bodies of requests", here.Sent, there.Sent)
	same("requests", changed.ReplaceAllString(here.Requests, "…"), changed.ReplaceAllString(there.Requests, "…"))
	same("faults", here.Faults, there.Faults)
	if here.Status != "config" { // nothing ran
		same("names of files", names(here.Files), names(there.Files))
	}
	for _, name := range slices.Sorted(maps.Keys(here.Files)) {
		if b, ok := there.Files[name]; ok && !bytes.Equal(here.Files[name], b) {
			out = append(out, fmt.Sprintf("%s is %q natively and %q in the page", name, here.Files[name], b))
		}
	}
	return out
}

// changed is a file's time in a result that a model was sent.
var changed = regexp.MustCompile(`\\"modified\\":\\"[^"]*\\"`)

func names(files map[string][]byte) string {
	list := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return strings.HasPrefix(n, ".golem/") })
	return strings.Join(list, "\n")
}

// keep writes what a person may want to look at into the build folder.
func keep(t testing.TB, name string, data []byte) {
	t.Helper()
	full := filepath.Join("..", "build", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
