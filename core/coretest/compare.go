package coretest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Compare returns the differences between the outcome and the case's
// expectations, in a fixed order; none means that the case passes.
func Compare(c Case, o Outcome) []string {
	s := c.Settings
	diffs := slices.Clone(o.Problems)
	want := s.Status
	if want == "" {
		want = "ok"
	}
	if o.Status != want {
		diffs = append(diffs, fmt.Sprintf("status %s, want %s: %s%s", o.Status, want, o.Output, o.Faults))
	}
	if o.Exit != s.Exit {
		diffs = append(diffs, fmt.Sprintf("exit %d, want %d", o.Exit, s.Exit))
	}
	got := map[string]string{"output": o.Output, "trace": o.Trace, "requests": o.Requests, "sent": o.Sent, "faults": o.Faults, "config": o.Config}
	for _, name := range []string{"output", "trace", "requests", "sent", "faults", "config"} {
		if w, ok := c.Want[name]; ok && strings.TrimSuffix(string(w), "\n") != strings.TrimSuffix(got[name], "\n") {
			diffs = append(diffs, fmt.Sprintf("want/%s (-want +got):\n%s", name, lineDiff(string(w), got[name])))
		}
	}
	diffs = append(diffs, compareFiles(c, o)...)
	if ids := o.askedIDs(); s.Asked != nil && !slices.Equal(ids, s.Asked) || s.Quiet && len(ids) > 0 {
		diffs = append(diffs, fmt.Sprintf("asked %v, want %v", ids, s.Asked))
	}
	return append(diffs, compareTexts(s, o.whole())...)
}

// ExpectsNothing reports whether a case compares only the status and the exit code of its run.
func (c Case) ExpectsNothing() bool {
	s := c.Settings
	return len(c.Want) == 0 && s.Asked == nil && !s.Quiet && len(s.Absent) == 0 && len(s.Contains) == 0 && len(s.Lacks) == 0
}

// compareTexts checks Contains and Lacks. If one fails, it adds the complete outcome.
func compareTexts(s Settings, whole string) []string {
	var diffs []string
	for _, text := range s.Contains {
		if !strings.Contains(whole, text) {
			diffs = append(diffs, fmt.Sprintf("nothing contains %q", text))
		}
	}
	for _, text := range s.Lacks {
		if strings.Contains(whole, text) {
			diffs = append(diffs, fmt.Sprintf("something contains %q", text))
		}
	}
	if len(diffs) > 0 {
		diffs = append(diffs, "the whole outcome:\n"+whole)
	}
	return diffs
}

func compareFiles(c Case, o Outcome) []string {
	var diffs, names []string
	for name := range c.Want {
		if rest, ok := strings.CutPrefix(name, "files/"); ok {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		got, ok := o.Files[name]
		want := c.decode("want/files/"+name, c.Want["files/"+name])
		switch {
		case !ok:
			diffs = append(diffs, fmt.Sprintf("%s does not exist", name))
		case !bytes.Equal(got, want):
			diffs = append(diffs, fmt.Sprintf("%s is %q, want %q", name, got, want))
		}
	}
	for _, name := range c.Settings.Absent {
		if _, ok := o.Files[name]; ok {
			diffs = append(diffs, fmt.Sprintf("%s exists", name))
		}
	}
	return diffs
}

func lineDiff(want, got string) string {
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
}
