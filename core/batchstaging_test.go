package core_test

import (
	"errors"
	"strings"
	"testing"

	"golem/core"
	"golem/core/batch"
	"golem/core/fault"
)

// SECURITY 1, 29: a machine that works for a batch is not trusted with what an item staged there:
// what no sandbox of the project lets pass is E_TRUST, and nothing of the item waits for a push.
func TestStagedElsewhereIsChecked(t *testing.T) {
	p := newPlant(t, map[string]string{
		"main.worker": `---
toolsets: {filesystem: {}}
sandbox:
  mounts:
    - {target: /, source: ., mode: rw}
    - {target: /notes, source: notes, mode: staged, suffixes: [.md], max_file_bytes: 10}
---
M.
`,
		"notes/old.md": "old",
	})
	inst := p.opened(t)
	s, err := core.StagingHere(inst, inst.Clearance())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes/a.md", "notes/deep/B.MD", "notes/old.md"} {
		if err := s.Check([]batch.Change{{Name: name, Data: []byte("text")}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Check([]batch.Change{{Name: "notes/old.md", Removed: true}}); err != nil {
		t.Errorf("removed: %v", err)
	}
	short := []byte("x")
	for what, changes := range map[string][]batch.Change{
		"another directory":   {{Name: "other/a.md", Data: short}},
		"a name beside":       {{Name: "notes.md", Data: short}},
		"a way out":           {{Name: "notes/../main.worker", Data: short}},
		"out of the project":  {{Name: "../a.md", Data: short}},
		"absolute":            {{Name: "/notes/a.md", Data: short}},
		"nothing":             {{Data: short}},
		"state of golem":      {{Name: "notes/.golem/a.md", Data: short}},
		"hooks":               {{Name: "notes/.git/hooks/a.md", Data: short}},
		"secrets":             {{Name: "notes/.env.md", Data: short}},
		"an escape sequence":  {{Name: "notes/\x1b[2J.md", Data: short}},
		"a device":            {{Name: "notes/con.md", Data: short}},
		"another suffix":      {{Name: "notes/a.sh", Data: short}},
		"too large":           {{Name: "notes/a.md", Data: []byte(strings.Repeat("x", 11))}},
		"twice":               {{Name: "notes/a.md", Data: short}, {Name: "notes/A.md", Data: short}},
		"one of several":      {{Name: "notes/a.md", Data: short}, {Name: "main.worker", Data: short}},
		"removed, elsewhere":  {{Name: "other/a.md", Removed: true}},
		"removed, and secret": {{Name: "notes/.env", Removed: true}},
	} {
		if err := s.Check(changes); !errors.Is(err, fault.Trust) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
