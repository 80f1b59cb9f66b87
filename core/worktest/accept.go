package worktest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/yamltree"
)

// NewCase is a case that was made of a run.
type NewCase struct {
	Run     string // the name of the run
	Worker  string // an ID
	Name    string
	Input   json.RawMessage // a JSON string or an object
	Attach  []string        // files of the project
	Files   map[string]string
	Answers []Answer
	Status  string // ok, needs_input or an error code
	Output  json.RawMessage
	After   map[string]*string // files that the run changed; nil: removed
	Lines   []byte             // its recording
	Beside  []AcceptedFile     // those of Attach that the project does not have yet
}

// expect returns what the case expects, as JSON.
func (c *NewCase) expect() map[string]any {
	out := map[string]any{}
	if c.Status != "ok" {
		out["status"] = c.Status
	}
	if c.Status == "ok" || c.Status == "needs_input" {
		out["output"] = map[string]json.RawMessage{"equals": c.Output}
	}
	files := map[string]any{}
	for name, text := range c.After {
		if files[name] = "absent"; text != nil {
			files[name] = map[string]string{"equals": *text}
		}
	}
	if len(files) > 0 {
		out["files"] = files
	}
	return out
}

// Key returns a text that two cases have in common if their inputs are equal.
func (c *NewCase) Key() string { return InputKey(c.Worker, c.Input, c.Attach) }

// Copied returns the content of a file that the case brings along. c may be nil.
func (c *NewCase) Copied(name string) (data []byte, ok bool) {
	if c != nil {
		for _, f := range c.Beside {
			if f.Path == name {
				return f.Content(), true
			}
		}
	}
	return nil, false
}

// Named gives cases that have the same name names of their own.
func Named(cases []*NewCase) {
	used := map[string]bool{}
	for _, c := range cases {
		name := c.Name
		for n := 2; used[c.Name]; n++ {
			c.Name = fmt.Sprintf("%s (%d)", name, n)
		}
		used[c.Name] = true
	}
}

// InputKey returns a text that two inputs of a worker, with their attached files, have in common
// if they are equal.
func InputKey(worker string, input json.RawMessage, attached []string) string {
	if canonical, err := tool.Canonical(input); err == nil {
		input = canonical
	}
	return strings.Join(append([]string{worker, string(input)}, attached...), "\x00")
}

// YAML returns a file of tests. worker is a reference; "" is the entry. Values are JSON, which
// is YAML.
func YAML(worker string, cases []*NewCase) ([]byte, error) {
	var b bytes.Buffer
	var failed error
	put := func(before string, v any) {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			failed = fault.New(fault.Config, "the case cannot be written as YAML: %w", err)
		}
		b.WriteString(before + strings.TrimSpace(line.String()) + "\n")
	}
	b.WriteString("test: 1\n")
	if worker != "" {
		put("worker: ", worker)
	}
	b.WriteString("cases:\n")
	for _, c := range cases {
		put("  - name: ", c.Name)
		put("    input: ", c.Input)
		if len(c.Attach) > 0 {
			put("    attach: ", c.Attach)
		}
		if len(c.Files) > 0 {
			put("    files: ", c.Files)
		}
		if len(c.Answers) > 0 {
			b.WriteString("    answers:\n")
		}
		for _, a := range c.Answers {
			decide := "no"
			if a.Yes {
				decide = "yes"
			}
			put("      - ", map[string]string{"tool": a.Tool, "decide": decide})
		}
		put("    expect: ", c.expect())
	}
	return b.Bytes(), failed
}

// maxCaseName is the longest name that a new case gets, in bytes, before Named makes it unique.
const maxCaseName = 200

// CaseName returns a title as the name of a case: without characters that nobody sees.
func CaseName(title string) string {
	shown := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case yamltree.Invisible(string(r)):
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, ""))
	shown = strings.Join(strings.Fields(shown), " ")
	return strings.TrimSpace(strings.ToValidUTF8(shown[:min(len(shown), maxCaseName)], ""))
}

// FileFor returns the path of a new file of tests with a title. exists reports whether a file is
// there. The file has a name that every system can store, and recordings of its own.
func FileFor(title string, exists func(name string) bool) string {
	stem := strings.Trim(plainName(title), "-")
	for strings.Contains(stem, "--") {
		stem = strings.ReplaceAll(stem, "--", "-")
	}
	if stem == "" {
		stem = "accepted"
	}
	if sandbox.ValidNew(stem) != nil { // con is a device on Windows
		stem += "-case"
	}
	name := Dir + "/" + stem
	for n := 2; exists(name+".yaml") || exists(name+".yml"); n++ {
		name = fmt.Sprintf("%s/%s-%d", Dir, stem, n)
	}
	return name + ".yaml"
}

// Accepted are cases made of runs, before they are written.
type Accepted struct {
	Cases []AcceptedCase `json:"cases"`
	Files []AcceptedFile `json:"files"` // the files of tests, then their recordings and attached files
	Left  []LeftOut      `json:"left"`  // runs that are no case, and why
	Draft string         `json:"draft"` // digest of the files; "" if there are none
}

// NothingAccepted is a value to which cases can be added.
func NothingAccepted() *Accepted {
	return &Accepted{Cases: []AcceptedCase{}, Files: []AcceptedFile{}, Left: []LeftOut{}}
}

// AcceptedCase names a case, and the run of which it was made.
type AcceptedCase struct {
	Run  string `json:"run"`
	File string `json:"file"` // of tests
	Case string `json:"case"` // its name
}

// AcceptedFile is a file that is to be written.
type AcceptedFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
	// Data is the content of a file that is no text; Text then says what it is.
	Data []byte `json:"data,omitempty"`
}

// Content returns the bytes of the file.
func (f AcceptedFile) Content() []byte {
	if f.Data != nil {
		return f.Data
	}
	return []byte(f.Text)
}

// Add adds a file of tests with cases, which have names of their own, and their recordings.
func (a *Accepted) Add(file, worker string, cases []*NewCase) error {
	text, err := YAML(worker, cases)
	if err != nil {
		return err
	}
	if _, faults := Read(file, text); len(faults) > 0 {
		return faults
	}
	tests := len(a.Names())
	files := append(append([]AcceptedFile{}, a.Files[:tests]...), AcceptedFile{Path: file, Text: string(text)})
	a.Files = append(files, a.Files[tests:]...)
	for _, c := range cases {
		a.Cases = append(a.Cases, AcceptedCase{c.Run, file, c.Name})
		a.Files = append(a.Files, AcceptedFile{Path: RecordingOf(file, c.Name, "", 0, false), Text: string(c.Lines)})
		for _, f := range c.Beside {
			if !slices.ContainsFunc(a.Files, func(other AcceptedFile) bool { return other.Path == f.Path }) {
				a.Files = append(a.Files, f)
			}
		}
	}
	sum := sha256.New()
	for _, f := range a.Files {
		fmt.Fprintf(sum, "%q %q %q\n", f.Path, f.Text, f.Data)
	}
	a.Draft = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// Names returns the paths of the files of tests.
func (a *Accepted) Names() (out []string) {
	for _, f := range a.Files {
		if !strings.HasPrefix(f.Path, Recordings+"/") {
			out = append(out, f.Path)
		}
	}
	return out
}

// Text returns everything that is to be written, and what was left out, for people. Without
// recordings it leaves out what models answered, which is for programs.
func (a *Accepted) Text(recordings bool) string {
	var b strings.Builder
	for _, f := range a.Files {
		if recordings || !strings.HasPrefix(f.Path, Recordings+"/") {
			b.WriteString(f.Path + "\n\n  " + strings.ReplaceAll(strings.TrimRight(f.Text, "\n"), "\n", "\n  ") + "\n\n")
		}
	}
	for _, l := range a.Left {
		b.WriteString("left out: " + l.From + ": " + l.Why + "\n")
	}
	return b.String()
}
