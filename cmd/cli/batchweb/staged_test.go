package batchweb

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golem/core/clearance"
	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/state"
)

// Clearance implements Batch.
func (a *asked) Clearance(writes bool) (*clearance.Store, error) {
	if a.store == nil {
		return nil, fault.New(fault.NotFound, "no project")
	}
	if writes && a.faulty {
		return nil, fault.New(fault.Config, "the project has faults")
	}
	return a.store, nil
}

// realFiles are files in memory. A worker defines the project.
type realFiles struct{ sandbox.FS }

func (r realFiles) Mount(string) (sandbox.FS, error) { return r.FS, nil }

func (realFiles) Branch(clearance.Target) (clearance.Branch, error) { return nil, clearance.ErrNoGit }

func (realFiles) Guard(place string) (bool, error) {
	return strings.HasSuffix(place, ".worker"), nil
}

// stages returns a batch without questions, and the files of its project.
func stages(t *testing.T, files map[string]string) (*asked, sandbox.FS) {
	t.Helper()
	real, kept := sandbox.Memory(), state.Memory(sandbox.Memory())
	for name, text := range files {
		if err := real.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return &asked{store: &clearance.Store{State: &kept, Real: realFiles{real}}}, real
}

// bring stages files of a run: their texts by name, "" removes one.
func bring(t *testing.T, b *asked, run string, files map[string]string) (id string) {
	t.Helper()
	brought := clearance.Brought{Run: run, Worker: "main"}
	for name, text := range files {
		c := clearance.BroughtChange{Name: name, Data: []byte(text), Removed: text == ""}
		if old, err := fs.ReadFile(b.store.Real.(realFiles).FS, name); err == nil {
			c.Base = clearance.Digest(old)
		}
		brought.Changes = append(brought.Changes, c)
	}
	if err := clearance.Bring(context.Background(), b.store, brought); err != nil {
		t.Fatal(err)
	}
	all, err := b.store.List()
	if err != nil {
		t.Fatal(err)
	}
	return all[len(all)-1].ID
}

// reads returns the text of a file; "": there is none.
func reads(t *testing.T, fsys fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

var shownDigest = regexp.MustCompile(`name="shown" value="([0-9a-f]{64})"`)

// decision returns the form that the page of an item has, as its buttons send it.
func decision(t *testing.T, b Batch, id, does string, ticked ...string) url.Values {
	t.Helper()
	w := request(b, "GET", "/"+token+"/staged?item="+id, nil, nil)
	found := shownDigest.FindStringSubmatch(w.Body.String())
	if w.Code != 200 || found == nil {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return url.Values{"item": {id}, "shown": {found[1]}, "decision": {does}, "definition": ticked}
}

// waits returns the ids of what waits.
func waits(t *testing.T, b *asked) (ids []string) {
	t.Helper()
	all, err := b.store.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range all {
		ids = append(ids, it.ID)
	}
	return ids
}

// Push and discard do to an item what golem clearance does, and the workers hear of it.
func TestDecisions(t *testing.T) {
	b, real := stages(t, map[string]string{"a.txt": "old\n", "gone.txt": "x\n"})
	one := bring(t, b, "b/one", map[string]string{"a.txt": "next\n", "made/b.txt": "B\n", "gone.txt": ""})
	two := bring(t, b, "b/two", map[string]string{"c.txt": "C\n"})
	body := request(b, "GET", "/"+token+"/", nil, nil).Body.String()
	for _, want := range []string{"Staged changes of 2 items", "changed: a.txt", "new: made/b.txt", "removed: gone.txt", `href="staged?item=` + one + `"`, "two"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q: %s", want, body)
		}
	}
	body = request(b, "GET", "/"+token+"/staged?item="+one, nil, nil).Body.String()
	for _, want := range []string{`<span class="old">-old</span>`, `<span class="new">+next</span>`, `<span class="old">-x</span>`, "new: made/b.txt"} {
		if !strings.Contains(body, want) {
			t.Errorf("the changes have no %q: %s", want, body)
		}
	}
	if strings.Index(body, `value="later"`) > strings.Index(body, `value="push"`) || strings.Index(body, `value="push"`) < strings.LastIndex(body, "<pre>") {
		t.Errorf("a push is the first button, or before what it is for: %s", body)
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, one, "later"), nil); w.Code != 303 || len(waits(t, b)) != 2 {
		t.Fatalf("later: %d", w.Code)
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, one, "push"), nil); w.Code != 303 || w.Header().Get("Location") != "/"+token+"/" {
		t.Fatalf("push: %d: %s", w.Code, w.Body)
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, two, "discard"), nil); w.Code != 303 {
		t.Fatalf("discard: %d: %s", w.Code, w.Body)
	}
	if reads(t, real, "a.txt") != "next\n" || reads(t, real, "made/b.txt") != "B\n" || reads(t, real, "gone.txt") != "" || reads(t, real, "c.txt") != "" {
		t.Error("the files are not what was decided")
	}
	notes := strings.Join(b.store.Notes(context.Background()), "\n")
	if len(waits(t, b)) != 0 || !strings.Contains(notes, "User pushed pending export") || !strings.Contains(notes, "User discarded pending export") {
		t.Errorf("%v wait; notes: %s", waits(t, b), notes)
	}
}

// Nothing is decided without the token, for a page of another origin, on an item that is not of
// this batch, or on something else than what was shown.
func TestHostileDecisions(t *testing.T) {
	b, real := stages(t, map[string]string{"a.txt": "old\n"})
	one := bring(t, b, "b/one", map[string]string{"a.txt": "next\n"})
	other := bring(t, b, "b2/one", map[string]string{"d.txt": "D\n"})
	run := bring(t, b, "b", map[string]string{"e.txt": "E\n"})
	at := "/" + token + "/"
	push := decision(t, b, one, "push")
	with := func(name, value string) url.Values {
		out := url.Values{"item": push["item"], "shown": push["shown"], "decision": push["decision"]}
		out.Set(name, value)
		return out
	}
	origin := func(values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Origin"] = values }
	}
	for name, c := range map[string]struct {
		method, path string
		form         url.Values
		change       func(*http.Request)
		code         int
	}{
		"no token":              {"POST", "/decide", push, nil, 404},
		"another token":         {"POST", "/another/decide", push, nil, 404},
		"no token, to see":      {"GET", "/staged?item=" + one, nil, nil, 404},
		"another host":          {"POST", at + "decide", push, func(r *http.Request) { r.Host = "evil.example:1234" }, 403},
		"another origin":        {"POST", at + "decide", push, origin("http://evil.example"), 403},
		"another port":          {"POST", at + "decide", push, origin("http://127.0.0.1:1235"), 403},
		"no origin":             {"POST", at + "decide", push, origin(), 403},
		"an origin of nobody":   {"POST", at + "decide", push, origin("null"), 403},
		"by address":            {"GET", at + "decide?" + push.Encode(), nil, nil, 404},
		"values by address":     {"POST", at + "decide?" + push.Encode(), url.Values{}, nil, 400},
		"no decision":           {"POST", at + "decide", with("decision", ""), nil, 400},
		"another decision":      {"POST", at + "decide", with("decision", "defer"), nil, 400},
		"no digest":             {"POST", at + "decide", with("shown", ""), nil, 409},
		"another digest":        {"POST", at + "decide", with("shown", strings.Repeat("0", 64)), nil, 409},
		"a discard, not shown":  {"POST", at + "decide", url.Values{"item": {one}, "decision": {"discard"}}, nil, 409},
		"an unknown item":       {"POST", at + "decide", with("item", "99"), nil, 404},
		"an item that is a way": {"POST", at + "decide", with("item", "../"+one), nil, 404},
		"of another batch":      {"POST", at + "decide", with("item", other), nil, 404},
		"of a run":              {"POST", at + "decide", with("item", run), nil, 404},
		"another batch, to see": {"GET", at + "staged?item=" + other, nil, nil, 404},
		"a form too large":      {"POST", at + "decide", with("item", strings.Repeat("1", maxForm)), nil, 400},
	} {
		if w := request(b, c.method, c.path, c.form, c.change); w.Code != c.code {
			t.Errorf("%s: %d, want %d: %s", name, w.Code, c.code, w.Body)
		} else if strings.Contains(w.Body.String(), "+next") {
			t.Errorf("%s: it shows the change: %s", name, w.Body)
		}
	}
	if body := request(b, "GET", at, nil, nil).Body.String(); strings.Contains(body, "d.txt") || strings.Contains(body, "e.txt") {
		t.Errorf("the page lists what others staged: %s", body)
	}
	b.faulty = true
	if w := request(b, "POST", at+"decide", push, nil); w.Code == 303 {
		t.Error("a push into a project with faults")
	}
	if len(waits(t, b)) != 3 || reads(t, real, "a.txt") != "old\n" {
		t.Errorf("something was decided: %v, %q", waits(t, b), reads(t, real, "a.txt"))
	}
	b.faulty = false
	if w := request(b, "POST", at+"decide", push, nil); w.Code != 303 || reads(t, real, "a.txt") != "next\n" {
		t.Errorf("a good decision: %d: %s", w.Code, w.Body)
	}
	if w := request(b, "POST", at+"decide", push, nil); w.Code != 404 {
		t.Errorf("the same decision again: %d", w.Code)
	}
}

// What was changed after it was shown is not decided: the real file, or the item.
func TestDecisionIsOnWhatWasShown(t *testing.T) {
	for name, change := range map[string]func(b *asked, real sandbox.FS){
		"the file": func(_ *asked, real sandbox.FS) {
			if err := real.WriteFile("a.txt", []byte("mine\n")); err != nil {
				t.Fatal(err)
			}
		},
		"deferred": func(b *asked, _ sandbox.FS) {
			if _, err := b.store.Defer(context.Background(), "1"); err != nil {
				t.Fatal(err)
			}
		},
		"the item": func(b *asked, _ sandbox.FS) {
			again := clearance.Brought{Run: "b/one", Worker: "main", Again: true, Changes: []clearance.BroughtChange{{Name: "a.txt", Data: []byte("other\n"), Base: clearance.Digest([]byte("old\n"))}}}
			if err := clearance.Bring(context.Background(), b.store, again); err != nil {
				t.Fatal(err)
			}
		},
	} {
		b, real := stages(t, map[string]string{"a.txt": "old\n"})
		id := bring(t, b, "b/one", map[string]string{"a.txt": "next\n"})
		for _, does := range []string{"push", "discard"} {
			form := decision(t, b, id, does)
			if does == "push" {
				change(b, real)
			} else {
				form.Set("shown", strings.Repeat("a", 64))
			}
			w := request(b, "POST", "/"+token+"/decide", form, nil)
			if w.Code != 409 && w.Code != 404 || strings.Contains(reads(t, real, "a.txt"), "next") || len(waits(t, b)) != 1 {
				t.Errorf("%s, %s: %d: %s", name, does, w.Code, w.Body)
			}
			if id = waits(t, b)[0]; does == "push" && w.Code == 409 && !strings.Contains(w.Body.String(), "is not what was shown") {
				t.Errorf("%s: it does not say why: %s", name, w.Body)
			}
		}
		if name != "the file" {
			continue
		}
		// What is shown now is a conflict all the same, in the words of golem clearance.
		if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "push"), nil); w.Code != 409 || !strings.Contains(w.Body.String(), "E_CONFLICT") || reads(t, real, "a.txt") != "mine\n" {
			t.Errorf("a push over a change: %d: %s", w.Code, w.Body)
		}
	}
}

// A file that defines the project is written only if a person ticked it, each by itself.
func TestDefinitionsAreTicked(t *testing.T) {
	b, real := stages(t, nil)
	id := bring(t, b, "b/one", map[string]string{"a.txt": "A\n", "w.worker": "W\n", "x.worker": "X\n"})
	body := request(b, "GET", "/"+token+"/staged?item="+id, nil, nil).Body.String()
	if strings.Count(body, `type="checkbox"`) != 2 || strings.Contains(body, "checked") || !strings.Contains(body, "Write w.worker, which defines the project") {
		t.Fatal(body)
	}
	for _, ticked := range [][]string{nil, {"0"}, {"1"}, {"2"}, {"w.worker", "x.worker"}, {"1", "1"}, {"-1", "3"}} {
		w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "push", ticked...), nil)
		if w.Code != 409 || !strings.Contains(w.Body.String(), "E_PROTECTED") || reads(t, real, "w.worker")+reads(t, real, "x.worker")+reads(t, real, "a.txt") != "" {
			t.Errorf("%v: %d: %s", ticked, w.Code, w.Body)
		}
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "push", "1", "2"), nil); w.Code != 303 || reads(t, real, "w.worker") != "W\n" || reads(t, real, "x.worker") != "X\n" {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// What models staged is text on the page, with each character that hides something; nothing of it
// can run or look like a button.
func TestStagedIsText(t *testing.T) {
	b, _ := stages(t, map[string]string{"a.txt": "one\ntwo\n"})
	id := bring(t, b, "b/one", map[string]string{
		"a.txt":             "one\r\ntwo</pre></main><script>alert(1)</script>\u202e\u200d\u00a0\u200b\x1b[2J\n",
		"&lt;img src=x.txt": "\"><button name=decision value=push>\n",
		"b' onclick='x.txt": "y\n",
	})
	for _, path := range []string{"", "staged?item=" + id} {
		w := request(b, "GET", "/"+token+"/"+path, nil, nil)
		body := w.Body.String()
		for _, bad := range []string{"<script>alert", "<img", "<button name=decision", "\u202e", "\u200d", "\u00a0", "\u200b", "\x1b", "' onclick"} {
			if strings.Contains(body, bad) {
				t.Errorf("%q: the page has %q: %s", path, bad, body)
			}
		}
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none';") {
			t.Errorf("%q: %d: %s", path, w.Code, body)
		}
		if path != "" && (!strings.Contains(body, `\u{202e}\u{200d}`) || !strings.Contains(body, `+one\r`)) {
			t.Errorf("hidden characters and ends of lines are not shown: %s", body)
		}
	}
}

// An item that cannot be pushed is shown with the reason, and can be discarded.
func TestStagedThatCannotBePushed(t *testing.T) {
	b, _ := stages(t, nil)
	id := bring(t, b, "b/one", map[string]string{"<img src=x>.txt": "x\n", "\u202etxt.exe": "x\n"})
	if body := request(b, "GET", "/"+token+"/", nil, nil).Body.String(); strings.Contains(body, "<img") || !strings.Contains(body, `\u{202e}txt.exe`) {
		t.Error(body)
	}
	w := request(b, "GET", "/"+token+"/staged?item="+id, nil, nil)
	if body := w.Body.String(); w.Code != 200 || strings.Contains(body, "<img") || strings.Contains(body, `value="push"`) || !strings.Contains(body, "You cannot push it: E_PATH: ") {
		t.Errorf("%d: %s", w.Code, body)
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "push"), nil); w.Code == 303 || len(waits(t, b)) != 1 {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "discard"), nil); w.Code != 303 || len(waits(t, b)) != 0 {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// What does not fit on the page cannot be pushed there, but discarded.
func TestLargeStaged(t *testing.T) {
	for name, text := range map[string]string{
		"short lines": strings.Repeat("<\n", 1<<17),
		"long line":   strings.Repeat("x", mostText+1),
		"too large":   strings.Repeat("a\n", 3<<20),
	} {
		b, real := stages(t, nil)
		id := bring(t, b, "b/one", map[string]string{"a.txt": text, "b.txt": "B\n"})
		w := request(b, "GET", "/"+token+"/staged?item="+id, nil, nil)
		if w.Code != 200 || w.Body.Len() > 3*mostText || strings.Contains(w.Body.String(), `value="push"`) || !strings.Contains(w.Body.String(), "golem clearance push "+id) {
			t.Errorf("%s: %d, %d bytes", name, w.Code, w.Body.Len())
		}
		if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "push"), nil); w.Code != 400 || reads(t, real, "b.txt") != "" {
			t.Errorf("%s: it was pushed: %d", name, w.Code)
		}
		if w := request(b, "POST", "/"+token+"/decide", decision(t, b, id, "discard"), nil); w.Code != 303 || len(waits(t, b)) != 0 {
			t.Errorf("%s: discard: %d", name, w.Code)
		}
	}
	b, _ := stages(t, nil)
	for range mostStaged + 2 {
		bring(t, b, "b/one", map[string]string{"a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", "d.txt": "1\n", "e.txt": "1\n", "f.txt": "1\n"})
	}
	body := request(b, "GET", "/"+token+"/", nil, nil).Body.String()
	if strings.Count(body, "<section") != mostStaged || !strings.Contains(body, "And 2 items more") || !strings.Contains(body, "and 1 more") || strings.Contains(body, "f.txt") {
		t.Error(body)
	}
}

// An item that another machine wrote is shown, and nobody can decide on it.
func TestForeignStaged(t *testing.T) {
	b, real := stages(t, nil)
	id := bring(t, b, "b/one", map[string]string{"a.txt": "A\n"})
	data, err := fs.ReadFile(b.store.State.Files, "clearance/"+id+"/item")
	if err == nil {
		err = b.store.State.Files.WriteFile("clearance/"+id+"/item", []byte(strings.Replace(string(data), "main", "mine", 1)))
	}
	if err != nil {
		t.Fatal(err)
	}
	w := request(b, "GET", "/"+token+"/staged?item="+id, nil, nil)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "You cannot decide") || strings.Contains(w.Body.String(), "<button") {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	s := &server{batch: b}
	one, err := s.staged(id, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, does := range []string{"push", "discard"} {
		w := request(b, "POST", "/"+token+"/decide", url.Values{"item": {id}, "shown": {one.digest()}, "decision": {does}}, nil)
		if w.Code == 303 || len(waits(t, b)) != 1 || reads(t, real, "a.txt") != "" {
			t.Errorf("%s: %d: %s", does, w.Code, w.Body)
		}
	}
}
