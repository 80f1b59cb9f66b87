//go:build !unix

package enginetest

import "time"

func rusage() time.Duration { return time.Since(started) }
