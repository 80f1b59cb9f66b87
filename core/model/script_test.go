package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"golem/core/fault"
)

func files(m map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		s, ok := m[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: "/home/me/" + name, Err: fs.ErrNotExist}
		}
		return []byte(s), nil
	}
}

func scriptOf(t *testing.T, text string) Model {
	t.Helper()
	return open(t, "script:s.yaml", Config{ReadFile: files(map[string]string{"s.yaml": text})})
}

// talk asks for the next turn of worker main.
func talk(t *testing.T, m Model, turn int, messages ...Message) Turn {
	t.Helper()
	out, err := m.Generate(context.Background(), Request{Worker: "main", Conversation: "c", ID: "0", Turn: turn, Messages: messages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func user(s string) Message { return Message{Role: User, Text: s} }

func result(name, text string, code fault.Code) Message {
	return Message{Role: ToolRole, Tool: name, Text: text, Error: code}
}

// The example of SPEC §16, as it stands there.
func TestScriptOfTheSpecification(t *testing.T) {
	m := scriptOf(t, `
script: 1
workers:                      # by worker ID; "*" = any other
  main:
    - when: {tool: read_file, match: "total (\\d+)"}
      say: "Total is $1"      # streamed
    - calls: [{tool: read_file, args: {path: /a}}]
    - say: done
`)
	first := talk(t, m, 1, user("go"))
	if d := cmp.Diff([]Call{{ID: "call00001", Name: "read_file", Args: `{"path":"/a"}`}}, first.Calls); d != "" || first.Finish != "tool_calls" {
		t.Fatal(d)
	}
	asked := []Message{user("go"), {Role: Assistant, Calls: first.Calls}}
	if got := talk(t, m, 2, append(asked, result("read_file", "a total 42 b", ""))...); got.Text != "Total is 42" || got.Finish != "stop" || !got.Usage.Estimated || got.Model != "script:s.yaml" {
		t.Fatalf("%+v", got)
	}
	if got := talk(t, m, 3, append(asked, result("read_file", "nothing", ""))...); got.Text != "done" {
		t.Fatalf("%+v", got)
	}
	_, err := m.Generate(context.Background(), Request{Worker: "main", Conversation: "c", Turn: 4, Messages: []Message{user("go")}}, nil)
	fails(t, err, fault.Model, "worker main, turn 4", "not a language model")
	if f := failureOf(err); f != nil {
		t.Error("would be retried")
	}
}

func TestScriptConditions(t *testing.T) {
	m := scriptOf(t, `
script: 1
workers:
  main:
    - {when: {turn: 9}, say: ninth}
    - {when: {system: "^You are (strict|stern)"}, say: strict}
    - {when: {error: E_NOT_FOUND, tool: read_file, match: "no (?P<what>\\w+)"}, say: "lost ${what}, $0"}
    - {when: {error: E_DENIED}, say: denied}
    - {when: {tool: b, text: two}, say: "b says two"}
    - {when: {match: "one\ntwo"}, say: both}
    - {when: {text: once}, once: true, say: first time}
    - {when: {text: once}, say: again}
    - {when: {match: "(a)|(z)"}, say: "[$1${2}] $$1 5$ $"}
    - {when: {}, say: anything}
  "*":
    - say: other
`)
	a := Message{Role: Assistant}
	for _, c := range []struct {
		want     string
		turn     int
		messages []Message
	}{
		{"ninth", 9, []Message{user("once")}},
		{"strict", 1, []Message{{Role: System, Text: "You are stern."}, user("x")}},
		{"lost file, no file", 1, []Message{a, result("read_file", "no file", fault.NotFound)}},
		{"anything", 1, []Message{a, result("other", "no file", fault.NotFound)}},
		{"denied", 1, []Message{a, result("w", "…", ""), result("x", "…", fault.Denied)}},
		{"anything", 1, []Message{a, result("x", "…", fault.Denied), a, user("x")}},
		{"b says two", 1, []Message{a, result("a", "one", ""), result("b", "two", "")}},
		{"both", 1, []Message{a, result("b", "one", ""), result("a", "two", "")}},
		{"anything", 1, []Message{a, result("a", "one", ""), a, result("a", "two", "")}},
		{"first time", 1, []Message{user("once")}},
		{"again", 1, []Message{user("once")}},
		{"[a] $1 5$ $", 1, []Message{user("a")}},
		{"anything", 1, []Message{user("")}},
		{"again", 1, []Message{{Role: User, Parts: []Part{{Kind: "text", Name: "f", Data: []byte("once")}}}}},
	} {
		if got := talk(t, m, c.turn, c.messages...); got.Text != c.want {
			t.Errorf("%v: %q, want %q", c.messages, got.Text, c.want)
		}
	}
	out, err := m.Generate(context.Background(), Request{Worker: "sub/x", Conversation: "d"}, nil)
	if err != nil || out.Text != "other" {
		t.Fatal(out, err)
	}
}

func TestScriptArguments(t *testing.T) {
	m := scriptOf(t, `
script: 1
workers:
  main:
    - when: {match: "n=(\\d+)"}
      say: calling
      calls:
        - {tool: a, args: {s: "v$1", deep: [{x: "$1"}, 7, 1.5, true, null, 2026-11-21], "$k": y}}
        - {tool: b, raw_args: '{"n":$1}'}
        - {tool: c}
    - {raw_args: "{bad", calls: [{tool: d}, {tool: e, args: {}}]}
    - {say: x, usage: {in: 5, out: 6}}
`)
	got := talk(t, m, 1, user("n=3"))
	want := []Call{
		{ID: "call00001", Name: "a", Args: `{"$k":"y","deep":[{"x":"3"},7,1.5,true,null,"2026-11-21"],"s":"v3"}`},
		{ID: "call00002", Name: "b", Args: `{"n":3}`}, {ID: "call00003", Name: "c", Args: `{}`},
	}
	if d := cmp.Diff(want, got.Calls); d != "" || got.Text != "calling" {
		t.Error(d)
	}
	if d := cmp.Diff([]Call{{ID: "call00001", Name: "d", Args: "{bad"}, {ID: "call00002", Name: "e", Args: "{}"}}, talk(t, m, 2, user("")).Calls); d != "" {
		t.Error(d)
	}
	if u := talk(t, m, 3, user("")).Usage; u != (Usage{In: 5, Out: 6}) {
		t.Error(u)
	}
}

// An attempt uses up a failing step, so that fail and then say make a retry.
func TestScriptFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := scriptOf(t, `
script: 1
workers:
  main:
    - fail: {status: 429, retry_after: 3s}
    - {say: "Grüße an alle", cut: 3}
    - {say: "Grüße an alle", delay: 200ms}
    - fail: {status: 401}
    - hang: true
`)
		r := Request{Worker: "main", Conversation: "c", Turn: 1, Messages: []Message{user("x")}}
		var heard []Retry
		var shown []Delta
		retrying := WithRetry(m, RetryPolicy{}, func(r Retry) { heard = append(heard, r) })
		turn, err := retrying.Generate(context.Background(), r, func(d Delta) { shown = append(shown, d) })
		if err != nil || turn.Text != "Grüße an alle" || turn.Attempts != 3 {
			t.Fatal(turn, err)
		}
		if len(heard) != 2 || heard[0].Wait != 3*time.Second {
			t.Fatalf("%+v", heard)
		}
		if len(shown) < 3 || shown[0].Text != "Gr" || !shown[1].Reset {
			t.Fatalf("%+v", shown)
		}
		if _, err = retrying.Generate(context.Background(), r, nil); failureOf(err) == nil || failureOf(err).status != 401 || len(heard) != 2 {
			t.Fatal(err, heard)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		start := time.Now()
		if _, err = retrying.Generate(ctx, r, nil); !errors.Is(err, fault.Timeout) || time.Since(start) != time.Minute {
			t.Fatal(err)
		}
	})
}

// Sequences advance in each conversation separately, and Forget removes the positions
// of those that have ended.
func TestScriptConversations(t *testing.T) {
	m := scriptOf(t, "script: 1\nworkers: {main: [{say: one}, {say: two}]}\n")
	in := func(conversation string) string {
		out, err := m.Generate(context.Background(), Request{Worker: "main", Conversation: conversation}, nil)
		if err != nil {
			return "end"
		}
		return out.Text
	}
	if got := []string{in("a"), in("b"), in("a"), in("a"), in("b")}; !cmp.Equal(got, []string{"one", "one", "two", "end", "two"}) {
		t.Fatal(got)
	}
	Forget(WithRetry(m, RetryPolicy{}, nil), "a")
	if in("a") != "one" || in("b") != "end" {
		t.Fatal("forgot the wrong one")
	}
	s := m.(*script)
	for i := range maxConversations + 100 {
		in(fmt.Sprint("x", i))
	}
	if len(s.places) != maxConversations || s.recent.Len() != maxConversations {
		t.Fatal("state grows", len(s.places))
	}
}

func TestScriptStreamsInPieces(t *testing.T) {
	long := strings.Repeat("Grüße ", 40)
	m := scriptOf(t, "script: 1\nworkers: {main: [{when: {}, say: '"+long+"'}]}")
	for range 2 {
		var pieces []string
		_, err := m.Generate(context.Background(), Request{Worker: "main"}, func(d Delta) { pieces = append(pieces, d.Text) })
		if err != nil || len(pieces) < 2 || len(pieces) > 5 || strings.Join(pieces, "") != long {
			t.Fatal(err, len(pieces))
		}
		for _, p := range pieces {
			if strings.ContainsRune(p, '\uFFFD') {
				t.Fatalf("a character is torn: %q", p)
			}
		}
	}
}

func TestScriptNames(t *testing.T) {
	c := Config{
		Embedded: fstest.MapFS{"demo.yaml": {Data: []byte("script: 1\nworkers: {main: [{say: embedded}]}")}},
		ReadFile: files(map[string]string{"demo.yaml": "script: 1\nworkers: {main: [{say: file}]}"}),
	}
	for name, want := range map[string]string{"script:demo": "embedded", "script:demo.yaml": "file"} {
		if got := talk(t, open(t, name, c), 1); got.Text != want {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
	_, err := Open("script:demos", c)
	fails(t, err, fault.Model, "did you mean demo")
	_, err = Open("script:../demo", c)
	fails(t, err, fault.Model, "no embedded script")
	_, err = Open("script:none.yaml", c)
	fails(t, err, fault.Model, "no such file")
	if strings.Contains(err.Error(), "/home") {
		t.Error("a host path shows")
	}
	_, err = Open("script:none.yaml", Config{})
	fails(t, err, fault.Model, "no files")
	_, err = talkErr(scriptOf(t, "script: 1\nworkers: {a: [{say: x}]}"))
	fails(t, err, fault.Model, "no rules for worker main")
}

func talkErr(m Model) (Turn, error) {
	return m.Generate(context.Background(), Request{Worker: "main"}, nil)
}

// If a script has no answer left, the message counts its steps.
func TestScriptWithoutAnswer(t *testing.T) {
	for n, want := range []string{"it has no steps", "its only step is used", "all its 2 steps are used"} {
		m := scriptOf(t, "script: 1\nworkers:\n  main:\n    - {when: {text: never}, say: x}\n"+strings.Repeat("    - say: x\n", n))
		for turn := range n {
			talk(t, m, turn+1, user("go"))
		}
		_, err := m.Generate(t.Context(), Request{Worker: "main", Conversation: "c", ID: "0", Turn: n + 1, Messages: []Message{user("go")}}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// One error reports every mistake in a script, with its line.
func TestScriptMistakes(t *testing.T) {
	head := "script: 1\nworkers:\n  main:\n"
	for text, parts := range map[string][]string{
		"":                                          {"s.yaml:1:1: E_CONFIG: the script is empty"},
		"[]":                                        {"expected a mapping"},
		"workers: {}":                               {"has no version"},
		"script: 2\nworkers: {}":                    {"not a version", "write script: 1"},
		"script: 1":                                 {"no workers"},
		"script: 1\nworkers: {}\n---\na: b":         {"second YAML document"},
		"script: 1\nworkers: {\n":                   {"s.yaml:2:10", "malformed YAML", "close it with }"},
		"script: 1\nworkers:\n\tmain: []\n":         {"s.yaml:3:1", "this line is indented with a tab"},
		"\xff\xfes\x00c\x00r\x00":                   {"s.yaml:1:1", "UTF-16"},
		"script: 1\nworker: {}":                     {"s.yaml:2:1:", `unknown key "worker"`, "did you mean workers"},
		head + "    - sayy: x":                      {"s.yaml:4:7:", "did you mean say"},
		head + "    - {say: x, say: y}":             {"duplicate key"},
		head + "    - {}":                           {"has no answer"},
		head + "    - {when: {txt: x}, say}":        {"did you mean text", "say has no value"},
		head + "    - {when: {match: '('}, say: x}": {"missing closing"},
		head + "    - {when: {error: E_NOPE}, say: x}":                           {`no error code "E_NOPE"`},
		head + "    - {when: {turn: 0}, say: x}":                                 {"not between 1 and"},
		head + "    - {say: $1}":                                                 {"$1 does not refer to a group", "write $$"},
		head + "    - {when: {match: a}, say: '${n}'}":                           {"${n} does not refer to a group"},
		head + "    - {when: {match: (a)}, calls: [{tool: t, args: {a: [$2]}}]}": {"$2 does not refer to a group"},
		head + "    - {once: true, say: x}":                                      {"a step without when"},
		head + "    - {calls: [{args: {}}]}":                                     {"has no tool"},
		head + "    - {calls: [{tool: t, args: {a: .nan}}]}":                     {"not a number that JSON supports"},
		head + "    - {calls: [{tool: t, args: {a: !!binary aGk=}}]}":            {"tags are not supported"},
		head + "    - {say: x, raw_args: y}":                                     {"raw_args needs"},
		head + "    - {fail: {}}":                                                {"has no status"},
		head + "    - {fail: {status: 200}}":                                     {"not between 400 and 599"},
		head + "    - {say: x, delay: 5}":                                        {"not a duration"},
		head + "    - {say: x, cut: -1}":                                         {"not between 0"},
		head + "    - {say: x, hang: maybe}":                                     {"expected true or false"},
		head + "    - {say: x, usage: {input: 5}}":                               {"known: in, out"},
		head + "    - {say: [x]}\n    - {delay: x}":                              {"say: expected text", "not a duration"},
		head + "    - {calls: [{tool: t, args: " + strings.Repeat("[", 80) + strings.Repeat("]", 80) + "}]}": {"nested deeper"},
	} {
		_, err := Open("script:s.yaml", Config{ReadFile: files(map[string]string{"s.yaml": text})})
		if !errors.Is(err, fault.Config) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, p := range parts {
			if !strings.Contains(err.Error(), p) {
				t.Errorf("%q: %v lacks %q", text, err, p)
			}
		}
	}
	_, err := Open("script:s.yaml", Config{ReadFile: func(string) ([]byte, error) { return make([]byte, maxScript+1), nil }})
	fails(t, err, fault.Model, "at most")
}

// A script that is opened again with the same Scripts is parsed once, begins anew, and follows
// its file.
func TestScriptsAreParsedOnce(t *testing.T) {
	text := "script: 1\nworkers: {main: [{when: {text: hi}, once: true, say: first}, {when: {text: hi}, say: second}" + strings.Repeat(", {when: {text: other}, say: other}", 2000) + "]}"
	var scripts Scripts
	c := Config{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }, Scripts: &scripts}
	hi := Message{Role: User, Text: "hi"}
	for range 2 {
		m := open(t, "script:s.yaml", c)
		if a, b := talk(t, m, 1, hi).Text, talk(t, m, 2, hi).Text; a != "first" || b != "second" {
			t.Errorf("it said %q, %q", a, b)
		}
	}
	if n := testing.AllocsPerRun(10, func() { open(t, "script:s.yaml", c) }); n > 100 {
		t.Errorf("opening it again makes %v allocations", n)
	}
	text = "script: 1\nworkers: {main: [{when: {text: hi}, say: changed}]}"
	if got := talk(t, open(t, "script:s.yaml", c), 1, hi).Text; got != "changed" {
		t.Errorf("after its file was changed it said %q", got)
	}
}
