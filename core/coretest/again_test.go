package coretest_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"golem/core/coretest"
)

// TestCasesAgain plays every case twice, the first time with a recording and the second with a
// conversation that is kept, and then plays the recording and resumes the conversation:
//
//   - two plays have the same outcome (scenario 35);
//   - a recording answers as the model did: same status, output and requests (SPEC §10);
//   - a run or chat that has ended is kept whole: resuming it uses no model and no tool, and
//     gives the same result (scenario 57).
func TestCasesAgain(t *testing.T) {
	cases, err := coretest.Cases()
	if err != nil {
		t.Fatal(err)
	}
	played, resumed := 0, 0
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, recording := coretest.Record(t.Context(), c)
				b, after := coretest.Resumed(t.Context(), c)
				if a.Trace != b.Trace || a.Requests != b.Requests || a.Output != b.Output || a.Faults != b.Faults {
					t.Errorf("two plays differ:\n%s\n%s\n---\n%s\n%s", a.Trace, a.Requests, b.Trace, b.Requests)
				}
				if replays(c.Settings) && len(recording) > 0 {
					again := coretest.Replay(t.Context(), c, recording)
					if a.Status != again.Status || a.Output != again.Output || a.Requests != again.Requests {
						t.Errorf("recorded %s %q\n%s\nreplayed %s %q\n%s", a.Status, a.Output, a.Requests, again.Status, again.Output, again.Requests)
					}
				}
				if !resumes(c.Settings) {
					return
				}
				if played++; b.Status == "ok" || b.Status == "needs_input" { // else resuming it would continue it
					resumed++
					nothingAgain(t, b, after)
				}
			})
		})
	}
	if played > 100 && resumed < played/2 { // fewer with -run
		t.Errorf("only %d of %d cases were resumed", resumed, played)
	}
}

// replays reports whether a case has model calls that a replay makes at the same moments.
func replays(s coretest.Settings) bool {
	return !s.NoReplay && s.Interrupt == "" && s.Model != "none" && s.Command != "check" && s.Command != "workers"
}

// resumes reports whether a case is a run or a chat that ends by itself.
func resumes(s coretest.Settings) bool {
	return (s.Command == "" || s.Command == "chat") && s.Interrupt == ""
}

// nothingAgain checks that a run which was resumed after its end did nothing again.
func nothingAgain(t *testing.T, whole, after coretest.Outcome) {
	t.Helper()
	if after.Status != whole.Status || after.Output != whole.Output {
		t.Errorf("%s %q was resumed as %s %q %s", whole.Status, whole.Output, after.Status, after.Output, after.Faults)
	}
	for _, asked := range []string{" model.start ", " tool.start "} {
		if strings.Contains(after.Trace, asked) {
			t.Errorf("resumed, it does again\n%s", after.Trace)
		}
	}
}
