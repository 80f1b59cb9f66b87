//go:build !race

package confine

// Environment returns the environment of a process of this package, which is env. A build
// with the race detector adds to it.
func Environment(env []string) []string { return env }
