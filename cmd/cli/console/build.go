package console

import (
	"cmp"
	"runtime/debug"
)

// Build says which golem this is. What is not known is "".
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // as git shortens it, or whole
	Date    string `json:"date,omitempty"`   // of the commit, RFC 3339
}

// BuildOf returns what the linker set, and where that is missing, what Go noted of the
// repository when it built golem.
func BuildOf(version, commit, date string, info *debug.BuildInfo) Build {
	b := Build{version, commit, date}
	if info == nil {
		b.Version = cmp.Or(b.Version, "unknown")
		return b
	}
	changed := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = cmp.Or(b.Commit, s.Value)
		case "vcs.time":
			b.Date = cmp.Or(b.Date, s.Value)
		case "vcs.modified":
			if s.Value == "true" && commit == "" {
				changed = "-dirty"
			}
		}
	}
	if b.Commit != "" {
		b.Commit += changed
	}
	b.Version = cmp.Or(b.Version, info.Main.Version, "unknown")
	return b
}

// Line returns the build as golem version and the page show it.
func (b Build) Line() string {
	more := ""
	if b.Commit != "" {
		more = "commit " + b.Commit
	}
	if b.Date != "" {
		if more != "" {
			more += ", "
		}
		more += b.Date
	}
	if more != "" {
		more = " (" + more + ")"
	}
	return "golem " + b.Version + more
}
