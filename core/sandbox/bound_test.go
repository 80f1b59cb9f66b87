package sandbox_test

import (
	"testing"

	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

// Scenario 42: no child has a right that its caller lacks.
func TestBounds(t *testing.T) {
	sandboxtest.Bounds(t, func() sandboxtest.Yard {
		m := sandbox.Memory()
		return sandboxtest.Yard{FS: m, Clear: m.Remove}
	})
}
