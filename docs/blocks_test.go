//go:build !js

package docs_test

import (
	"strings"
	"testing"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/model"
	"golem/core/wasmtool"
	"golem/core/yamltree"
)

// blockFaults returns what is wrong with a block of YAML as a file of one of golem's kinds; nil
// if there is a kind in which nothing is.
func blockFaults(text string) error {
	if strings.HasPrefix(text, "---\n") {
		text, _, _ = strings.Cut(text[4:], "\n---")
	}
	if strings.HasPrefix(text, "lib:") { // settings for the workers of a library
		_, text, _ = strings.Cut(text, "\n")
		text = strings.ReplaceAll("\n"+text, "\n  ", "\n")
	}
	if strings.HasPrefix(text, "script: ") {
		_, err := model.Open("script:s.yaml", model.Config{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		return err
	}
	if strings.HasPrefix(text, "lock: ") {
		_, faults := yamltree.Parse("tools.lock", []byte(text))
		return faults.Err()
	}
	_, least := wasmtool.ParseSidecar([]byte(text), "tools.yaml")
	if least == nil {
		return nil
	}
	fewest := -1
	tree, faults := yamltree.Parse("block", []byte(text))
	if len(faults) > 0 {
		return faults.Err()
	}
	for _, f := range config.Files {
		c := &yamltree.Conformer{}
		c.Conform(tree, f.Shape, "")
		if n := len(withoutMissing(c.Faults)); n == 0 {
			return nil
		} else if fewest < 0 || n < fewest {
			fewest, least = n, c.Faults.Err()
		}
	}
	return least
}

// withoutMissing returns the faults, without those that a part of a file has because it is not
// the whole.
func withoutMissing(all fault.List) fault.List {
	var out fault.List
	for _, f := range all {
		if !strings.Contains(f.Message, "missing") {
			out = append(out, f)
		}
	}
	return out
}

// TestBlocksOfYAMLAreValid tests that each block of YAML in the pages for users is what golem
// accepts: in a worker, a manifest, lib.yaml, config.yaml, a file of tests, a script or a
// description of tools.
func TestBlocksOfYAMLAreValid(t *testing.T) {
	n := 0
	for _, name := range userPages(t) {
		for _, b := range block.FindAllStringSubmatch(page(t, name), -1) {
			if b[1] != "yaml" || strings.HasPrefix(b[2], "services:") {
				continue
			}
			n++
			if err := blockFaults(b[2]); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, b[2])
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d blocks of YAML", n)
	}
	if err := blockFaults("toolsetz: {filesystem: {}}\n"); err == nil {
		t.Error("a misspelt key is accepted")
	}
}
