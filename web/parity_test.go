//go:build !js

package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golem/core/coretest"
	"golem/web/webtest"
)

// elsewhere has the cases that cannot be played in the page, and why.
var elsewhere = map[string]string{
	"s13-allowed":     "a page has no $GOLEM_HOME, where this module lies",
	"s13-home-grants": "a page has no $GOLEM_HOME, where this module lies",

	"s63-mcp-lists": "one of its servers is a command, which a page cannot start",

	"x-mcp-file-check":      "its servers are commands, which a page cannot start",
	"x-mcp-from":            "its servers are commands, which a page cannot start",
	"x-mcp-instructions":    "its servers are commands, which a page cannot start",
	"x-mcp-keys":            "its servers are commands, which a page cannot start",
	"x-mcp-names":           "its servers are commands, which a page cannot start",
	"x-mcp-optional":        "its servers are commands, which a page cannot start",
	"x-mcp-plain-variables": "its servers are commands, which a page cannot start",
	"x-mcp-schemas":         "its servers are commands, which a page cannot start",

	"s19-wrong-request": "golem.js binds every answer to the question it was given",

	"x-toolset-unknown": "the list of toolsets that it names has one more in a page, page",
}

// TestParity plays every case natively and in Chromium, through golem.js. It compares normalised
// traces, requests to models, results, faults and file trees, byte for byte (scenario 40), and
// writes the table to build/parity-chromium.txt.
func TestParity(t *testing.T) {
	t.Parallel()
	parity(t, &browser, "parity-chromium.txt")
}

// TestParityInFirefox does the same in Firefox, and writes build/parity-firefox.txt.
func TestParityInFirefox(t *testing.T) {
	t.Parallel()
	parity(t, &firefox, "parity-firefox.txt")
}

// parity plays every case natively and in a browser, and writes the table of results to a file below build.
func parity(t *testing.T, b *webtest.Browser, to string) {
	t.Helper()
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	sides := in(t, b)
	var quick, slow []coretest.Case
	rows := map[string]string{}
	for _, c := range cases {
		switch why, ok := elsewhere[c.Name]; {
		case ok:
			rows[c.Name] = fmt.Sprintf("%-28s left out: %s\n", c.Name, why)
		case waits(c):
			slow = append(slow, c)
		default:
			quick = append(quick, c)
		}
	}
	for _, s := range sides {
		s.traps(t)
	}
	later := sides.together(t, slow) // they wait while the others are played
	var mu sync.Mutex
	compare := func(t *testing.T, c coretest.Case, play player) {
		t.Helper()
		row := sides.compare(t, c, natively(t, c), play)
		mu.Lock()
		defer mu.Unlock()
		rows[c.Name] = row
	}
	t.Run("cases", func(t *testing.T) {
		for _, c := range quick {
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				compare(t, c, side.play)
			})
		}
	})
	for i, c := range slow {
		t.Run("cases/"+c.Name, func(t *testing.T) {
			compare(t, c, func(s side, t *testing.T, _ coretest.Case) coretest.Outcome { return later[s.engine](t)[i] })
		})
	}
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		table.WriteString(rows[name])
	}
	keep(t, to, []byte(table.String()))
}

// waits reports whether time passes in a case. Natively the clock is simulated (synctest), in
// a page the time is real. The time limits of such cases are far above what a busy page needs.
func waits(c coretest.Case) bool {
	for _, answers := range c.Settings.Answers {
		if slices.ContainsFunc(answers, func(a coretest.Answer) bool { return a.After > 0 }) {
			return true
		}
	}
	script := c.Project["script.yaml"]
	return slices.ContainsFunc([]string{"delay:", "hang:", "retry_after:"}, func(word string) bool { return bytes.Contains(script, []byte(word)) })
}

// natively plays a case in this process.
func natively(t *testing.T, c coretest.Case) (o coretest.Outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { o = coretest.Run(t.Context(), c) })
	return o
}

// side is a browser and a page in it that plays cases, one at a time.
type side struct {
	browser *webtest.Browser
	engine  webtest.Engine
	page    *webtest.Page
	turn    *pageTurn
}

// pageTurn is the lock that a case takes to be played in a page.
type pageTurn struct {
	sync.Mutex
	broke string // the case after which the page plays no more; "": none
}

type sides []side

// player is a function that plays a case in a browser.
type player func(side, *testing.T, coretest.Case) coretest.Outcome

// everywhere opens a page in each browser.
func everywhere(t *testing.T) sides {
	t.Helper()
	return in(t, &browser, &firefox)
}

// in opens a page in each of the browsers.
func in(t *testing.T, browsers ...*webtest.Browser) sides {
	t.Helper()
	var out sides
	for _, b := range browsers {
		out = append(out, side{b, b.Engine, embeddedIn(t, b), &pageTurn{}})
	}
	return out
}

// compare plays a case in each browser and returns its rows of the table.
func (all sides) compare(t *testing.T, c coretest.Case, here coretest.Outcome, play player) string {
	t.Helper()
	var rows strings.Builder
	for _, s := range all {
		there := play(s, t, c)
		different := append(coretest.Compare(c, there), differences(here, there)...)
		for _, d := range different {
			t.Errorf("%s: %s", s.engine, d)
		}
		fmt.Fprintf(&rows, "%-28s %-9s %-11s exit %3d  trace %6d B  files %3d  %s\n", c.Name, s.engine, there.Status, there.Exit,
			len(there.Trace), len(there.Files), verdict(len(different) == 0))
	}
	return rows.String()
}

func verdict(equal bool) string {
	if equal {
		return "equal"
	}
	return "DIFFERS"
}

// together starts all cases at the same time, in one more page of each browser. The functions
// that it returns wait for the outcomes.
func (all sides) together(t *testing.T, cases []coretest.Case) map[webtest.Engine]func(*testing.T) []coretest.Outcome {
	t.Helper()
	list := make([]asked, len(cases))
	for i, c := range cases {
		if len(c.Libs)+len(c.Servers) > 0 || c.Web() != nil || c.Provider() != nil {
			t.Fatalf("%s waits, and has libraries or servers: it cannot be played beside others", c.Name)
		}
		list[i] = ask(c)
		list[i].Project = c.Name
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	out := map[webtest.Engine]func(*testing.T) []coretest.Outcome{}
	for _, one := range all {
		s := in(t, one.browser)[0]
		var texts []string
		var err error
		done := make(chan struct{})
		go func() {
			defer close(done)
			texts, err = webtest.Try[[]string](s.page, "Promise.all("+string(data)+".map(play))", 2*webtest.Patience)
		}()
		t.Cleanup(func() { <-done })
		out[s.engine] = func(t *testing.T) []coretest.Outcome {
			t.Helper()
			if <-done; err != nil {
				t.Fatalf("%s did not play them: %v\n%s", s.engine, err, s.page.Console())
			}
			outcomes := make([]coretest.Outcome, len(cases))
			for i, c := range cases {
				outcomes[i] = outcome(t, c, texts[i])
			}
			return outcomes
		}
	}
	return out
}

// play plays a case in the page.
func (s side) play(t *testing.T, c coretest.Case) coretest.Outcome {
	t.Helper()
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.turn.broke != "" {
		t.Fatalf("%s: not played, after %s", s.engine, s.turn.broke)
	}
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
	text, err := webtest.Try[string](s.page, "play("+string(data)+")", webtest.Patience)
	if err != nil {
		s.turn.broke = c.Name
		t.Fatalf("%s did not play it: %v\n%s", s.engine, err, s.page.Console())
	}
	o := outcome(t, c, text)
	provider.Settle(&o)
	site.Settle(&o)
	for i := range len(moves) / 2 { // a plan names hosts without https://
		moves = append(moves, strings.TrimPrefix(moves[2*i], "https://"), strings.TrimPrefix(moves[2*i+1], "http://"))
	}
	return o.Back(moves)
}

// outcome parses the outcome of a case from the page.
func outcome(t *testing.T, c coretest.Case, text string) coretest.Outcome {
	t.Helper()
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
	return o
}

// differences returns how two outcomes of one case differ.
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
		if b, ok := there.Files[name]; ok && !bytes.Equal(unversioned(here.Files[name]), unversioned(b)) {
			out = append(out, fmt.Sprintf("%s is %q natively and %q in the page", name, here.Files[name], b))
		}
	}
	return out
}

// unversioned returns a recording without the version of golem that it begins with and without
// the milliseconds of its answers, and any other file as it is.
func unversioned(data []byte) []byte {
	if !recordedVersion.Match(data) {
		return data
	}
	return recordedTime.ReplaceAll(recordedVersion.ReplaceAll(data, []byte("$1")), nil)
}

var recordedTime = regexp.MustCompile(`,"ms":\d+`)

var recordedVersion = regexp.MustCompile(`^(\{"golem":"recording",.*?"version":)"[^"]*"`)

// changed matches a file's time in a result that was sent to a model.
var changed = regexp.MustCompile(`\\"modified\\":\\"[^"]*\\"`)

func names(files map[string][]byte) string {
	list := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(n string) bool { return strings.HasPrefix(n, ".golem/") })
	return strings.Join(list, "\n")
}

// keep writes a file for people to look at, below build.
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
