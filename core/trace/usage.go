package trace

// CostText returns the cost for people, such as "$0.0042": with ~ if the tokens
// are estimated, and with "at least" if some have no known price. It returns ""
// if the cost is unknown or nothing was billed.
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

// Plus returns the sum. A flag that is set in one of the two is set in the sum.
func (u Usage) Plus(o Usage) Usage {
	return Usage{
		In: u.In + o.In, Out: u.Out + o.Out, Cached: u.Cached + o.Cached, Written: u.Written + o.Written, Estimated: u.Estimated || o.Estimated,
		Cost: u.Cost.Plus(o.Cost), CostPartial: u.CostPartial || o.CostPartial,
	}
}
