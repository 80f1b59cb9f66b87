package core_test

import (
	"errors"
	"strings"
	"testing"

	"golem/core"
	"golem/core/approval"
	"golem/core/fault"
	"golem/core/options"
	"golem/core/run"
	"golem/core/ui"
)

// If the entry cannot be opened, a person who calls a tool gets that error, and not the error
// that there is no worker with the tool's name.
func TestCallTellsWhatIsWrongWithTheEntry(t *testing.T) {
	files := project("{say: ok}")
	files["main.worker"] = "---\ntoolsets: {lab: {}}\nallow_workers: [nothere]\n---\nM.\n"
	call := func(name string) func(*core.Instance, core.RunOptions) run.Result {
		return func(i *core.Instance, ro core.RunOptions) run.Result {
			return i.Call(t.Context(), name, run.Input{}, &ui.Script{}, ro)
		}
	}
	res, _ := play(t, t.Context(), files, core.Options{}, nil, nil, call("man"))
	if res.Error == nil || !strings.Contains(res.Error.Error(), "nothere") {
		t.Errorf("a tool of a broken entry: %v", res.Error)
	}
	res, _ = play(t, t.Context(), project("{say: ok}"), core.Options{Opening: options.Opening{Approval: string(approval.ApproveAll)}}, nil, nil, call("mann"))
	if !errors.Is(res.Error, fault.WorkerNotFound) {
		t.Errorf("a name that nobody has: %v", res.Error)
	}
}
