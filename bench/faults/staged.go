//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// stagedWorker writes out/ to a mount that waits for a person.
const stagedWorker = `---
model: openai:mock
toolsets: {filesystem: {}}
limits: {turns: 100}
sandbox:
  mounts:
    - {target: /, source: ., mode: rw}
    - {target: /out, source: out, mode: staged}
---
Do as you are told.
`

// staged plays kills with a worker that stages, and compares the items of clearance.
func staged(p Plan) (string, error) {
	p.Items, p.Kills, p.Staged = min(p.Items, 200), min(p.Kills, 60), true
	seen, err := kills(p)
	if err != nil {
		return seen, err
	}
	calm, err := p.clearance(calmBatch)
	if err != nil {
		return "", err
	}
	killed, err := p.clearance(hardBatch)
	if err != nil {
		return "", err
	}
	for _, item := range slices.Sorted(maps.Keys(calm)) {
		if len(killed[item]) != 1 || killed[item][0] != calm[item][0] {
			return "", fmt.Errorf("%s staged %q undisturbed and %q with kills", item, calm[item], killed[item])
		}
	}
	if len(calm) != p.Items || len(killed) != p.Items {
		return "", fmt.Errorf("%d and %d items of clearance for %d items", len(calm), len(killed), p.Items)
	}
	return strings.TrimSuffix(seen, ": good") + "; each item staged once, with equal files: good", nil
}

// clearance returns what the items of a batch staged: by item, for each item of clearance its
// files with their digests.
func (p Plan) clearance(name string) (map[string][]string, error) {
	cmd := p.command("clearance", "list", "--json")
	cmd.Dir = filepath.Join(p.Dir, "p")
	data, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Item struct {
				State   string
				Run     string
				Changes []struct{ Path, Digest string }
			}
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, one := range list.Items {
		item, found := strings.CutPrefix(one.Item.Run, name+"/")
		if !found {
			continue
		}
		text := one.Item.State
		for _, c := range one.Item.Changes {
			text += " " + c.Path + "=" + c.Digest
		}
		out[item] = append(out[item], text)
	}
	return out, nil
}
