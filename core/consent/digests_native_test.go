//go:build !js

package consent

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No digest that stands for a value is cut (SPEC §3). The places named here only need
// a file name.
func TestNoCutDigests(t *testing.T) {
	allowed := map[string]bool{"cmd/cli/secretstore/signin.go": true, "cmd/cli/session/writing.go": true, "web/build/serviceworker.go": true}
	root := "../.."
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || name == filepath.Join(root, "build")) {
			return filepath.SkipDir // build too: each check writes there, and go test would not keep the result of this package
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(name)
		for _, line := range strings.Split(string(data), "\n") {
			if _, after, cut := strings.Cut(line, "sum[:"); cut && !strings.HasPrefix(after, "]") {
				rel, _ := filepath.Rel(root, name)
				found[filepath.ToSlash(rel)] = true
			}
		}
		return err
	})
	if err != nil || !maps.Equal(found, allowed) {
		t.Errorf("%v: %v", err, found)
	}
}
