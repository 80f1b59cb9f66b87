//go:build !js

// Package examples_test runs every example offline, in a copy: once through core
// with a scripted person who answers, and once through the command line, with the
// commands in the READMEs.
package examples_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/jstool/embedded"
	"golem/core/options"
	"golem/core/project"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/ui"
	"golem/core/wasmtool"
	"golem/core/wasmtool/wazeroengine"
	"golem/sandbox/osfs"
)

// play is one run of an example.
type play struct {
	name, dir, entry string
	text, object     string
	answer           approval.Answer // to every question; "": nobody can answer
	depth            int
	exit             int
	says             []string            // texts that the result or the error must contain
	asks             []string            // the tools whose calls needed an answer, in order
	writes           map[string][]string // file → texts that it must contain
	leaves           []string            // files that must not exist
}

var plays = []play{
	{name: "lone file", dir: "greeter", entry: "./greeter.yaml", text: "My name is Ada", says: []string{"Hello, Ada!"}},
	{name: "greeter", dir: "greeter", text: "Guten Tag, ich heiße Zoë", says: []string{"Willkommen, Zoë!"}},
	{
		name: "welcome", dir: "welcome", text: "Ada starts on Monday", answer: approval.Yes, asks: []string{"write_file"},
		says: []string{"output/letter.md"}, writes: map[string][]string{"output/letter.md": {"# Welcome, Ada!", "on Monday"}},
	},
	{name: "first lines", dir: "first-lines", text: "the first 2 lines of may.txt", says: []string{"Minutes of May\nThe roof is dry again."}},
	{name: "first lines of nothing", dir: "first-lines", text: "the first 2 lines of june.txt", says: []string{"There is no such note."}},
	{
		name: "note", dir: "note-taker", text: "Note Shelf: buy oak boards", answer: approval.Yes, asks: []string{"write_file"},
		says: []string{"/notes/Shelf.md"}, writes: map[string][]string{"notes/Shelf.md": {"# Shelf\n\n- buy oak boards\n"}},
	},
	{
		name: "note refused", dir: "note-taker", text: "Note Shelf: buy oak boards", answer: approval.No, asks: []string{"write_file"},
		says: []string{"Nothing was saved"}, leaves: []string{"notes/Shelf.md"},
	},
	{
		name: "note, nobody there", dir: "note-taker", text: "Note Shelf: buy oak boards", exit: 3, asks: []string{"write_file"},
		says: []string{"nobody could be asked"}, leaves: []string{"notes/Shelf.md"},
	},
	{
		name: "add to a note", dir: "note-taker", text: "Add to garden: mulch the roses", answer: approval.Yes, asks: []string{"edit_file"},
		writes: map[string][]string{"notes/garden.md": {"# Garden\n\n- mulch the roses\n- plant garlic"}},
	},
	{name: "add to no note", dir: "note-taker", text: "Add to boats: paint", says: []string{"There is no such note"}},
	{name: "find a note", dir: "note-taker", text: "Find balm", says: []string{"/notes/garden.md, line 4: order lemon balm seeds"}},
	{
		name: "code-analyzer", dir: "code-analyzer", text: "Review the code", answer: approval.Yes, asks: []string{"write_file"},
		says: []string{"/report/review.md"},
		writes: map[string][]string{"report/review.md": {
			"**high** /src/inventory.py:14:", "**medium** /src/report.py:15:", "/src/inventory.py:13: TODO match synonyms as well",
		}},
	},
	{
		name: "file-organizer", dir: "file-organizer", text: "Tidy the inbox", answer: approval.Always, asks: []string{"move_file"},
		says:   []string{"unsorted/readme-first.txt", "asked me to delete the others"},
		writes: map[string][]string{"desk/sorted/invoices/scan-0041.txt": {"Invoice"}, "desk/sorted/letters/untitled-1.txt": {"Aunt Rosa"}, "desk/sorted/recipes/new-2.txt": {"Lemon tart"}},
		leaves: []string{"desk/inbox/scan-0041.txt", "desk/inbox/leak.txt"},
	},
	{
		name: "orchestrator", dir: "orchestrator", text: "Put the sources in order", answer: approval.Yes, asks: []string{"write_file", "write_file"},
		says: []string{"| basket.py | true |", "| users.py | true |"},
		writes: map[string][]string{
			"output/basket.py": {"basket=None", "amount = amount + item[\"price\"]\n    return amount\n"},
			"output/users.py":  {"def find(users, name):", "is None:"},
		},
	},
	{
		name: "orchestrator refused", dir: "orchestrator", text: "Put the sources in order", answer: approval.No, asks: []string{"write_file", "write_file"},
		says: []string{"| basket.py | false | there is no corrected copy |"}, leaves: []string{"output/basket.py"},
	},
	{
		name: "pitch-deck", dir: "pitch-deck", text: "Evaluate all decks", answer: approval.Yes, asks: []string{"write_file"},
		says: []string{"1. Aurora Heat: 22 points, meet", "3. PawPilot: 7 points, pass"},
		writes: map[string][]string{"output/report.md": {
			"| 2 | LedgerLeaf | fintech | 900k EUR | 14 | watch |", "3.1 billion EUR a year", "Slide 4 asks automated readers",
		}},
	},
	{
		name: "pitch-deck refused", dir: "pitch-deck", text: "Evaluate all decks", answer: approval.No, asks: []string{"write_file"},
		says: []string{"No file was written", "2. LedgerLeaf: 14 points, watch."}, leaves: []string{"output/report.md"},
	},
	{
		name: "recursive-summarizer", dir: "recursive-summarizer", object: `{"path":"/docs"}`,
		says: []string{`"sources":4`, "Lathe: Only members with the blue badge"},
	},
	{name: "summarizer, one file", dir: "recursive-summarizer", object: `{"path":"/docs/safety.md","words":30}`, says: []string{`"sources":1`, "Goggles"}},
	{name: "summarizer, too deep", dir: "recursive-summarizer", object: `{"path":"/docs"}`, depth: 1, says: []string{`"sources":2`, "E_DEPTH"}},
	{name: "summarizer, bad input", dir: "recursive-summarizer", object: `{"path":7}`, exit: 1, says: []string{"E_TOOL_INPUT"}},
	{
		name: "data-report", dir: "data-report", object: `{"report":"/output/sales.md"}`, answer: approval.Yes, asks: []string{"write_file"},
		says:   []string{`{"best":"west","files":3,"report":"/output/sales.md"}`},
		writes: map[string][]string{"output/sales.md": {"# sales", "| west | 2026-01 – 2026-04 | 4 | 11172 | 2026-03 |", "south: \"one month is missing\"", "2026-02 is negative"}},
	},
	{name: "calculator", dir: "calculator", text: "What is 17.5 times 3?", says: []string{"The result is 52.5."}},
	{name: "calculator, approval per tool: free", dir: "calculator", entry: "./careful.worker", text: "9 plus 4", answer: approval.No, says: []string{"The result is 13."}},
	{name: "calculator, approval per tool: asks", dir: "calculator", entry: "./careful.worker", text: "9 minus 4", answer: approval.Yes, asks: []string{"subtract"}, says: []string{"The result is 5."}},
	{name: "calculator, approval per tool: refused", dir: "calculator", entry: "./careful.worker", text: "9 minus 4", answer: approval.No, asks: []string{"subtract"}, says: []string{"I was not allowed"}},
	{name: "calculator, not selected", dir: "calculator", entry: "./careful.worker", text: "9 times 4", answer: approval.Yes, says: []string{"I have no tool for that."}},
	{name: "calculator, by zero", dir: "calculator", text: "1 divided by 0", says: []string{"division by zero"}},
	{
		name: "pitch-deck, code as the entry", dir: "pitch-deck", entry: "publish", object: "{}", answer: approval.Yes, asks: []string{"write_file", "write_file", "write_file"},
		says: []string{`"/output/ledgerleaf.md"`}, writes: map[string][]string{"output/aurora-heat.md": {"Total 22 of 25: meet."}},
	},
	{name: "level 0", dir: "levels/0-file", entry: "./task.worker", text: "My kettle leaks", says: []string{"Bring the kettle"}},
	{name: "level 1", dir: "levels/1-project", text: "My bicycle squeaks", says: []string{"Thursday with the bicycle"}},
	{name: "level 2", dir: "levels/2-tools", text: "3 hours", says: []string{"37.5 euros"}},
	{name: "level 3", dir: "levels/3-workers", text: "My lamp flickers", says: []string{"Fault: worn switch", "Parts: a cord switch, two cable lugs"}},
	{name: "level 4", dir: "levels/4-templates", text: "My lamp flickers", says: []string{"Parts: a cord switch, two cable lugs"}},
	{name: "level 5", dir: "levels/5-own-tools", text: "Desk lamp, 2 hours", says: []string{"Tag: desk-lamp\nPrice: 25 euros"}},
	{name: "level 6", dir: "levels/6-libraries", text: "My lamp flickers", says: []string{"Fault: worn switch", "Parts: a cord switch, two cable lugs"}},
	{name: "data-report, bad path", dir: "data-report", object: `{"report":"/etc/passwd"}`, exit: 1, says: []string{"/report"}},
}

// library compiles each of the examples' tools once, for all tests.
var library = &wasmtool.Library{Open: func(ctx context.Context) (wasmtool.Engine, error) {
	return wazeroengine.New(ctx, wazeroengine.Options{})
}}

// TestExamples runs each example with its script, on files on disk.
func TestExamples(t *testing.T) {
	for _, p := range plays {
		t.Run(p.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(p.dir)); err != nil {
				t.Fatal(err)
			}
			inst := openExample(t, dir, p)
			if faults := inst.Check(""); len(faults) > 0 {
				t.Errorf("check: %v", faults)
			}
			person := &ui.Script{}
			if p.answer != "" {
				for range 8 {
					person.Answers = append(person.Answers, approval.Decision{Answer: p.answer})
				}
			}
			in := run.Input{Text: p.text}
			if p.object != "" {
				in.JSON = json.RawMessage(p.object)
			}
			p.judge(t, dir, inst.Run(context.Background(), in, person, core.RunOptions{}), person)
		})
	}
}

func openExample(t *testing.T, dir string, p play) *core.Instance {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	o := core.Options{Files: root.FS(), Name: filepath.Base(p.dir), Opening: options.Opening{Entry: p.entry, Model: "script:script.yaml"}}
	if p.depth > 0 {
		o.MaxDepth = &p.depth
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test",
		Site: core.Site{Files: core.Mounter(func(source string) (sandbox.FS, error) {
			return osfs.Open(filepath.Join(dir, filepath.FromSlash(source)))
		}), Libraries: []project.LibraryRoot{{Label: "libs", FS: os.DirFS(filepath.Join(dir, "libs"))}}},
		ModelSources: core.ModelSources{ReadScript: func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }},
		ToolSources:  core.ToolSources{JavaScript: embedded.Engines{}, Tools: func(string) (*wasmtool.Library, error) { return library, nil }},
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// judge compares the result of a run with what the play expects.
func (p play) judge(t *testing.T, dir string, res run.Result, person *ui.Script) {
	t.Helper()
	answer := res.Output.String()
	if res.Error != nil {
		answer = res.Error.Error()
	}
	if res.Exit() != p.exit {
		t.Errorf("exit %d, want %d: %s", res.Exit(), p.exit, answer)
	}
	for _, text := range p.says {
		if !strings.Contains(answer, text) {
			t.Errorf("the answer lacks %q:\n%s", text, answer)
		}
	}
	var asked []string
	for _, r := range person.Asked() {
		asked = append(asked, r.Tool)
	}
	if strings.Join(asked, " ") != strings.Join(p.asks, " ") {
		t.Errorf("asked for %v, want %v", asked, p.asks)
	}
	for name, texts := range p.writes {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, text := range texts {
			if !strings.Contains(string(data), text) {
				t.Errorf("%s lacks %q:\n%s", name, text, data)
			}
		}
	}
	for _, name := range p.leaves {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s exists", name)
		}
	}
}
