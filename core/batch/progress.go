package batch

import (
	"fmt"
	"time"
)

// Pace is how fast a batch runs: what ended since its run began.
type Pace struct {
	Ended  int // items that ended or were parked since
	Passed time.Duration
	Cost   string // for people; "": nothing was billed
}

// Done returns how many items have ended.
func (c Counts) Done() int { return c.OK + c.Failed + c.Cancelled }

// Rate returns the items a minute; 0 before the first one.
func (p Pace) Rate() float64 {
	if p.Passed <= 0 {
		return 0
	}
	return float64(p.Ended) / p.Passed.Minutes()
}

// Left returns how long the items that are left take at this pace; 0: nobody knows yet, or none
// is left.
func (p Pace) Left(c Counts) time.Duration {
	rate := p.Rate()
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
	if rate := p.Rate(); rate > 0 {
		line += fmt.Sprintf(" · %.3g a minute", rate)
		if c.Open+c.Running > 0 {
			line += " · " + p.Left(c).String() + " left"
		}
	}
	if p.Cost != "" {
		line += " · " + p.Cost
	}
	return line
}
