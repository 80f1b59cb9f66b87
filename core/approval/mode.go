package approval

// known returns the mode that a gate uses: AutoDeny if m is unknown (SECURITY
// 11).
func (m Mode) known() Mode {
	switch m {
	case "":
		return Interactive
	case Interactive, ApproveAll, AutoDeny:
		return m
	}
	return AutoDeny
}

// known returns the setting that a gate uses: Blocked if s is unknown, "" if nothing
// is set.
func (s Setting) known() Setting {
	switch s {
	case "", PreApproved, Ask, Blocked:
		return s
	}
	return Blocked
}
