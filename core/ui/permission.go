package ui

import "golem/core/approval"

// PermissionRole returns the role in which a permission is shown: one that widens what runs
// without a question is a warning.
func PermissionRole(p approval.Permission) Role {
	switch p {
	case approval.Edits:
		return Warn
	case approval.Plan:
		return Info
	}
	return Faint
}

// PermissionText says what follows from a permission, and how it ends.
func PermissionText(p approval.Permission) string {
	switch p {
	case approval.Edits:
		return "edits: writes to files of the project run without a question; deletions, protected and staged places, commands and the network still ask. /ask ends it"
	case approval.Plan:
		return "plan: only reading runs, everything else is denied. /ask or /edits ends it"
	}
	return "ask: you are asked about each call that needs it"
}

// NextPermission returns the permission that follows when a person goes through them with one
// key: ask, edits, plan, ask.
func NextPermission(p approval.Permission) approval.Permission {
	switch p {
	case approval.Edits:
		return approval.Plan
	case approval.Plan:
		return approval.AskFirst
	}
	return approval.Edits
}
