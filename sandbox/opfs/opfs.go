// Package opfs is the sandbox in a browser: it implements sandbox.FS with a
// directory of the Origin Private File System (OPFS). A write goes to a
// temporary file that is then moved, so a tab that dies in the middle of a
// write leaves the old or the new content. Directory handles are reused, and
// each operation needs one call between Go and JavaScript (SPEC §8, §13).
//
// The package runs in a dedicated web worker. The caller provides the directory
// handle, and must have run Script in the worker before.
package opfs

import _ "embed" // for Script

//go:embed handles.js
var handles string

//go:embed opfs.js
var tree string

// Script is the JavaScript part of the package; it defines golemOPFS. Run it in
// the web worker before the Go program starts. If golemMemory is also defined,
// as a function that returns the program's WebAssembly.Memory, big files are
// not copied between JavaScript and Go.
var Script = handles + tree
