//go:build attack

package shell

import "testing"

func every(string) bool { return true }

// The same as TestAttacked, with every version of Landlock that golem accepts and every set of
// namespaces, 300 commands and more for each user.
func TestAttackConfinement(t *testing.T) { attacked(t, 5, every) }

// The same as TestKilled, in 10 rounds.
func TestAttackKilled(t *testing.T) { killed(t, 10, every) }
