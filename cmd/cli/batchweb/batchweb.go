// Package batchweb is the page of golem batch attach --web: it shows in a browser of this
// machine how far a batch is, what its items ask and what they staged, and takes the answers and
// decisions of the person. It knows no project.
package batchweb

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"golem/core/approval"
	"golem/core/batch"
	"golem/core/clearance"
	"golem/core/fault"

	"golem/cmd/cli/httpguard"
)

// Batch is what the page shows and changes. Its methods may be called at the same time.
type Batch interface {
	// Now returns how far the batch is, and the questions without an answer.
	Now() (Now, error)
	// Answer keeps the answer of the person.
	Answer(batch.Answer) error
	// Calls returns for people what a rule covers.
	Calls(rule batch.Rule, covered []batch.Group) string
	// Clearance opens what the project has staged, as golem clearance does. If writes is true,
	// the project must have no faults.
	Clearance(writes bool) (*clearance.Store, error)
}

// Now is a batch at one moment.
type Now struct {
	Name   string
	Line   string // how far it is
	Means  string // what happens next, or what the person can do
	Groups []batch.Group
	Staged []clearance.Item // what its items staged
}

// digest returns what tells the questions and staged items of two moments apart.
func (n Now) digest() string {
	sum := sha256.New()
	for _, g := range n.Groups {
		sum.Write([]byte(g.Question.Key))
	}
	for _, it := range n.Staged {
		sum.Write([]byte(string(it.State) + it.Digest()))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// group returns the question with a key that waits for an answer.
func (n Now) group(key string) (batch.Group, error) {
	for _, g := range n.Groups {
		if g.Question.Key == key {
			return g, nil
		}
	}
	return batch.Group{}, fault.New(fault.Conflict, "this question has an answer, or no item asks it any more").Hinting("go back to the questions that are open")
}

// server serves the page.
type server struct {
	guard httpguard.Guard
	batch Batch
}

// Handler returns the handler of the page, which is below /TOKEN/.
func Handler(token string, b Batch) http.Handler {
	return &server{guard: httpguard.New("golem batch attach --web", token), batch: b}
}

//go:embed page.css page.js
var files embed.FS

// policy lets the page load only what golem serves with it.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm is the most bytes of an answer.
const maxForm = 256 << 10

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	httpguard.Harden(header)
	header.Set("Content-Security-Policy", policy)
	// Not no-referrer: with it a browser sends no origin with the answers.
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if why := s.guard.Foreign(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	token, name, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if !found || !s.guard.Is(token) {
		http.Error(w, "open the address that golem batch attach --web shows, all of it", http.StatusNotFound)
		return
	}
	switch r.Method + " " + name {
	case "GET ":
		s.show(w)
	case "GET state":
		s.state(w)
	case "GET rule":
		s.rule(w, r)
	case "POST answer":
		s.receiveAnswer(w, r)
	case "GET staged":
		s.showStaged(w, r)
	case "POST decide":
		s.receiveDecision(w, r)
	case "GET page.css":
		header.Set("Content-Type", "text/css; charset=utf-8")
		http.ServeFileFS(w, r, files, name)
	case "GET page.js":
		header.Set("Content-Type", "text/javascript; charset=utf-8")
		http.ServeFileFS(w, r, files, name)
	default:
		http.Error(w, "404 page not found", http.StatusNotFound)
	}
}

// show answers with the questions.
func (s *server) show(w http.ResponseWriter) {
	now, err := s.batch.Now()
	if err != nil {
		s.fail(w, err)
		return
	}
	write(w, http.StatusOK, page(now))
}

// state answers with what changes while the page is open.
func (s *server) state(w http.ResponseWriter) {
	now, err := s.batch.Now()
	if err != nil {
		s.fail(w, err)
		return
	}
	data, err := json.Marshal(map[string]string{"line": now.Line, "means": now.Means, "digest": now.digest()})
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // the browser may have left
}

// ruleOf returns a rule for a question, what it covers, and the digest of both.
func (s *server) ruleOf(key, words string) (rule batch.Rule, covered []batch.Group, err error) {
	now, err := s.batch.Now()
	if err != nil {
		return rule, nil, err
	}
	g, err := now.group(key)
	if err != nil {
		return rule, nil, err
	}
	when, err := approval.ParseConditions(words)
	if err == nil {
		rule, err = batch.NewRule(g.Question, when)
	}
	if err != nil {
		return rule, nil, err
	}
	if covered = rule.Covered(now.Groups); len(covered) == 0 {
		err = fault.New(fault.NotFound, "the rule covers no question: %s", rule).Hinting("write * for any arguments")
	}
	return rule, covered, err
}

// rule shows the calls that a rule covers.
func (s *server) rule(w http.ResponseWriter, r *http.Request) {
	key, words := r.URL.Query().Get("question"), r.URL.Query().Get("when")
	rule, covered, err := s.ruleOf(key, words)
	if err != nil {
		s.fail(w, err)
		return
	}
	write(w, http.StatusOK, rulePage(ruled{key: key, words: words, shown: rule.Shown(covered), calls: s.batch.Calls(rule, covered)}))
}

// readForm reads the form of a page of this server. It answers itself, and returns false, if the
// request has none.
func readForm(w http.ResponseWriter, r *http.Request) bool {
	// A browser names the origin with every such request, so one without it is no page's.
	if r.Header.Get("Origin") == "" {
		http.Error(w, "an answer comes from the page, with the header Origin", http.StatusForbidden)
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the answer cannot be read", http.StatusBadRequest)
		return false
	}
	return true
}

// receiveAnswer keeps an answer that a person gave on the page, and leads back to the questions.
func (s *server) receiveAnswer(w http.ResponseWriter, r *http.Request) {
	if !readForm(w, r) {
		return
	}
	a, err := s.answer(r)
	if err == nil {
		err = s.batch.Answer(a)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "./", http.StatusSeeOther)
}

// answer returns the answer that a form has, to a question that is open.
func (s *server) answer(r *http.Request) (batch.Answer, error) {
	key := r.PostForm.Get("question")
	a := batch.Answer{Key: key, Answer: approval.Answer(r.PostForm.Get("answer"))}
	if a.Answer != approval.Yes && a.Answer != approval.No {
		return a, fault.New(fault.Usage, "the answer is neither yes nor no").Hinting("use the buttons of the page")
	}
	if a.Answer == approval.No {
		a.Reason = strings.TrimSpace(r.PostForm.Get("reason"))
	}
	if shown := r.PostForm.Get("shown"); shown != "" {
		rule, covered, err := s.ruleOf(key, r.PostForm.Get("when"))
		if err == nil && rule.Shown(covered) != shown {
			err = fault.New(fault.Conflict, "the rule covers other calls now than those that were shown").Hinting("go back, and look at them again")
		}
		a.Key, a.Rule = "", &rule
		return a, err
	}
	now, err := s.batch.Now()
	if err != nil {
		return a, err
	}
	g, err := now.group(key)
	if err != nil {
		return a, err
	}
	if g.Question.Request.Kind == approval.KindInput && a.Answer == approval.Yes {
		if a.Text = r.PostForm.Get("text"); strings.TrimSpace(a.Text) == "" {
			return a, fault.New(fault.Usage, "the text of the answer is empty").Hinting("write it, or answer no")
		}
	}
	return a, nil
}

// fail shows an error.
func (s *server) fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, fault.Conflict), errors.Is(err, fault.Busy), errors.Is(err, fault.Protected), errors.Is(err, fault.Trust):
		status = http.StatusConflict
	case errors.Is(err, fault.Usage), errors.Is(err, fault.Path):
		status = http.StatusBadRequest
	case errors.Is(err, fault.NotFound):
		status = http.StatusNotFound
	}
	write(w, status, failPage(fault.Of(err, fault.Config)))
}
