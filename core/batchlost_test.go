package core_test

import (
	"io/fs"
	"strings"
	"testing"

	"golem/core"
	"golem/core/batch"
	"golem/core/fault"
)

// knownSecret is a secret that golem knows in the projects of a plant.
const knownSecret = "sk-known-and-never-kept-0123456789"

// TestBatchContentNotKept tests that an item whose files golem does not keep (a secret, a large
// file) has the same end wherever golem is killed: it begins anew.
func TestBatchContentNotKept(t *testing.T) {
	for name, calls := range map[string]string{
		"a secret":     "{tool: write_file, args: {path: out.txt, content: \"key: " + knownSecret + "\"}}",
		"a large file": "{tool: move_file, args: {from: large.bin, to: out.txt}}",
	} {
		files := map[string]string{
			"main.worker": "---\ntoolsets: {filesystem: {}}\n---\nM.\n",
			"s.yaml":      "script: 1\nworkers:\n  main:\n    - when: {turn: 1}\n      calls:\n        - " + calls + "\n    - when: {turn: 2}\n      calls:\n        - {tool: write_file, args: {path: b.txt, content: \"b\"}}\n    - say: done\n",
		}
		want := "key: " + knownSecret
		if name == "a large file" {
			want = strings.Repeat("x", 16<<20+1)
			files["large.bin"] = want
		}
		for writes := int64(0); ; writes++ {
			p := newPlant(t, files)
			first := newProcess(writes)
			p.run(t, first, "")
			died := first.left.Load() < 0
			r := p.run(t, newProcess(lives), "")
			got, err := fs.ReadFile(p.outputs, "x/out.txt")
			if r.Status != batch.OK || err != nil || string(got) != want {
				t.Errorf("%s, killed at write %d: %s %v, %d bytes %v", name, writes, r.Status, fault.Of(r.Error, fault.Config), len(got), err)
			}
			if !died {
				break
			}
		}
	}
}

// secretThenFetch writes a file that golem does not keep, then asks the network.
var secretThenFetch = map[string]string{
	"main.worker": "---\ntoolsets: {filesystem: {}, web: {}}\nsandbox: {network_enabled: true}\n---\nM.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {turn: 1}
      calls: [{tool: write_file, args: {path: out.txt, content: "key: ` + knownSecret + `"}}]
    - when: {turn: 2}
      calls: [{tool: web_fetch, args: {url: "https://example.org/a"}}]
    - say: done
`,
}

// TestBatchContentNotKeptBehindTheNetwork tests that an item whose files are lost with golem, and
// that asked the network before, begins anew only if --doubt says so.
func TestBatchContentNotKeptBehindTheNetwork(t *testing.T) {
	for doubt, want := range map[string]batch.Status{"": batch.Failed, core.BatchFail: batch.Failed, core.BatchRepeat: batch.OK} {
		p := newPlant(t, secretThenFetch)
		killed := newProcess(lives)
		p.onFetch = killed.kill
		p.run(t, killed, doubt)
		r := p.run(t, newProcess(lives), doubt)
		if r.Status != want || want == batch.Failed && (r.Error.Code != fault.Conflict || p.fetched.Load() != 1) {
			t.Errorf("%q: %s %v, %d requests", doubt, r.Status, fault.Of(r.Error, fault.Config), p.fetched.Load())
		}
		if want == batch.OK && !strings.Contains(p.trace, "it begins anew, because out.txt was not kept") {
			t.Errorf("the trace does not say why: %s", p.trace)
		}
	}
}

// TestBatchAnewIsNoProgress tests that an item that begins anew each time and kills golem at the
// same place ends as E_INTERRUPTED.
func TestBatchAnewIsNoProgress(t *testing.T) {
	p := newPlant(t, secretThenFetch)
	for deaths := 0; deaths < 10; deaths++ {
		killed := newProcess(lives)
		p.onFetch = killed.kill
		p.fetched.Store(0)
		if r := p.run(t, killed, core.BatchRepeat); r.Status.Ended() {
			if r.Status != batch.Failed || r.Error.Code != fault.Interrupted || deaths > 4 {
				t.Errorf("after %d deaths: %s %v", deaths, r.Status, r.Error)
			}
			return
		}
	}
	t.Error("it never ends")
}
