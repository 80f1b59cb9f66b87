package main

import (
	"cmp"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build says which golem this is. What is not known is "".
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // as git shortens it, or whole
	Date    string `json:"date,omitempty"`   // of the commit, RFC 3339
}

// buildOf returns what the linker set, and where that is missing, what Go noted of the
// repository when it built golem.
func buildOf(version, commit, date string, info *debug.BuildInfo) build {
	b := build{version, commit, date}
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

func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(version, commit, date, info)
}

// buildVersion returns golem's version, for traces and servers.
func buildVersion() string { return thisBuild().Version }

// line returns the build as golem version and the page show it.
func (b build) line() string {
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

func (h *host) versionCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "version", Short: "print golem's version, its commit and the commit's date", Args: words(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				return h.print(thisBuild().line() + "\n")
			}
			line, err := jsonLine(struct {
				Golem string `json:"golem"`
				V     int    `json:"v"`
				build
			}{"version", 1, thisBuild()})
			if err != nil {
				return err
			}
			return h.print(line)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON")
	return cmd
}
