package project

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/fault"
	"golem/core/options"
	"golem/core/yamltree"
)

// hostile returns inputs that must end at once in a fault with a position.
func hostile() map[string]string {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		ref := fmt.Sprintf("*a%d", i-1)
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(ref+", ", 8)+ref)
	}
	return map[string]string{
		"alias bomb":        "vars:\n  " + strings.ReplaceAll(strings.TrimSpace(bomb), "\n", "\n  "),
		"alias to itself":   "vars: &v {a: *v}",
		"unknown alias":     "vars: *nothing",
		"deep flow":         "vars: " + strings.Repeat("[", 5000),
		"deep flow closed":  "vars: {a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}",
		"deep mapping":      "vars: " + strings.Repeat("{a: ", 20_000),
		"deep sequence":     "vars: {x: [" + strings.Repeat("- ", 20_000),
		"huge key":          "vars: {" + strings.Repeat("k", 5000) + ": 1}",
		"long plain key":    strings.Repeat("k", 50_000) + ": 1",
		"not UTF-8":         "name: \xff\xfe",
		"UTF-16":            "\xff\xfen\x00a\x00m\x00e\x00",
		"NUL":               "name: a\x00b",
		"escaped NUL":       "name: \"a\\0b\"",
		"NUL in a key":      "\"na\\0me\": x",
		"tabs":              "vars:\n\ta: 1",
		"two documents":     "name: a\n--- {}\nname: b",
		"document end":      "name: a\n...\nname: b",
		"date as name":      "sandbox: 2024-01-01",
		"merge key":         "limits: {<<: {turns: 1}}",
		"merge of an alias": "retry: &r {attempts: 1}\nlimits:\n  <<: *r",
		"tag":               "name: !!binary aGk=",
		"own tag":           "vars: {a: !thing x}",
		"number as key":     "vars: {1: a}",
		"null as key":       "vars: {~: a}",
		"list as key":       "vars: {[a]: b}",
		"mapping as key":    "? {a: b}\n: c",
		"colons":            ": : :",
		"percent":           "%YAML 9.9\nname: a",
		"many values":       "vars: {a: [" + strings.Repeat("1,", 31_000) + "], b: [" + strings.Repeat("1,", 1) + "], c: &c [1,1,1], d: [" + strings.Repeat("*c,", 100) + "]}",
		"bidi in a key":     "\"na\u202eme\": x",
		"a list":            "- a",
		"a word":            "hello",
		"infinity":          "vars: {a: -.inf}",
		"no number":         "vars: {a: .nan}",
	}
}

func TestHostileYAML(t *testing.T) {
	for name, text := range hostile() {
		for file, data := range map[string]string{
			"main.worker":  "---\n" + text + "\n---\nhi\n",
			"main.yaml":    text,
			"project.yaml": text,
		} {
			if file == "main.yaml" && name == "many values" {
				continue // within the bounds of a file of its own, tested below
			}
			t.Run(name+" in "+file, func(t *testing.T) {
				s := Setup{FS: fstest.MapFS{file: {Data: []byte(data)}}, Options: options.Opening{Entry: "./" + file}}
				if file == "project.yaml" {
					s.FS.(fstest.MapFS)["main.worker"] = &fstest.MapFile{Data: []byte("instructions: x")}
					s.Options.Entry = ""
				}
				var err error
				if used := allocated(func() { _, err = entryOf(s) }); used > 64<<20 {
					t.Errorf("it allocated %d MB", used>>20)
				}
				if err == nil && name == "many values" {
					return
				}
				positioned(t, err, file)
			})
		}
	}
}

// positioned checks that an error has only faults with readable texts, each at a line
// of the file.
func positioned(t *testing.T, err error, file string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, f := range listOfFaults(err) {
		if f.Where == nil || f.Where.File != file || f.Where.Line < 1 || f.Where.Column < 1 {
			t.Errorf("no place in %s: %v %+v", file, f, f.Where)
		}
		if yamltree.Invisible(f.Message) || yamltree.Invisible(f.Hint) || len(f.Message) > 2000 {
			t.Errorf("unreadable message %q (%q)", f.Message, f.Hint)
		}
	}
}

func TestSizesAreCapped(t *testing.T) {
	for name, c := range map[string]struct{ file, data, want string }{
		"front matter": {"main.worker", "---\nvars: {a: " + strings.Repeat("x", 70_000) + "}\n---\nhi", "longer than 64 KB"},
		"worker":       {"main.worker", "---\n---\n" + strings.Repeat("x", 1<<20), "longer than 1024 KB"},
		"yaml":         {"main.yaml", "instructions: " + strings.Repeat("x", 1<<20), "longer than 1024 KB"},
		"values":       {"main.yaml", "instructions: x\nvars: {a: [" + strings.Repeat("1,", 60_000) + "]}", "more than 50000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := entryOf(Setup{FS: fstest.MapFS{c.file: {Data: []byte(c.data)}}, Options: options.Opening{Entry: "./" + c.file}})
			wantFault(t, err, fault.Config, c.want)
			positioned(t, err, c.file)
		})
	}
	big := "instructions: " + strings.Repeat("x ", 1<<18)
	if _, err := entryOf(Setup{FS: fstest.MapFS{"main.yaml": {Data: []byte(big)}}, Options: options.Opening{Entry: "./main.yaml"}}); err != nil {
		t.Error(err)
	}
}

// For text that makes parsers slow, the allocated memory grows in proportion to the
// size, up to half a megabyte.
func TestBigFilesCostLittle(t *testing.T) {
	for name, unit := range map[string]string{
		"comments": "# c\n", "keys": "k%d: 1\n", "quotes": "'", "brackets": "[", "dashes": "- ", "question marks": "? ", "anchors": "&a%d ",
		"blank": "\n", "spaces": " ", "colons": ":", "pipes": "|\n", "nested": "{a: ", "comment between": "a%d: # x\n  b\n",
	} {
		t.Run(name, func(t *testing.T) {
			cost := func(size int) uint64 {
				var b bytes.Buffer
				for i := 0; b.Len() < size; i++ {
					if strings.Contains(unit, "%d") {
						fmt.Fprintf(&b, unit, i)
					} else {
						b.WriteString(unit)
					}
				}
				var err error
				used := allocated(func() {
					_, err = entryOf(Setup{FS: fstest.MapFS{"main.yaml": {Data: b.Bytes()}}, Options: options.Opening{Entry: "./main.yaml"}})
				})
				if err == nil {
					t.Error("no error")
				}
				return used
			}
			const size = 1 << 17
			once, four := cost(size), cost(4*size)
			t.Logf("%d and %d bytes for each byte", once/size, four/(4*size))
			if four > 6*once+4*size || four > 1000*4*size {
				t.Errorf("%d bytes take %d, %d take %d", size, once, 4*size, four)
			}
		})
	}
}

func TestWhatIsNoFile(t *testing.T) {
	s := Setup{FS: fstest.MapFS{"main.worker/x": {Data: []byte("x")}, "project.yaml/x": {Data: []byte("x")}, "workers/d.worker/x": {}}, Name: "demo"}
	_, err := entryOf(s)
	wantFault(t, err, fault.Project)
	s.Options.Entry = "d"
	_, err = entryOf(s)
	wantFault(t, err, fault.WorkerNotFound)
	if _, err := Load(Setup{}); err == nil {
		t.Error("no file system, no error")
	}
	_, err = Load(Setup{FS: fstest.MapFS{".": {Mode: 0}, "project.yaml": {Mode: fs.ModeNamedPipe}}})
	wantFault(t, err, fault.Path, "not a regular file")
}
