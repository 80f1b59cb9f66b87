package editor

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// press types keys and returns the messages that were sent. «enter» is a key by its
// name; any other character types itself.
func press(e *Editor, keys string) (sent []string) {
	for keys != "" {
		name, text := "", ""
		if rest, ok := strings.CutPrefix(keys, "«"); ok {
			name, keys, _ = strings.Cut(rest, "»")
		} else {
			_, n := utf8.DecodeRuneInString(keys)
			name, text, keys = keys[:n], keys[:n], keys[n:]
		}
		if send, _ := e.Key(name, text); send {
			sent = append(sent, e.Text())
			e.SetText("")
		}
	}
	return sent
}

// marked returns the text with | at the cursor.
func marked(e *Editor) string { return e.text[:e.at] + "|" + e.text[e.at:] }

func TestKeys(t *testing.T) {
	for keys, want := range map[string]string{
		"hello":                                   "hello|",
		"hello«left»«left»x":                      "helx|lo",
		"one two three«alt+b»«alt+b»":             "one |two three",
		"one two three«ctrl+a»«alt+f»«alt+f»":     "one two| three",
		"one two«ctrl+w»«ctrl+y»«ctrl+y»":         "one twotwo|",
		"one two«alt+backspace»«alt+backspace»":   "|",
		"one two«ctrl+a»«alt+d»":                  "| two",
		"one«alt+enter»two«ctrl+u»":               "one\n|",
		"one«ctrl+j»two«up»«ctrl+a»«ctrl+k»":      "|\ntwo",
		"one«ctrl+j»two«up»«end»«ctrl+k»":         "one|two",
		"long line«ctrl+j»b«ctrl+j»third«up»«up»": "long |line\nb\nthird",
		"ab«ctrl+t»":                              "ba|",
		"ab«left»«ctrl+d»«ctrl+d»":                "a|",
		"a「字」b«left»«left»«backspace»":            "a「|」b",
		"e\u0301x«left»«backspace»":               "|x",
		"👨‍👩‍👧x«left»«left»":                      "|👨‍👩‍👧x",
		"🇩🇪🇫🇷«left»«backspace»":                   "|🇫🇷",
		"one two«ctrl+_»":                         "one |",
		"one two«ctrl+_»«ctrl+_»«ctrl+_»«ctrl+_»": "|",
		"abc«ctrl+u»«ctrl+_»":                     "abc|",
		"one\\«enter»two":                         "one\ntwo|",
		"x«alt+<»y«alt+>»z":                       "yxz|",
		"a\x1b\x07b":                              "ab|",
	} {
		e := New(Options{})
		if sent := press(e, keys); len(sent) > 0 || marked(e) != want {
			t.Errorf("%q: %q, want %q; sent %q", keys, marked(e), want, sent)
		}
	}
}

// Enter sends the text, also behind two backslashes; behind one it breaks the line. A
// paste is one change and never sends.
func TestSending(t *testing.T) {
	e := New(Options{})
	if sent := press(e, "one\\\\«enter»a\\«enter»b«enter»"); len(sent) != 2 || sent[0] != `one\\` || sent[1] != "a\nb" {
		t.Errorf("%q", sent)
	}
	press(e, "typed ")
	e.Paste("first\r\nsecond\rthird\x1b[31m\x00\n")
	if e.Text() != "typed first\nsecond\nthird[31m\n" {
		t.Errorf("%q", e.Text())
	}
	press(e, "«ctrl+_»")
	if e.Text() != "typed " {
		t.Errorf("undo: %q", e.Text())
	}
	if _, used := e.Key("f7", ""); used {
		t.Error("f7 is used")
	}
}

func TestHistory(t *testing.T) {
	h := ReadHistory([]byte("\"one\"\n\"two\\nlines\"\ntorn \"thr"))
	e := New(Options{History: h})
	if e.up() && e.Text() != "two\nlines" {
		t.Errorf("%q", e.Text())
	}
	press(e, "«alt+<»«up»")
	if e.Text() != "one" {
		t.Errorf("%q", e.Text())
	}
	if _, used := e.Key("up", ""); !used || e.Text() != "one" {
		t.Errorf("%q", e.Text())
	}
	press(e, "«down»«down»«down»")
	if e.Text() != "" {
		t.Errorf("%q", e.Text())
	}
	press(e, "draft«up»«down»")
	if e.Text() != "two\nlines" { // the cursor was in its last line, so down went back
		press(e, "«down»")
	}
	if e.Text() != "draft" {
		t.Errorf("the draft is lost: %q", e.Text())
	}
	if h.Add("  ") || h.Add(strings.Repeat("x", maxEntry+1)) || !h.Add("three") || h.Add("three") {
		t.Error("what is kept")
	}
	for i := range 2 * MaxEntries {
		h.Add(strings.Repeat("y", i%7+1))
	}
	if n := len(h.entries); n != MaxEntries {
		t.Errorf("%d entries", n)
	}
	if again := ReadHistory(h.Text()); string(again.Text()) != string(h.Text()) {
		t.Error("a history read again is another one")
	}
}

func TestSearch(t *testing.T) {
	h := &History{}
	for _, s := range []string{"fix the parser", "write a test", "Fix the lexer", "last"} {
		h.Add(s)
	}
	for keys, want := range map[string]string{
		"draft«ctrl+r»fix":                                   "Fix the lexer|",
		"draft«ctrl+r»fix«ctrl+r»":                           "fix the parser|",
		"draft«ctrl+r»fix«ctrl+r»«ctrl+r»«enter»":            "fix the parser|",
		"draft«ctrl+r»fix«esc»":                              "draft|",
		"draft«ctrl+r»fix«ctrl+g»":                           "draft|",
		"draft«ctrl+r»nothing«enter»":                        "draft|",
		"draft«ctrl+r»test«ctrl+a»":                          "|write a test",
		"draft«ctrl+r»fix t«backspace»«enter»!":              "Fix the lexer!|",
		"draft«ctrl+r»parser«enter»«down»«down»«down»«down»": "draft|",
	} {
		e := New(Options{History: h})
		if sent := press(e, keys); len(sent) > 0 || marked(e) != want {
			t.Errorf("%q: %q, want %q; sent %q", keys, marked(e), want, sent)
		}
	}
	e := New(Options{History: h})
	press(e, "«ctrl+r»zzz")
	if lines, _, _ := e.View(60, 5, false); !strings.Contains(strings.Join(lines, "\n"), "nothing found: zzz") {
		t.Errorf("%q", lines)
	}
}

func completing() Options {
	return Options{
		Commands: []Choice{{"/help", "list the commands", ""}, {"/model", "use another model", ""}, {"/new", "start over", ""}},
		Values: func(command, prefix string) (out []Choice) {
			for _, v := range []string{"ollama:a", "openai:b"} {
				if command == "/model" && strings.HasPrefix(v, prefix) {
					out = append(out, Choice{Text: v})
				}
			}
			return out
		},
		Files: func(prefix string) (out []string) {
			for _, f := range []string{"docs/", "docs/a.md", "docs/字.md", "main.go", "with space", "x\x1b]"} {
				if strings.HasPrefix(f, prefix) && (strings.Count(f, "/") == strings.Count(prefix, "/") || strings.HasSuffix(f, "/")) {
					out = append(out, f)
				}
			}
			return out
		},
	}
}

func TestCompletion(t *testing.T) {
	for keys, want := range map[string]string{
		"/m«tab»":               "/model |",
		"/«down»«down»«enter»":  "/model |",
		"/«up»«enter»":          "/new |",
		"/m«tab»op«tab»":        "/model openai:b |",
		"/«esc»m«tab»":          "/model |",
		"see @do«tab»":          "see @docs/|",
		"see @do«tab»a«tab»!":   "see @docs/a.md !|",
		"see @docs/«up»«enter»": "see @docs/字.md |",
		"me@ma«tab»":            "me@ma|",
		"@wi«tab»":              "@wi|",
		"@x«tab»":               "@x|",
		"a /m«tab»":             "a /m|",
		"//m«tab»":              "//m|",
		"字 @ma«tab»":            "字 @main.go |",
	} {
		e := New(completing())
		if sent := press(e, keys); len(sent) > 0 || marked(e) != want {
			t.Errorf("%q: %q, want %q; sent %q", keys, marked(e), want, sent)
		}
	}
	e := New(completing())
	if sent := press(e, "/help«enter»"); len(sent) != 1 || sent[0] != "/help" {
		t.Errorf("a whole command is sent: %q", sent)
	}
	press(e, "/")
	lines, x, y := e.View(40, 6, false)
	if len(lines) != 4 || lines[1] != "  /help   list the commands" || x != 1 || y != 0 {
		t.Errorf("%q %d %d", lines, x, y)
	}
}

func TestView(t *testing.T) {
	for _, c := range []struct {
		keys          string
		width, height int
		want          string
		x, y          int
	}{
		{"", 10, 3, "", 0, 0},
		{"hello", 10, 3, "hello", 5, 0},
		{"0123456789", 10, 3, "0123456789\n", 0, 1},
		{"0123456789ab«left»«left»«left»", 10, 3, "0123456789\nab", 9, 0},
		{"字字字字字字", 5, 3, "字字\n字字\n字字", 4, 2},
		{"1«ctrl+j»2«ctrl+j»3«ctrl+j»4«ctrl+j»5", 10, 2, "4\n5", 1, 1},
		{"1«ctrl+j»2«ctrl+j»3«ctrl+j»4«ctrl+j»5«up»«up»«up»«up»", 10, 2, "1\n2", 1, 0},
		{"a\tb\u202ec", 30, 1, "a    b\\u{202e}c", 15, 0},
	} {
		e := New(Options{})
		press(e, c.keys)
		lines, x, y := e.View(c.width, c.height, false)
		if got := strings.Join(lines, "\n"); got != c.want || x != c.x || y != c.y {
			t.Errorf("%q: %q at %d, %d; want %q at %d, %d", c.keys, got, x, y, c.want, c.x, c.y)
		}
	}
}

// For any keys and pastes, the cursor is between two characters, the text is clean, and
// what is shown fits the screen and cannot leave its line.
func FuzzEditor(f *testing.F) {
	f.Add("hello «left»«ctrl+w»字👨‍👩‍👧«backspace»", uint8(9))
	f.Add("/m«tab»«ctrl+r»x«ctrl+j»@do«tab»«up»«down»«ctrl+_»", uint8(4))
	f.Add("\x1b[2J\u202e\t\xff\u0301«left»«delete»«ctrl+t»«alt+d»", uint8(20))
	f.Fuzz(func(t *testing.T, keys string, width uint8) {
		o := completing()
		o.History = ReadHistory([]byte("\"one x\"\n\"two\\nlines\"\n"))
		e := New(o)
		for i, part := range strings.SplitAfter(keys, "»") {
			if i > 50 {
				return
			}
			press(e, part)
			if i%5 == 4 {
				e.Paste(part)
			}
			if e.at < 0 || e.at > len(e.text) || !utf8.ValidString(e.text) || e.aligned(e.at) != e.at {
				t.Fatalf("%q at %d", e.text, e.at)
			}
			if e.text != clean(e.text) {
				t.Fatalf("%q is not clean", e.text)
			}
			w := max(int(width), 4)
			lines, x, y := e.View(w, 5, false)
			if x < 0 || x > w || y < 0 || y >= len(lines) || len(lines) > 5+1 {
				t.Fatalf("%q: cursor %d, %d in %q", e.text, x, y, lines)
			}
			for _, l := range lines {
				if strings.ContainsFunc(l, unicode.IsControl) || widthOf(l) > max(w, 13) {
					t.Fatalf("%q in %d columns", l, w)
				}
			}
		}
	})
}

// A choice that has something to show is listed with this, and is completed with its text.
func TestChoiceIsShown(t *testing.T) {
	e := New(Options{Values: func(string, string) []Choice {
		return []Choice{{Text: "20260101-1a", Help: "Owls", Shown: "Jan 1  Owls  20260101-1a"}}
	}})
	e.Offer("/resume ")
	if lines, _, _ := e.View(16, 5, false); len(lines) != 2 || lines[1] != "› Jan 1  Owls  …" && lines[1] != "  Jan 1  Owls  …" {
		t.Errorf("%q", lines)
	}
	press(e, "«enter»")
	if e.Text() != "/resume 20260101-1a " {
		t.Errorf("%q", e.Text())
	}
}

// Esc leaves a list that a command opened, and what is typed then is a text of its own. It only
// closes a list that completes what the person typed.
func TestEscapeLeavesAList(t *testing.T) {
	e := New(Options{Commands: []Choice{{Text: "/resume "}, {Text: "/rewind "}}, Values: func(string, string) []Choice {
		return []Choice{{Text: "1"}, {Text: "12"}}
	}})
	for _, c := range []struct {
		typed string
		offer bool
		want  string
	}{
		{"«esc»/resume", true, "/resume"},
		{"1«esc»hello", true, "hello"},
		{"«down»«esc»hello", true, "hello"},
		{"/rewind 1«esc»2", false, "/rewind 12"},
		{"/re«esc»s", false, "/res"},
	} {
		e.SetText("")
		if c.offer {
			e.Offer("/rewind ")
		}
		if press(e, c.typed); e.Text() != c.want {
			t.Errorf("%q: %q, want %q", c.typed, e.Text(), c.want)
		}
	}
}
