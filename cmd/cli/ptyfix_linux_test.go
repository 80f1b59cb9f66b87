package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

// golem check --fix shows the changes and asks; only y and yes write. An answer that is neither yes
// nor no is asked for again, three times at most.
func TestTerminalFixAsks(t *testing.T) {
	for keys, wrote := range map[string]bool{"y\n": true, "n\n": false, "\n": false, "\x04": false, "hello\n yes\n": true, "a\n b\n c\n": false} {
		dir := ptyProject(t, map[string]string{"main.worker": "---\nlocked: true\n---\nhi\n"})
		r := startPTY(t, dir, nil, false, "check", "--fix", ".")
		r.expect("write this file? [y/N] ")
		for n, line := range strings.Split(keys, " ") { // what is typed before a question is no answer
			r.expectTimes("[y/N] ", n+1)
			r.typeKeys(line)
		}
		if wrote {
			r.exit(0)
		} else {
			r.exit(console.ExitFailed)
		}
		data, err := os.ReadFile(filepath.Join(dir, "main.worker"))
		if err != nil || strings.Contains(string(data), "locked") == wrote || !strings.Contains(r.text(), "-locked: true") {
			t.Errorf("%q: %s %v\n%s", keys, data, err, r.text())
		}
	}
}

// SPEC §7: a diff of more than a screen stops after each screen, and the question comes after
// its end; a no on any page ends it without one.
func TestTerminalLongDiffsArePaged(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\n---\nW.\n",
		"old.txt":     strings.Repeat("old line\n", 59) + "the last old line\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /old.txt, content: \"x\\n\"}}]\n    - say: done\n",
	})
	startPTY(t, dir, nil, false, ".", "go", "--plain").exit(0)
	r := startPTY(t, dir, nil, false, "undo")
	r.expect("more lines. Enter: the next page, n: no: ")
	r.typeKeys("n\n")
	r.expect("nothing was written")
	r.exit(console.ExitFailed)
	if strings.Contains(r.text(), "[y/N]") || strings.Contains(r.text(), "the last old line") {
		t.Error(r.text())
	}
	r = startPTY(t, dir, nil, false, "undo")
	r.expect("more lines. Enter: the next page, n: no: ")
	r.typeKeys("y\n") // no answer yet: the next page, which is the last
	r.expect("the last old line")
	r.expect("put back 1 file? [y/N] ")
	r.typeKeys("y\n")
	r.exit(0)

	files := map[string]string{}
	for n := range 12 {
		files[fmt.Sprintf("workers/w%d.worker", n)] = "---\nlocked: true\n---\nhi\n"
	}
	files["main.worker"] = "---\nmodel: script:s.yaml\n---\nW.\n"
	r = startPTY(t, ptyProject(t, files), nil, false, "check", "--fix", ".")
	r.expect("more lines. Enter: the next page, n: no: ")
	r.typeKeys("n\n")
	r.expect("nothing was written")
	r.exit(console.ExitFailed)
	if strings.Contains(r.text(), "[y/N]") {
		t.Error(r.text())
	}
}

// The question of golem undo says what it does: a file that the run made is removed,
// not written. golem clearance discard asks, too.
func TestTerminalUndoAndDiscardAsk(t *testing.T) {
	dir := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: preApproved}}}\nsandbox: {mounts: [{target: /, source: ., mode: rw}, {target: /data, source: data, mode: staged}]}\n---\nW.\n",
		"data/a.txt":  "a\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /minutes.md, content: \"x\\n\"}}, {tool: write_file, args: {path: /data/a.txt, content: \"b\\n\"}}]\n    - say: done\n",
	})
	startPTY(t, dir, nil, false, ".", "go", "--plain").exit(0)
	r := startPTY(t, dir, nil, false, "undo")
	r.expect("remove minutes.md? [y/N] ")
	r.typeKeys("y\n")
	r.exit(0)
	if _, err := os.Stat(filepath.Join(dir, "minutes.md")); !os.IsNotExist(err) {
		t.Error(err)
	}
	r = startPTY(t, dir, nil, false, "clearance", "discard")
	r.expect("1 file? [y/N] ")
	r.typeKeys("\n")
	r.exit(console.ExitFailed)
	r = startPTY(t, dir, nil, false, "clearance", "discard")
	r.expect("discard item 1 ")
	r.expect("[y/N] ")
	r.typeKeys("y\n")
	r.exit(0)
}
