// Package clearance is the room for decisions taken after the fact: changes
// that are staged and that only a person can push (SPEC §9; S4-46..52). This
// version stages nothing; mode: staged and the clearance toolset are refused.
package clearance
