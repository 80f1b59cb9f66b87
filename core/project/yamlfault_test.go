package project

import (
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/yamltree"
)

// yamlFaults are files that YAML refuses, with the true position of the mistake and an
// explanation of it (scenario 50, an hour as a new user).
var yamlFaults = []struct {
	name, text string
	want       string // a worker file's fault, without its code
}{
	{"a key too deep below a value", "a: 1\nb: 2\n  c: 3\nd: 4", "4:3: malformed YAML: this line is indented more than line 3, which has a value already (indent it as line 3, by 0 spaces)"},
	{"a key between two levels", "a: 1\nb:\n  c: 3\n d: 4", "5:2: malformed YAML: the indentation of 1 space matches no line above (indent by 0 or 2 spaces)"},
	{"an item between two levels", "a: 1\nb:\n  - x\n - y", "5:2: malformed YAML: the indentation of 1 space matches no line above (indent by 0 or 2 spaces)"},
	{"text of a block that steps back", "a: |\n  x\n y\nb: 1", "4:2: malformed YAML: the indentation of 1 space matches no line above (indent by 0 or 2 spaces)"},
	{"a list left open", "a: 1\nb: [x, y\nc: 3", "3:4: malformed YAML: the list that begins with [ has no comma or ] where one is needed (close it with ], and put a comma between two items)"},
	{"a list left open over lines", "a: 1\nb: [x,\n  y\nc: 3\nd: [1]", "3:4: malformed YAML: the list that begins with [ has no comma or ] where one is needed (close it with ], and put a comma between two items)"},
	{"a list left open after a comma", "a: 1\nb: ['x [', y,\nc: 3", "3:4: malformed YAML: the list that begins with [ has no comma or ] where one is needed (close it with ], and put a comma between two items)"},
	{"a mapping left open in a list", "a: [{x: 1, {y: 2}]\nb: 1", "2:5: malformed YAML: the mapping that begins with { has no comma or } where one is needed (close it with }, and put a comma between two items)"},
	{"a mapping left open", "b: {x: y\nc: 3", "2:4: malformed YAML: the mapping that begins with { has no comma or } where one is needed (close it with }, and put a comma between two items)"},
	{"a quote left open", "a: 1\nb: \"x\nc: 3\nd: 4", "3:4: malformed YAML: the text that begins with \" has no second \" (end it with \")"},
	{"a quote within quotes", "a: 'it's'\nb: 1", "2:8: malformed YAML: there is more text after the closing ' (write '' for a ' within the text)"},
	{"a tab before a key", "a:\n  x: 1\n\ty: 2", "4:1: malformed YAML: this line is indented with a tab (indent with spaces: YAML takes no tabs)"},
	{"a tab below a key", "a:\n\tx: 1", "3:1: malformed YAML: this line is indented with a tab (indent with spaces: YAML takes no tabs)"},
	{"spaces, then a tab", "a:\n  \tx: 1", "3:3: malformed YAML: this line is indented with a tab (indent with spaces: YAML takes no tabs)"},
	{"no space after a colon", "a: 1\nb:2\nc: 3", "3:2: malformed YAML: a space is missing after the colon (write b: 2)"},
	{"no space after the first colon", "a:1\nc: 3", "2:2: malformed YAML: a space is missing after the colon (write a: 1)"},
	{"no space after a dash", "a:\n-x\n-y\nb: 1", "3:1: malformed YAML: a space is missing after the - of a list item (write - x)"},
	{"a colon in a text", "a: 1\nd: this: that\nc: 3", "3:8: malformed YAML: this line has a second colon (put the text in quotes: d: \"this: that\")"},
	{"a value that ends with a colon", "a: 1\nmodel: device:\nc: 3", "3:8: malformed YAML: a value that ends with a colon must be in quotes (write model: 'device:')"},
	{"a value that ends with a colon, before a comment", "model: page:  # later", "2:8: malformed YAML: a value that ends with a colon must be in quotes (write model: 'page:')"},
	{"a star alone", "a: *\nb: 1", "2:4: malformed YAML: a value that begins with * must be in quotes (write '*')"},
	{"a star in a list", "a: [x, *]\nb: 1", "2:8: malformed YAML: a value that begins with * must be in quotes (write '*')"},
	{"a star before letters", "a: *x\nb: 1", "2:4: malformed YAML: a value that begins with * must be in quotes (write '*x')"},
	{"an at sign", "a: @x\nb: 1", "2:4: malformed YAML: a value that begins with @ must be in quotes (write '@x')"},
	{"a back quote", "a: `x`\nb: 1", "2:4: malformed YAML: a value that begins with ` must be in quotes (write '`x`')"},
	{"a percent sign", "a: %x\nb: 1", "2:4: malformed YAML: a value that begins with % must be in quotes (write '%x')"},
	{"an item below keys", "a: 1\n- x", "3:1: malformed YAML: a list item stands where a key is expected (indent the item below its key, or write key: value)"},
	{"a line of text", "a: 1\nsome words\nb: 2", "3:1: this line of the front matter is not key: value (if the prompt begins here, write a line that is exactly --- before it)"},
	{"an unknown escape", "a: \"a\\qb\"\nb: 1", `2:6: malformed YAML: \q is not an escape in double quotes (write \\ or use single quotes)`},
	{"a path of Windows", `a: ["\\ok", "C:\Users\x"]` + "\nb: 1", `2:16: malformed YAML: \U is not an escape in double quotes (write \\ or use single quotes)`},
	{"an unknown escape after a colon", `a: "C: \x4"` + "\nb: 1", `2:8: malformed YAML: \x is not an escape in double quotes (write \\ or use single quotes)`},
	{"an unknown escape in a later line", "a: \"x\n  \\q y\"\nb: 1", `3:3: malformed YAML: \q is not an escape in double quotes (write \\ or use single quotes)`},
	{"no comma in a mapping", "limits: {turns: 10 tokens: 5}\nb: 1", "2:20: malformed YAML: a comma is missing before tokens (put a comma between two items)"},
	{"no comma after a list", "a: {x: [1, 2] y-z: 'a b'}\nb: 1", "2:15: malformed YAML: a comma is missing before y-z (put a comma between two items)"},
	{"no comma after a text", "a: {x: 'it: s' y: 2}\nb: 1", "2:16: malformed YAML: a comma is missing before y (put a comma between two items)"},
	{"a bracket too many", "a: 1\nb: ]", "3:4: malformed YAML: a value that begins with ] must be in quotes (write ']')"},
}

func TestYAMLFaultsNameTheLine(t *testing.T) {
	for _, c := range yamlFaults {
		_, err := entryOf(Setup{FS: tree("-- main.worker --\n---\n" + c.text + "\n---\nhi\n")})
		if err == nil || err.Error() != "main.worker:"+strings.Replace(c.want, ": ", ": E_CONFIG: ", 1) {
			t.Errorf("%s:\n%s\ngives  %v\nwanted main.worker:%s", c.name, c.text, err, c.want)
		}
	}
}

// Faults explain mistakes with the lines of --- and with the encoding.
func TestFencesAndEncodings(t *testing.T) {
	utf16 := func(order, text string) string {
		out := order
		for _, r := range text {
			if order == "\xfe\xff" {
				out += "\x00" + string(r)
			} else {
				out += string(r) + "\x00"
			}
		}
		return out
	}
	for _, c := range []struct{ name, text, want string }{
		{"no closing fence before prose", "---\nmodel: a:b\n\nYou are kind.\nDo this: that.\n", "main.worker:4:1: E_CONFIG: the front matter has no closing ---: this line is not YAML (write a line that is exactly --- before the prompt)"},
		{"no closing fence before a title", "---\nmodel: a:b\n# Task\nSay hi.\n", "main.worker:3:1: E_CONFIG: the front matter has no closing ---: this line is not YAML (write a line that is exactly --- before the prompt)"},
		{"no closing fence before a line with a colon", "---\nmodel: a:b\nYou are kind: say hi.\n", "main.worker:3:1: E_CONFIG: the front matter has no closing ---: unknown key \"You are kind\" (write a line that is exactly --- before the prompt)"},
		{"no closing fence and no prompt", "---\nmodel: a:b\n", "main.worker:2:1: E_CONFIG: worker \"main\" has no instructions: no key, no body, and no prompt file (tried prompts/main.jinja2, prompts/main.j2, prompts/main.jinja, prompts/main.txt, prompts/main.md) (end the front matter with a line that is exactly ---, and write the prompt below it)"},
		{"a closing fence with a space", "---\nmodel: a:b\n--- \nhi\n", "main.worker:3:1: E_CONFIG: the front matter has no closing ---: this line is \"--- \" (the line must be exactly ---, with nothing before or after it)"},
		{"a closing fence too long", "---\nmodel: a:b\n----\nhi\n", "main.worker:3:1: E_CONFIG: the front matter has no closing ---: this line is \"----\" (the line must be exactly ---, with nothing before or after it)"},
		{"an indented fence", "---\nmodel: a:b\n ---\nhi\n", "main.worker:3:1: E_CONFIG: the front matter has no closing ---: this line is \" ---\" (the line must be exactly ---, with nothing before or after it)"},
		{"a first fence with a space", "--- \nmodel: a:b\n---\nhi\n", "main.worker:1:1: E_CONFIG: the first line is \"--- \" (the line must be exactly ---, with nothing before or after it)"},
		{"a closing fence with a space, and a line in the prompt", "---\nmodel: a:b\n--- \nhi\n\n---\nmore\n", "main.worker:3:1: E_CONFIG: this line is \"--- \" (the line must be exactly ---, with nothing before or after it)"},
		{"a closing fence with a space, and a prompt with colons", "---\nmodel: a:b\n--- \nYou are: kind: x\n---\nmore\n", "main.worker:3:1: E_CONFIG: this line is \"--- \" (the line must be exactly ---, with nothing before or after it)"},
		{"no first fence", "model: a:b\n---\nYou are kind.\n", "main.worker:1:1: E_CONFIG: line 2 ends front matter that has no beginning (write a first line that is exactly ---)"},
		{"no first fence, and a prompt with colons", "model: a:b\n---\nYou are: kind: x\n", "main.worker:1:1: E_CONFIG: line 2 ends front matter that has no beginning (write a first line that is exactly ---)"},
		{"the fence further down is a line of the prompt", "---\nmodel: a:b\nYou are kind.\n\n---\nMore.\n", "main.worker:3:1: E_CONFIG: this line of the front matter is not key: value (if the prompt begins here, write a line that is exactly --- before it)"},
		{"a tab and no closing fence", "---\nmodel: a:b\nlimits:\n\tturns: 3\n\nYou are kind.\n", "main.worker:4:1: E_CONFIG: malformed YAML: this line is indented with a tab (indent with spaces: YAML takes no tabs)"},
		{"the text of a block that is not indented", "model: a:b\ninstructions: |\nYou are kind.\n", "main.worker:3:1: E_CONFIG: malformed YAML: the text below instructions: | is not indented (indent each of its lines by two spaces more)"},
		{"no fences at all", "You are kind.\nDo this: that.\n", "main.worker:1:1: E_CONFIG: this line is not key: value (a worker is YAML with instructions:, or front matter between --- lines and a prompt)"},
		{"UTF-16, little end first", utf16("\xff\xfe", "---\nmodel: a:b\n---\nhi\n"), "main.worker:1:1: E_CONFIG: the file is UTF-16 (save it as UTF-8)"},
		{"UTF-16, big end first", utf16("\xfe\xff", "---\nmodel: a:b\n---\nhi\n"), "main.worker:1:1: E_CONFIG: the file is UTF-16 (save it as UTF-8)"},
		{"UTF-16 without a mark", utf16("\xff\xfe", "---\nmodel: a:b\n---\nhi\n")[2:], "main.worker:1:1: E_CONFIG: the file is UTF-16 (save it as UTF-8)"},
		{"a NUL byte", "---\nmodel: a:\x00b\n---\nhi\n", "main.worker:2:10: E_CONFIG: the file contains a NUL byte, so it is not a text file"},
	} {
		_, err := entryOf(Setup{FS: fstest.MapFS{"main.worker": {Data: []byte(c.text)}}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n%q\ngives  %v\nwanted %s", c.name, c.text, err, c.want)
		}
	}
}

// A fault far down a long file is found, and a long file costs no more than
// its size allows.
func TestYAMLFaultInALongFile(t *testing.T) {
	long := strings.Repeat("k: [1,\n  2]\n", 1) + strings.Repeat("# comment\n", 3000)
	_, faults := yamltree.Parse("project.yaml", []byte(long+"name: \"x\n"))
	if len(faults) != 1 || faults[0].Where.Line != 3003 {
		t.Errorf("%v", faults)
	}
	var many strings.Builder
	for i := range 20_000 {
		many.WriteString("key" + strings.Repeat("x", i%7) + ": [1]\n")
	}
	_, faults = yamltree.Parse("project.yaml", []byte(many.String()+"\tz: 1\n"))
	if len(faults) != 1 || faults[0].Code != fault.Config {
		t.Errorf("%v", faults)
	}
}
