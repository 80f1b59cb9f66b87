package approval

// known returns the mode a gate works in: AutoDeny for an unknown one (SECURITY 11).
func (m Mode) known() Mode {
	switch m {
	case "":
		return Interactive
	case Interactive, ApproveAll, AutoDeny:
		return m
	}
	return AutoDeny
}

// known returns the setting to act on: Blocked for an unknown one, "" if none is set.
func (s Setting) known() Setting {
	switch s {
	case "", PreApproved, Ask, Blocked:
		return s
	}
	return Blocked
}
