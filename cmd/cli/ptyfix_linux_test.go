package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golem check --fix shows the changes and asks; only y and yes write.
func TestTerminalFixAsks(t *testing.T) {
	for keys, wrote := range map[string]bool{"y\n": true, "n\n": false, "\n": false, "\x04": false} {
		dir := ptyProject(t, map[string]string{"main.worker": "---\nlocked: true\n---\nhi\n"})
		r := startPTY(t, dir, nil, false, "check", "--fix", ".")
		r.expect("write this file? [y/N] ")
		r.typeKeys(keys)
		if wrote {
			r.exit(0)
		} else {
			r.exit(exitFailed)
		}
		data, err := os.ReadFile(filepath.Join(dir, "main.worker"))
		if err != nil || strings.Contains(string(data), "locked") == wrote || !strings.Contains(r.text(), "-locked: true") {
			t.Errorf("%q: %s %v\n%s", keys, data, err, r.text())
		}
	}
}
