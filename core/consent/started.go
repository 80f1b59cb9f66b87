package consent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/started"
	"golem/core/trust"
)

// starting sets what a widening starts of the project's files: their digests become part of
// what is trusted, and the question names them.
func (b *beyond) starting(w trust.Widening, line started.Command) trust.Widening {
	tree := b.project.Trees.Work()
	if tree.FS == nil {
		return w
	}
	s := tree.Of(line)
	lines, scope := tree.Digest(s)
	var says []string
	switch names := strings.Join(s.Files, ", "); len(s.Files) {
	case 0:
	case 1:
		says = append(says, "this file of the project is started: "+names)
	default:
		says = append(says, "these files of the project are started: "+names)
	}
	made := b.changes.counts()
	switch scope {
	case started.Any:
		lines = append(lines, anyFile+counted(made.Any))
		says = append(says, "any file of the project may run with it, and after a worker changed one golem asks again")
	case started.Code:
		lines = append(lines, anyCode+counted(made.Code))
		says = append(says, "other code of the project may run with it, and after a worker changed code golem asks again")
	}
	w.Started = strings.Join(lines, "\n")
	w.Means = strings.Join(append(says, w.Means), "; ")
	return w
}

// The lines of trust.Widening.Started for files that are not digested.
const (
	anyFile = "any file of the project"
	anyCode = "any code of the project"
)

func counted(n int) string {
	if n == 0 {
		return ""
	}
	return ", changed " + fault.Count(n, "time") + " by workers"
}

// whyAskedAgain returns why a person is asked again about a setting of a list that they trusted
// before; "" if they did not.
func whyAskedAgain(w trust.Widening, stored trust.List) string {
	why := ""
	for _, old := range stored {
		if old.File != w.File || old.Path != w.Path || old.Same(w) {
			continue
		}
		switch {
		case old.Value == w.Value && old.Module == w.Module && old.Started == "":
			why = "golem now counts the files that it starts, which an older golem did not"
		case old.Value == w.Value && old.Module == w.Module:
			why = startedChange(old.Started, w.Started)
		case old.Value != w.Value && shortened(old.Value) == shortened(w.Value):
			why = shorter
		case old.Module != w.Module && old.Value == w.Value:
			why = "the module changed"
		default:
			continue
		}
		return "asked again: " + why
	}
	return ""
}

const shorter = "this entry was stored with a shorter fingerprint by an older golem"

// startedChange says what changed of the files that are started.
func startedChange(was, is string) string {
	old, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	var names []string
	for _, l := range now {
		if slices.Contains(old, l) {
			continue
		}
		if strings.HasPrefix(l, anyFile) || strings.HasPrefix(l, anyCode) {
			return "a worker changed files of the project since you trusted it"
		}
		_, name, _ := strings.Cut(l, " ")
		names = append(names, name)
	}
	if len(names) == 0 {
		return "it starts other files than before"
	}
	return strings.Join(names, ", ") + " changed since you trusted it"
}

// fingerprints are the whole ones, and those of 8 bytes that older versions of golem kept.
var fingerprints = regexp.MustCompile(`(sha256:|at )([0-9a-f]{16})([0-9a-f]{48})?`)

// shortened returns a value with its fingerprints as older versions of golem kept them.
func shortened(value string) string { return fingerprints.ReplaceAllString(value, "$1$2") }

// startedFiles returns the files that the settings of a list start.
func startedFiles(stored trust.List) []string {
	var names []string
	for _, w := range stored {
		for _, line := range strings.Split(w.Started, "\n") {
			kind, name, _ := strings.Cut(line, " ")
			if name, _, _ = strings.Cut(name, " -> "); strings.HasPrefix(kind, "sha256:") || kind == "outside" {
				names = append(names, name)
			}
		}
	}
	return names
}

// rule returns the widening for a setting that approves calls in advance. If it is a rule
// on commands that names files of the project, their digests are part of it.
func (b *beyond) rule(a approval.Widening) trust.Widening {
	w := trust.Setting(a)
	if a.Rule == nil {
		return w
	}
	line, ok := project.RuleCommand(*a.Rule)
	if !ok {
		return w
	}
	tree := b.project.Trees.Work()
	if tree.FS == nil {
		return w
	}
	if s := tree.Of(line); len(s.Files) > 0 {
		lines, _ := tree.Digest(s)
		w.Started = strings.Join(lines, "\n")
		w.Means = "files of the project that it starts: " + strings.Join(s.Files, ", ")
	}
	return w
}

// serverLine returns the command line of an MCP server; false if its configuration has none.
func serverLine(config map[string]any) (started.Command, bool) {
	raw, err := json.Marshal(config)
	if err != nil {
		return started.Command{}, false
	}
	return project.ServerCommand(string(raw))
}
