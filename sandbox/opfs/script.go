//go:build !js

package opfs

import _ "embed" // for Script

//go:embed kept.js
var kept string

//go:embed handles.js
var handles string

//go:embed reads.js
var reads string

//go:embed logs.js
var logs string

//go:embed opfs.js
var tree string

//go:embed memory.js
var memory string

// Script is the JavaScript part of the package. Run it in the web worker before the Go
// program starts. It defines golemOPFS, which Open uses; golemLogs.flush, which writes
// the buffers of logs (Log.Gathers); and golemMemoryRoot, which returns a directory in
// memory for browsers that provide no storage. If golemMemory is also defined, as a
// function that returns the program's WebAssembly.Memory, big files are not copied
// between JavaScript and Go.
var Script = kept + handles + reads + logs + tree + memory
