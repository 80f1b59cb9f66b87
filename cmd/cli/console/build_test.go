package console

import (
	"runtime/debug"
	"testing"
)

// The linker's values count; without them golem says what Go noted of the repository.
func TestBuild(t *testing.T) {
	noted := &debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.time", Value: "2026-11-26T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	for _, c := range []struct {
		version, commit, date string
		info                  *debug.BuildInfo
		want                  string
	}{
		{"v1.0.0", "def456", "2026-12-01T00:00:00Z", noted, "golem v1.0.0 (commit def456, 2026-12-01T00:00:00Z)"},
		{"", "", "", noted, "golem v0.2.0 (commit abc123-dirty, 2026-11-26T10:00:00Z)"},
		{"v1.0.0", "", "", nil, "golem v1.0.0"},
		{"", "", "", nil, "golem unknown"},
		{"", "", "", &debug.BuildInfo{}, "golem unknown"},
	} {
		if got := BuildOf(c.version, c.commit, c.date, c.info).Line(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
