package migrate

import (
	"slices"
	"testing"

	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// TestReadsAreTheReadingTools tests that the file tools whose calls need no approval are those
// that golem's toolset calls reading, no more and no fewer.
func TestReadsAreTheReadingTools(t *testing.T) {
	filesystem := toolset.Filesystem()
	set, err := toolset.NewRegistry(filesystem).Open(t.Context(), filesystem.Name, nil, toolset.Env{Files: sandbox.Memory()})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, one := range set.Tools() {
		s := one.Spec()
		all = append(all, s.Name)
		if reading := s.Risk == tool.Read; reading != slices.Contains(reads, s.Name) {
			t.Errorf("%s has the risk %s; reads in core/migrate/approval.go has exactly the file tools with the risk read", s.Name, s.Risk)
		}
	}
	for _, name := range reads {
		if !slices.Contains(all, name) {
			t.Errorf("reads in core/migrate/approval.go has %s, which the toolset filesystem does not have", name)
		}
	}
}
