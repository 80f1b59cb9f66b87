//go:build race

package confine

import (
	"os"
	"slices"
)

// Environment returns the environment of a process of this package: env, and what the race
// detector of the caller was told. Without that each process sleeps for a second at its end.
func Environment(env []string) []string {
	return append(slices.Clip(env), "GORACE="+os.Getenv("GORACE"))
}
