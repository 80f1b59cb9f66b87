package approval

import "strings"

// ParseMode reads a mode in any spelling that manifests, the environment and
// the command line accept: golem's own and those of S0's peers (SPEC §7).
// ok is false for anything else; an empty string is no mode.
func ParseMode(s string) (m Mode, ok bool) {
	switch strings.ReplaceAll(strings.ToLower(s), "-", "_") {
	case "interactive", "prompt":
		return Interactive, true
	case "approve_all":
		return ApproveAll, true
	case "auto_deny", "deny_all", "reject_all", "strict":
		return AutoDeny, true
	}
	return "", false
}

// ModeNames are the spellings to offer in a hint.
func ModeNames() []string {
	return []string{string(Interactive), string(ApproveAll), string(AutoDeny)}
}

// ParseSetting reads a setting; preApproved and pre_approved mean the same
// (SPEC §3). ok is false for anything else.
func ParseSetting(s string) (v Setting, ok bool) {
	switch s {
	case "preApproved", "pre_approved":
		return PreApproved, true
	case "ask":
		return Ask, true
	case "blocked":
		return Blocked, true
	}
	return "", false
}

// known is the mode a gate works in: an unknown one denies (SECURITY 11).
func (m Mode) known() Mode {
	switch m {
	case "":
		return Interactive
	case Interactive, ApproveAll, AutoDeny:
		return m
	}
	return AutoDeny
}

// known is the setting to act on: an unknown one blocks, unset stays unset.
func (s Setting) known() Setting {
	switch s {
	case "", PreApproved, Ask, Blocked:
		return s
	}
	return Blocked
}
