//go:build !unix

package enginetest

import "time"

var started = time.Now()

// processorTime stands for how long processors have worked for this process.
func processorTime() time.Duration { return time.Since(started) }
