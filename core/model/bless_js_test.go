package model

import "testing"

// blessed is for native runs, see bless_native_test.go.
func blessed(*testing.T, string, string, any) bool { return false }
