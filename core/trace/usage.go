package trace

// CostText is what the tokens cost as people read it, "$0.0042"; ~ where the
// tokens are estimated, "at least" where some have no known price. "" if nothing
// is known, or nothing was billed.
func (u Usage) CostText() string {
	if u.Cost == 0 {
		return ""
	}
	text := u.Cost.Text()
	if u.Estimated {
		text = "~" + text
	}
	if u.CostPartial {
		text = "at least " + text
	}
	return text
}

// plus is the sum; what is said of one part holds for the whole.
func (u Usage) plus(o Usage) Usage {
	return Usage{
		In: u.In + o.In, Out: u.Out + o.Out, Cached: u.Cached + o.Cached, Written: u.Written + o.Written, Estimated: u.Estimated || o.Estimated,
		Cost: u.Cost.Plus(o.Cost), CostPartial: u.CostPartial || o.CostPartial,
	}
}
