package batch

import (
	"fmt"
	"time"

	"golem/core/fault"
	"golem/core/money"
)

// Pace is how fast a batch runs: what ended since its run began.
type Pace struct {
	Ended  int // items that ended or were parked since
	Passed time.Duration
	Cost   string // for people; "": nothing was billed
}

// Done returns how many items have ended.
func (c Counts) Done() int { return c.OK + c.Failed + c.Cancelled }

// rate returns the items a minute; 0 before the first one.
func (p Pace) rate() float64 {
	if p.Passed <= 0 {
		return 0
	}
	return float64(p.Ended) / p.Passed.Minutes()
}

// left returns how long the items that are left take at this pace; 0: nobody knows yet, or none
// is left.
func (p Pace) left(c Counts) time.Duration {
	rate := p.rate()
	if rate == 0 {
		return 0
	}
	return time.Duration(float64(c.Open+c.Running) / rate * float64(time.Minute)).Round(time.Second)
}

// Line returns for people how far a batch is, with rate, time left and cost.
func (p Pace) Line(c Counts) string {
	line := fmt.Sprintf("%d of %d", c.Done(), c.Total)
	if c.Failed > 0 {
		line += fmt.Sprintf(", %d failed", c.Failed)
	}
	if c.Parked > 0 {
		line += fmt.Sprintf(", %d wait for an answer", c.Parked)
	}
	if rate := p.rate(); rate > 0 {
		line += fmt.Sprintf(" · %.3g a minute", rate)
		if c.Open+c.Running > 0 {
			line += " · " + p.left(c).String() + " left"
		}
	}
	if p.Cost != "" {
		line += " · " + p.Cost
	}
	return line
}

// Progress is how far a batch is, for programs.
type Progress struct {
	Type   string `json:"type"` // "batch"
	Batch  string `json:"batch"`
	Counts Counts `json:"counts"`
	// Failures are the failed items by the code of their error.
	Failures map[fault.Code]int `json:"failures,omitempty"`
	Ended    int                `json:"ended"`             // items that ended or were parked since the run began
	MS       int64              `json:"ms"`                // since then
	Rate     float64            `json:"rate,omitempty"`    // items a minute
	LeftMS   int64              `json:"left_ms,omitempty"` // what the items that are left take at this rate
	Cost     money.USD          `json:"cost,omitempty"`    // of the whole batch
	Line     string             `json:"line"`              // all this, for people
}

// Progress returns how far a batch is at a pace. cost is that of the whole batch.
func (p Pace) Progress(name string, c Counts, failures map[fault.Code]int, cost money.USD) Progress {
	if cost > 0 {
		p.Cost = cost.Text()
	}
	return Progress{
		Type: "batch", Batch: name, Counts: c, Failures: failures, Ended: p.Ended, MS: p.Passed.Milliseconds(),
		Rate: p.rate(), LeftMS: p.left(c).Milliseconds(), Cost: cost, Line: p.Line(c),
	}
}
