package main

import (
	"golem/core"
	"golem/core/fault"
	"golem/core/harden"
)

// hardenAsked has the parameters of harden, beside those of every method that opens a project.
type hardenAsked struct {
	Rounds int    `json:"rounds"`
	Again  bool   `json:"again"`
	Apply  string `json:"apply"` // the draft of an earlier reply, which the person accepted
}

// hardened is the reply of harden.
type hardened struct {
	*harden.Report
	Text string `json:"text"` // the report for people
}

// roundsOf tells the page about the rounds of a call.
type roundsOf struct{ call *call }

// Writing tells that the model writes.
func (r roundsOf) Writing(n, of int) {
	r.call.post("progress", decoded(writing{n, of}))
}

// Rounded tells the end of a round.
func (r roundsOf) Rounded(n, of int, round harden.Round) {
	r.call.post("progress", decoded(rounded{round, writing{n, of}}))
}

// writing is the progress of harden before the code of a round is there, rounded after it.
type (
	writing struct {
		N  int `json:"round"`
		Of int `json:"of"`
	}
	rounded struct {
		harden.Round
		writing
	}
)

// hardenWorker does what golem harden does. Without apply it changes nothing; with it, it writes
// the code of an earlier reply.
func hardenWorker(c *call, n hardenAsked) (any, []byte, error) {
	o, err := instance(c)
	if err != nil {
		return nil, nil, err
	}
	if n.Apply == "" {
		h, err := o.inst.Harden(c.ctx, o.Worker, core.HardenRun{Rounds: n.Rounds, Again: n.Again, Watch: roundsOf{c}})
		if err != nil {
			return nil, nil, err
		}
		c.server.drafts.keep(o.Project, h.Report.Draft, h)
		return hardened{h.Report, h.Report.Text()}, nil, nil
	}
	shown, err := c.server.drafts.shown(o.Project, n.Apply)
	if err != nil {
		return nil, nil, err
	}
	h, ok := shown.(*core.Hardened)
	if !ok {
		return nil, nil, fault.New(fault.Usage, "the draft is not code")
	}
	release, err := c.server.stores.hold(o.fsys)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	if err := h.Apply(c.ctx); err != nil {
		return nil, nil, err
	}
	return hardened{h.Report, h.Report.Text()}, nil, nil
}
