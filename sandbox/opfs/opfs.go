// Package opfs is the sandbox in a browser: a directory of the Origin Private
// File System behind sandbox.FS. Files change by writing aside and moving, so
// that a tab that dies in the middle of a write leaves the old content or the
// new; directory handles are kept; each operation crosses between Go and
// JavaScript once (SPEC §8, §13).
//
// It runs in a dedicated worker. The directory handle is given by the caller;
// Script must have been run in the worker before.
package opfs

import _ "embed" // for Script

//go:embed handles.js
var handles string

//go:embed opfs.js
var tree string

// Script is the JavaScript half: it defines golemOPFS. A host puts it into
// the worker's script, before the program starts. If the host also defines
// golemMemory, a function that returns the program's WebAssembly.Memory, big
// files are not copied on their way.
var Script = handles + tree
