package batchweb

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/tool"
)

const token = "a-token-of-a-test-that-nobody-guesses"

// asked is a batch with questions.
type asked struct {
	mu      sync.Mutex
	groups  []batch.Group
	answers []batch.Answer
	store   *clearance.Store
	faulty  bool // the project has faults
}

// Now implements Batch.
func (a *asked) Now() (Now, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := Now{Name: "b", Line: "0 of 3", Means: "It runs now."}
	for _, g := range a.groups {
		if _, done := batch.AnswerTo(a.answers, g.Question); !done {
			now.Groups = append(now.Groups, g)
		}
	}
	var err error
	now.Staged, err = clearance.ItemsOf(a.store, now.Name)
	return now, err
}

// Answer implements Batch.
func (a *asked) Answer(one batch.Answer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers = append(a.answers, one)
	return nil
}

// Calls implements Batch.
func (a *asked) Calls(rule batch.Rule, covered []batch.Group) string {
	out := rule.String()
	for _, g := range covered {
		out += "\n" + string(g.Question.Request.Args)
	}
	return out
}

// writes returns a question for a write of a file.
func writes(path string) batch.Group {
	args, _ := json.Marshal(map[string]string{"path": path, "content": "<script>alert(1)</script>\u202e"}) // texts always encode
	return batch.Group{Items: []string{"one", `"><b>two`}, Question: batch.QuestionOf(approval.Request{
		Kind: approval.KindTool, Risk: "medium", Type: "tool_call", Tool: "write_file", Args: args, Description: "writes", ByRule: true,
		Paths: []tool.PathUse{{Op: "write", Path: path}},
	})}
}

// request sends a request to the page of a batch, as a page of the same origin does.
func request(b Batch, method, path string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	r.Host = "127.0.0.1:1234"
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1:1234")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	Handler(token, b).ServeHTTP(w, r)
	return w
}

// Nobody without the token, of another origin or by another name of this machine sees the page or
// answers, and what is not a whole answer to an open question is none.
func TestHostileRequests(t *testing.T) {
	b := &asked{groups: []batch.Group{writes("/out/1.txt")}}
	key := b.groups[0].Question.Key
	yes := url.Values{"question": {key}, "answer": {"yes"}}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	origin := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Origin"] = values }
	}
	at := "/" + token + "/"
	for name, c := range map[string]struct {
		method, path string
		form         url.Values
		change       func(*http.Request)
		code         int
	}{
		"no token":             {"GET", "/", nil, nil, 404},
		"no token, an answer":  {"POST", "/answer", yes, nil, 404},
		"another token":        {"POST", "/" + token[1:] + "/answer", yes, nil, 404},
		"a longer token":       {"GET", "/" + token + "x/", nil, nil, 404},
		"an empty token":       {"GET", "//", nil, nil, 404},
		"the token alone":      {"GET", "/" + token, nil, nil, 404},
		"another path":         {"GET", at + "../secret", nil, nil, 404},
		"an embedded file":     {"GET", at + "page.go", nil, nil, 404},
		"another host":         {"GET", at, nil, host("evil.example"), 403},
		"a rebound host":       {"POST", at + "answer", yes, host("127.0.0.1.evil.example:1234"), 403},
		"another origin":       {"POST", at + "answer", yes, origin("http://evil.example"), 403},
		"another port":         {"POST", at + "answer", yes, origin("http://127.0.0.1:1235"), 403},
		"no origin":            {"POST", at + "answer", yes, origin(), 403},
		"an origin of nobody":  {"POST", at + "answer", yes, origin("null"), 403},
		"two origins":          {"POST", at + "answer", yes, origin("http://127.0.0.1:1234", "http://evil.example"), 403},
		"an answer by address": {"GET", at + "answer?" + yes.Encode(), nil, nil, 404},
		"values by address":    {"POST", at + "answer?" + yes.Encode(), url.Values{}, nil, 400},
		"no answer":            {"POST", at + "answer", url.Values{"question": {key}}, nil, 400},
		"another answer":       {"POST", at + "answer", url.Values{"question": {key}, "answer": {"always"}}, nil, 400},
		"no question":          {"POST", at + "answer", url.Values{"question": {"0"}, "answer": {"yes"}}, nil, 409},
		"a rule not shown":     {"POST", at + "answer", url.Values{"question": {key}, "answer": {"yes"}, "when": {"*"}, "shown": {"0"}}, nil, 409},
		"a form too large":     {"POST", at + "answer", url.Values{"question": {key}, "answer": {"no"}, "reason": {strings.Repeat("x", maxForm)}}, nil, 400},
	} {
		if w := request(b, c.method, c.path, c.form, c.change); w.Code != c.code {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, c.code, w.Body)
		} else if strings.Contains(w.Body.String(), "write_file") {
			t.Errorf("%s: it shows the question: %s", name, w.Body)
		}
	}
	if len(b.answers) > 0 {
		t.Errorf("answers were taken: %v", b.answers)
	}
	if w := request(b, "POST", at+"answer", yes, nil); w.Code != 303 || w.Header().Get("Location") != at {
		t.Errorf("a good answer: %d to %q: %s", w.Code, w.Header().Get("Location"), w.Body)
	}
	if w := request(b, "POST", at+"answer", yes, nil); w.Code != 409 || len(b.answers) != 1 {
		t.Errorf("the same answer again: %d, %v", w.Code, b.answers)
	}
}

// What models and inputs say is text on the page, and nothing of it can run.
func TestPageIsText(t *testing.T) {
	b := &asked{groups: []batch.Group{writes("/out/<img src=x>"), writes("/out/2.txt")}}
	w := request(b, "GET", "/"+token+"/", nil, nil)
	body := w.Body.String()
	if w.Code != 200 || strings.Contains(body, "<script>alert") || strings.Contains(body, "<img") || strings.Contains(body, "<b>") || strings.Contains(body, "\u202e") {
		t.Errorf("%d: %s", w.Code, body)
	}
	for _, want := range []string{"2 questions of 4 items", "&lt;script&gt;alert(1)", `\u{202e}`, "medium risk", `value="path=/out/**"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q: %s", want, body)
		}
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers: %v", w.Header())
	}
	if strings.Index(body, `value="no"`) > strings.Index(body, `value="yes"`) {
		t.Error("Enter in a field of the page is a yes")
	}
	for _, name := range []string{"page.css", "page.js"} {
		if w := request(b, "GET", "/"+token+"/"+name, nil, nil); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

// A rule answers after the list of its calls was shown, and only that list.
func TestRule(t *testing.T) {
	b := &asked{groups: []batch.Group{writes("/out/1.txt"), writes("/out/2.txt"), writes("/notes.txt")}}
	key := b.groups[1].Question.Key
	w := request(b, "GET", "/"+token+"/rule?"+url.Values{"question": {key}, "when": {"path=/out/**"}}.Encode(), nil, nil)
	body := w.Body.String()
	_, rest, _ := strings.Cut(body, `name="shown" value="`)
	shown, _, _ := strings.Cut(rest, `"`)
	if w.Code != 200 || shown == "" || !strings.Contains(body, "/out/1.txt") || !strings.Contains(body, "/out/2.txt") || strings.Contains(body, "notes") {
		t.Fatalf("%d: %s", w.Code, body)
	}
	form := url.Values{"question": {key}, "when": {"path=/**"}, "shown": {shown}, "answer": {"yes"}}
	if w := request(b, "POST", "/"+token+"/answer", form, nil); w.Code != 409 || len(b.answers) > 0 {
		t.Fatalf("another rule than the one that was shown: %d, %v", w.Code, b.answers)
	}
	form.Set("when", "path=/out/**")
	if w := request(b, "POST", "/"+token+"/answer", form, nil); w.Code != 303 || len(b.answers) != 1 || b.answers[0].Rule == nil || b.answers[0].Key != "" {
		t.Fatalf("%d: %s, %v", w.Code, w.Body, b.answers)
	}
	now, err := b.Now()
	if err != nil || len(now.Groups) != 1 || !strings.Contains(string(now.Groups[0].Question.Request.Args), "notes") {
		t.Errorf("%v, %v", now.Groups, err)
	}
}

var suggested = regexp.MustCompile(`name="when" value="([^"]*)"`)

// The rule that the page suggests for a call is one that it takes, and covers this call and none
// with other arguments, whatever characters they have.
func TestSuggestedRule(t *testing.T) {
	for _, content := range []string{"two words", "two  words ", `say "hi" path=/x`, "*.{a,b} [c] \\ ?", "path=/**", "漢字 é", "a\nb", ""} {
		one := func(path, content string) batch.Group {
			args, _ := json.Marshal(map[string]string{"path": path, "content": content, "a b": "x=y z"}) // texts always encode
			g := writes(path)
			g.Question.Request.Args = args
			g.Question = batch.QuestionOf(g.Question.Request)
			return g
		}
		asks := one("/out dir/{1}.txt", content)
		b := &asked{groups: []batch.Group{asks}}
		body := request(b, "GET", "/"+token+"/", nil, nil).Body.String()
		b.groups = append(b.groups, writes("/out dir/2.txt"), one("/out dir/1/3.txt", content+"x"), one("/outer/3.txt", content)) // asked meanwhile
		found := suggested.FindStringSubmatch(body)
		if found == nil {
			t.Fatal(body)
		}
		when := html.UnescapeString(found[1])
		w := request(b, "GET", "/"+token+"/rule?"+url.Values{"question": {asks.Question.Key}, "when": {when}}.Encode(), nil, nil)
		if w.Code != 200 || strings.Contains(when, "content=") == strings.Contains(content, "\n") || !strings.Contains(when, `"a b"="x=y z"`) {
			t.Errorf("%q: suggested %s, %d: %s", content, when, w.Code, w.Body)
		}
		covered := 1
		if strings.Contains(content, "\n") { // a person cannot see such a condition, so it is left out
			covered = 2
		}
		if list := html.UnescapeString(w.Body.String()); strings.Count(list, "\n{") != covered || !strings.Contains(list, string(asks.Question.Request.Args)) {
			t.Errorf("%q: suggested %s, which covers %s", content, when, list)
		}
	}
}

// broken is a batch that cannot be read.
type broken struct{ asked }

// Now implements Batch.
func (*broken) Now() (Now, error) { return Now{}, errors.New("<i>damaged") }

// A batch that cannot be read is an error on the page, as text.
func TestBroken(t *testing.T) {
	for _, path := range []string{"", "state", "rule?question=1"} {
		if w := request(&broken{}, "GET", "/"+token+"/"+path, nil, nil); w.Code != 500 || !strings.Contains(w.Body.String(), "&lt;i&gt;damaged") {
			t.Errorf("%s: %d: %s", path, w.Code, w.Body)
		}
	}
}

// The text of an answer to a worker's question is kept, and an empty one is no answer.
func TestInput(t *testing.T) {
	g := batch.Group{Items: []string{"one"}, Question: batch.QuestionOf(approval.Request{Kind: approval.KindInput, Title: "Which <year>?", WorkerPath: []string{"main"}})}
	b := &asked{groups: []batch.Group{g}}
	if body := request(b, "GET", "/"+token+"/", nil, nil).Body.String(); !strings.Contains(body, "main asks you") || !strings.Contains(body, "Which &lt;year&gt;?") {
		t.Error(body)
	}
	form := url.Values{"question": {g.Question.Key}, "answer": {"yes"}, "text": {" "}}
	if w := request(b, "POST", "/"+token+"/answer", form, nil); w.Code != 400 || len(b.answers) > 0 {
		t.Errorf("an empty text: %d, %v", w.Code, b.answers)
	}
	form.Set("text", "1912")
	if w := request(b, "POST", "/"+token+"/answer", form, nil); w.Code != 303 || len(b.answers) != 1 || b.answers[0].Text != "1912" {
		t.Errorf("%d, %v", w.Code, b.answers)
	}
}
