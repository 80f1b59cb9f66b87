package main

import (
	"strings"

	"golem/core"
	"golem/core/fault"
	"golem/core/worktest"
)

// acceptWish has the parameters of accept, beside those of every method that opens a project.
type acceptWish struct {
	Runs  []string `json:"runs"`  // IDs; none: the newest run, with All every kept one
	All   bool     `json:"all"`   // cases of all runs, leaving out those that cannot be one
	Apply string   `json:"apply"` // the draft of an earlier reply, which the person accepted
}

// acceptedTests are cases that a person was shown, with the tests that they are for.
type acceptedTests struct {
	tests *core.Tests
	made  *worktest.Accepted
}

// acceptRuns makes cases of kept runs, as golem test --accept and golem trace export --cases do.
// Without apply it writes nothing; with it, it writes the cases of an earlier reply.
func acceptRuns(c *call, want acceptWish) (any, []byte, error) {
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	if want.Apply != "" {
		draft, err := c.server.drafts.shown(o.Project, want.Apply)
		if err != nil {
			return nil, nil, err
		}
		shown, ok := draft.(*acceptedTests)
		if !ok {
			return nil, nil, fault.New(fault.Usage, "the draft is not tests")
		}
		release, err := c.server.stores.hold(o.fsys)
		if err != nil {
			return nil, nil, err
		}
		defer release()
		return shown.made, nil, shown.tests.Write(shown.made)
	}
	tests, err := o.inst.Tests()
	if err != nil {
		return nil, nil, err
	}
	var made *worktest.Accepted
	if want.All {
		made, err = tests.AcceptAll(c.ctx, want.Runs)
	} else {
		made, err = tests.Accept(c.ctx, strings.Join(want.Runs, ""))
	}
	if err != nil {
		return nil, nil, err
	}
	c.server.drafts.keep(o.Project, made.Draft, &acceptedTests{tests, made})
	return made, nil, nil
}
