package coretest_test

import (
	"testing"

	"golem/core/coretest"
)

// update rewrites nothing here: expectations are made natively and proved on
// both platforms.
func update(*testing.T, coretest.Case, coretest.Outcome) bool { return false }
