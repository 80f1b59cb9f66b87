//go:build !js

package model

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// blessed writes got into the provider's file if GOLEM_UPDATE is set: as the expected
// result of the answer of a kind, or, if kind is "", as the request. Read what changed
// before you commit it.
func blessed(t *testing.T, provider, kind string, got any) bool {
	t.Helper()
	if os.Getenv("GOLEM_UPDATE") == "" {
		return false
	}
	file := filepath.Join("modeltest", "providers", provider+".txtar")
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range a.Files {
		switch {
		case kind == "" && f.Name == "request":
			a.Files[i].Data = []byte(got.(string))
		case kind != "" && f.Name == "want/"+kind:
			data, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			a.Files[i].Data = append(data, '\n')
		}
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
	return true
}
