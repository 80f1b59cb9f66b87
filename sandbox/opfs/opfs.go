// Package opfs is the sandbox in a browser: it implements sandbox.FS with a
// directory of the Origin Private File System (OPFS). A write goes to a
// temporary file that is then moved, so a tab that dies in the middle of a
// write leaves the old or the new content. Directory handles are reused, and
// each operation needs one call between Go and JavaScript (SPEC §8, §13).
//
// One web worker of all tabs at a time caches names, sizes and small files in
// memory, as a write-through cache; all others ask the browser (see kept.js).
//
// The package runs in a dedicated web worker. The caller provides the directory
// handle, and must have run Script in the worker before.
package opfs
