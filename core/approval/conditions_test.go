package approval

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/tool"
)

// hostile are texts whose characters mean something in a pattern, in a line of conditions, or on a
// screen.
var hostile = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{
		" ", "  ", `"`, `""`, "'", `\`, "*", "**", "?", "[", "]", "[a-z]", "{", "}", "{a,b}", ",", "!", "^", "-", "=", "/", "//", ".", "..", "x=", "path=/", "*=", "#", "|",
		"\n", "\t", "\r", "\x00", "\u00a0", "\u2003", "\u202e", "\u200d", "\ufe0f", "\u0301", "é", "漢", "😀", "a", "b c", "true", "null", "5", "",
	})
	return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
})

// The rule that golem proposes for a call, written as a line and read again, is that rule. It has
// only characters that a person sees, covers the call, and of the arguments that it names only the
// very values of the call.
func TestProposedRuleIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := map[string]any{"text": hostile.Draw(t, "text"), "other": hostile.Draw(t, "other"), hostile.Draw(t, "name"): hostile.Draw(t, "value"), "n": rapid.Int().Draw(t, "n")}
		file := "/" + strings.Trim(strings.ReplaceAll(hostile.Draw(t, "dir"), "/", "_"), ".") + "/f"
		if rapid.Bool().Draw(t, "path") {
			args["path"] = file
		}
		request := func() Request {
			data, _ := json.Marshal(args) // texts and numbers always encode
			r := Request{Kind: KindTool, Tool: "w", Args: data}
			if args["path"] != nil {
				r.Paths = []tool.PathUse{{Op: "write", Path: file}}
			}
			return r
		}
		asked := request()
		when := Proposal(asked)
		line := Conditions(when)
		got, err := ParseConditions(line)
		if err != nil || !maps.Equal(got, when) {
			t.Fatalf("%q is read as %q, %v; proposed was %q", line, got, err, when)
		}
		if safe, changed := Visible(line); changed {
			t.Fatalf("a person sees %q", safe)
		}
		for name, pattern := range when {
			if err := CheckPattern(name, pattern); err != nil {
				t.Fatal(err)
			}
		}
		rule := Rule{Tool: "w", When: got}
		if !rule.Covers(asked) {
			t.Fatalf("%q does not cover %s", line, asked.Args)
		}
		for name := range when {
			if name == "path" {
				continue
			}
			was := args[name]
			for _, other := range []any{hostile.Draw(t, "instead"), "a", "", "x" + asText(was), asText(was) + "x", asText(was) + " ", strings.ReplaceAll(asText(was), `\`, "")} {
				args[name] = other
				if asText(other) != asText(was) && rule.Covers(request()) {
					t.Fatalf("%q was proposed for %s and covers %s", line, asked.Args, request().Args)
				}
			}
			args[name] = was
		}
	})
}

// asText returns the text that a value is matched as.
func asText(v any) string {
	data, _ := json.Marshal(v) // texts and numbers always encode
	return texts(data)[0]
}

// Any conditions, written as a line, are read as they were.
func TestConditionsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when := rapid.MapOf(hostile, hostile).Draw(t, "when")
		line := Conditions(when)
		got, err := ParseConditions(line)
		if err != nil || !maps.Equal(got, when) {
			t.Fatalf("%q is read as %q, %v; it was %q", line, got, err, when)
		}
		for name, pattern := range when {
			one := Conditions(map[string]string{name: pattern})
			if key, read, err := ParseCondition(one); err != nil || key != name || read != pattern {
				t.Fatalf("%q is read as %q %q, %v", one, key, read, err)
			}
		}
	})
}

// What a person writes is read as it looks, or refused.
func TestConditionsOfAPerson(t *testing.T) {
	for line, want := range map[string]string{
		"path=/out/**":               "path=/out/**",
		" path=/out/**   mode=fast ": "mode=fast path=/out/**",
		"text=two words path=/a":     `path=/a text="two words"`,
		`text="two  words" path=/a`:  `path=/a text="two  words"`,
		`text="a=b path=/x" path=/a`: `path=/a text="a=b path=/x"`,
		`text="say ""hi""" n=5`:      `n=5 text="say ""hi"""`,
		`text=say "hi"`:              `text="say ""hi"""`,
		`text= n=5`:                  `n=5 text=""`,
		`"file.name"=x "a b"="c d"`:  `"a b"="c d" "file.name"=x`,
		`text=a\ b`:                  `text="a\ b"`,
		"*":                          "*",
		" * ":                        "*",
		"text=*":                     "text=*",
		"":                           "E_USAGE",
		"/out/**":                    "E_USAGE",
		"* path=/a":                  "E_USAGE",
		"path=/a path=/b":            "E_USAGE",
		`text="two words`:            "E_USAGE",
		`text="two words"n=5`:        "E_USAGE",
		`text="two" words`:           "E_USAGE",
		`"text`:                      "E_USAGE",
		`"text" n=5`:                 "E_USAGE",
		"=x":                         "E_USAGE",
	} {
		when, err := ParseConditions(line)
		got := Conditions(when)
		if err != nil {
			got = string(fault.Of(err, fault.Config).Code)
		}
		if got != want {
			t.Errorf("%s: got %s, %v, want %s", line, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"text=two words n=5": `text="two words n=5"`,
		`text="two words"`:   `text="two words"`,
		`text=say "hi"`:      `text="say ""hi"""`,
		`text="two" words`:   "E_USAGE",
		"two words":          "E_USAGE",
		"two words=x":        "E_USAGE",
	} {
		name, pattern, err := ParseCondition(text)
		got := Conditions(map[string]string{name: pattern})
		if err != nil {
			got = string(fault.Of(err, fault.Config).Code)
		}
		if got != want {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
}
