package approval

import (
	"context"
	"fmt"
	"testing"

	"golem/core/tool"
)

// The gate does what Forecast predicts, for every mode, setting, risk and exec (scenario 55).
func TestForecastIsWhatTheGateDoes(t *testing.T) {
	for _, mode := range []Mode{Interactive, ApproveAll, AutoDeny, "nonsense"} {
		for _, within := range []bool{false, true} {
			for _, risk := range []tool.Risk{"", tool.Read, tool.Write, tool.Network, tool.Destructive, tool.Command} {
				for _, exec := range []tool.Exec{"", tool.ExecBoth, tool.ExecManual} {
					for _, set := range []Setting{"", PreApproved, Ask, Blocked, "nonsense"} {
						asked := false
						g := NewGate(mode, approverFunc(func(_ context.Context, r Request) (Decision, error) {
							asked = true
							return Decision{ID: r.ID, Answer: No}, nil
						}))
						g.SandboxOnly = within
						tl := plainTool("x", risk)
						tl.spec.Exec = exec
						p := Policy{WorkerTools: map[string]Setting{"x": set}}
						got := Refused
						switch o := do(t, g, tl, p, `{}`); {
						case asked:
							got = Asks
						case o.ran():
							got = Runs
						}
						if f := g.Forecast(tl.spec, p); f.Outcome != got {
							t.Errorf("%s: the gate %s, foretold %+v", fmt.Sprint(mode, within, risk, exec, set), got, f)
						}
					}
				}
			}
		}
	}
}
