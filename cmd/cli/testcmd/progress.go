package testcmd

import (
	"fmt"

	"golem/core/ui/plain"
	"golem/core/worktest"

	"golem/cmd/cli/console"
)

// progress shows on a terminal how many cases have ended.
type progress struct {
	spinner *plain.Spinner
	stop    func()
}

// newProgress returns a progress line; a quiet one shows nothing, because a person may be
// asked meanwhile.
func newProgress(c *console.Console, quiet bool) *progress {
	p := &progress{stop: func() {}}
	if !quiet {
		p.spinner, p.stop = c.Spinner()
		p.spinner.Wait("running tests")
	}
	return p
}

// Judged shows how many cases have ended, and whether the last one passed.
func (p *progress) Judged(v worktest.Verdict, done, total int) {
	if p.spinner != nil {
		p.spinner.Wait(fmt.Sprintf("%d of %d: %s: %s", done, total, v.File, v.Case))
	}
}

func (p *progress) end() { p.stop() }
