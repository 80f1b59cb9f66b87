//go:build !js

package osfs

import "testing"

func TestShortName(t *testing.T) {
	for name, want := range map[string]bool{
		"GIT~1": true, "git~12": true, "PROJEC~1.YAM": true, "GI7EB9~1": true, "ENV~1": true, "a~1.wor": true, "~1": true,
		"a": false, "~": false, "a~": false, "a~b": false, "notes~1.markdown": false, "longer-name~1": false, "a~1.b.cd": false, ".git": false,
	} {
		if got := shortName(name); got != want {
			t.Errorf("shortName(%q) = %v", name, got)
		}
	}
}
