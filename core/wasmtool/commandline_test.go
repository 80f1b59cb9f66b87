package wasmtool

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/tool"
)

// described returns the description of a sidecar with that command line.
func described(t *testing.T, command string) Description {
	t.Helper()
	ds, err := ParseSidecar([]byte("tools:\n  - {name: t, "+command+"}\n"), "t.tools.yaml")
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return ds[0]
}

func TestCommandLine(t *testing.T) {
	const any = `inputSchema: {type: object, properties: {a: {}, b: {}, c: {}}}, `
	for _, c := range []struct {
		command, args string
		argv          []string
		stdin, fails  string
	}{
		{`command: []`, `{}`, nil, "", ""},
		{`command: [-x, "{{a}}"]`, `{}`, []string{"-x", "{a}"}, "", ""},
		{any + `command: ["{a}", "--b={b}", "{c}"], stdin: "{a}\n"`, `{"a": "x y", "b": 2.50}`, []string{"x y", "--b=2.5"}, "x y\n", ""},
		{any + `command: ["{a}", "{b}"]`, `{"a": ["1", 2, null, true], "b": {"k": [1]}}`, []string{"1", "2", "true", `{"k":[1]}`}, "", ""},
		{any + `command: ["{a}"]`, `{"a": "{b}", "b": "x"}`, []string{"{b}"}, "", ""}, // what a caller gives is not filled in again
		{any + `command: ["{a}"]`, `{"a": ""}`, []string{""}, "", ""},
		{any + `command: ["{a}"]`, `{"a": -5}`, []string{"-5"}, "", ""},
		{any + `command: ["{a}"]`, `{"a": "--output=/x"}`, nil, "", "begins with -"},
		{any + `command: ["{a}"]`, `{"a": ["x", "-o"]}`, nil, "", "begins with -"},
		{any + `command: [--, "{a}"]`, `{"a": "-x"}`, []string{"--", "-x"}, "", ""},
		{any + `command: ["{a}"]`, `{"a": "x\u0000y"}`, nil, "", "NUL"},
		{any + `command: ["x{a}"]`, `{"a": ["y"]}`, nil, "", "a word of its own"},
		{any + `command: ["{a}"]`, `{"a": "` + strings.Repeat("x", maxArgv) + `"}`, nil, "", "more than"},
	} {
		d := described(t, c.command)
		argv, stdin, err := d.argv(tool.ReadArguments([]byte(c.args)))
		if c.fails != "" {
			if !errors.Is(err, fault.ToolInput) || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s %.60s: %v", c.command, c.args, err)
			}
		} else if err != nil || !slices.Equal(argv, c.argv) || string(stdin) != c.stdin {
			t.Errorf("%s %s: %q, %q, %v", c.command, c.args, argv, stdin, err)
		}
	}
	if d := described(t, `command: ["{a}"], stdin: "{b}"`); string(d.Input) != `{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"type":"object"}` {
		t.Errorf("%s", d.Input)
	}
	for command, want := range map[string]string{
		`command: x`:      "is not a list of texts",
		`command: [5]`:    "is not a list of texts",
		`stdin: x`:        "stdin and no command",
		`command: ["{}"]`: "a brace that is no {field}",
		`command: ["{a"]`: "a brace that is no {field}",
		`command: ["a}"]`: "a brace that is no {field}",
		`inputSchema: {type: object, properties: {b: {}}}, command: ["{a}"]`: `uses the field "a"`,
	} {
		_, err := ParseSidecar([]byte("tools:\n  - {name: t, "+command+"}\n"), "t.tools.yaml")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "t.tools.yaml:2") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// The value that a caller gives for one field becomes at most one argument, and never an
// option.
func TestCommandLineKeepsWords(t *testing.T) {
	d := described(t, `command: [-n, "{a}", end]`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "a")
		args, err := json.Marshal(map[string]string{"a": text})
		if err != nil {
			t.Fatal(err)
		}
		argv, _, err := d.argv(tool.ReadArguments(args))
		switch {
		case strings.HasPrefix(text, "-") || strings.ContainsRune(text, 0):
			if err == nil {
				t.Fatalf("%q is passed", argv)
			}
		case err != nil || len(argv) != 3 || argv[0] != "-n" || argv[1] != strings.ToValidUTF8(text, "\uFFFD") || argv[2] != "end":
			t.Fatalf("%q, %v", argv, err)
		}
	})
}
