package main

import (
	"os"
	"path/filepath"
	"testing"

	"golem/cmd/cli/console"
)

// golem web --open opens the address in the person's browser, and reports if there is
// none.
func TestBrowse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := console.Browse("http://127.0.0.1:1/"); err == nil {
		t.Error("it opened a browser that is not there")
	}
	told := filepath.Join(dir, "told")
	script := "#!/bin/sh\nprintf %s \"$*\" > " + told + ".new && /bin/mv " + told + ".new " + told + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := console.Browse("http://127.0.0.1:1/"); err != nil {
		t.Fatal(err)
	}
	var got []byte
	if !waitFor(func() bool {
		var err error
		got, err = os.ReadFile(told)
		return err == nil
	}) || string(got) != "http://127.0.0.1:1/" {
		t.Errorf("the browser was told %q", got)
	}
}
