//go:build attack

package main

import "testing"

// TestAttackWallsFromOutside does as TestWallsFromOutside with 300 commands in each of the two
// ways for each user.
func TestAttackWallsFromOutside(t *testing.T) { wallsFromOutside(t, 75) }
