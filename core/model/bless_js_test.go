package model

import "testing"

// blessed does nothing here, see bless_native_test.go.
func blessed(*testing.T, string, string, any) bool { return false }
