package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The question about trust names the content and the signer of a packed project;
// a yes belongs to these bytes and this key: it holds for the next run, and not
// for the same content unsigned. The password of the key is not on the screen
// (scenario 54).
func TestPackedAsksForTrust(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := ptyProject(t, map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\nmodel_settings: {extra: {logit_bias: {}}}\n---\nHi.\n",
		"s.yaml":      "script: 1\nworkers: {main: [{say: hi}]}\n",
	})
	if err := os.Rename(p, filepath.Join(dir, "wide")); err != nil {
		t.Fatal(err)
	}
	r := startPTY(t, dir, nil, false, "pack", "--new-key", "my.key")
	r.expect("Password for the new key: ")
	r.typeKeys("\n")
	r.exit(0)
	r = startPTY(t, dir, nil, false, "pack", "wide", "--sign", "my.key", "-o", "signed.golem")
	r.exit(0)
	startPTY(t, dir, nil, false, "pack", "wide", "-o", "plain.golem").exit(0)

	r = startPTY(t, dir, nil, false, "run", "signed.golem", "go", "--plain")
	r.expect("packed project (wide.golem)")
	r.expect("signed with the key RW")
	r.expect("main.worker:3")
	r.expect("[y]es")
	r.typeKeys("y\n")
	r.exit(0)
	r.expect("hi")
	startPTY(t, dir, nil, false, "run", "signed.golem", "go", "--plain").exit(0)
	r = startPTY(t, dir, nil, false, "run", "plain.golem", "go", "--plain")
	r.expect("nobody signed it")
	r.expect("[y]es / [n]o")
	r.typeKeys("n\n")
	r.exit(1)
}
