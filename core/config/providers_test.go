package config

import (
	"slices"
	"strings"
	"testing"

	"golem/core/model"
)

// TestProvidersAreKnown tests that the names of providers that golem puts into a hint are those
// of the table of providers, which this package does not import.
func TestProvidersAreKnown(t *testing.T) {
	var want []string
	for _, p := range model.Rows() {
		want = append(want, p.Name)
	}
	known := strings.Fields(knownProviders)
	for _, name := range want {
		if !slices.Contains(known, name) {
			t.Errorf("knownProviders in core/config/modelhint.go does not have %s of core/model/rows.go", name)
		}
	}
	for _, name := range known {
		if !slices.Contains(want, name) {
			t.Errorf("knownProviders in core/config/modelhint.go has %s, which core/model/rows.go does not have", name)
		}
	}
	for other, name := range OtherProviders {
		if !slices.Contains(want, name) {
			t.Errorf("OtherProviders in core/config/modelhint.go calls %s %s, which core/model/rows.go does not have", other, name)
		}
	}
	for _, f := range families {
		if !slices.Contains(want, f.provider) {
			t.Errorf("families in core/config/modelhint.go has %s, which core/model/rows.go does not have", f.provider)
		}
	}
}
