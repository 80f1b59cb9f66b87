//go:build js && wasm

// Package mime reads no tables of types from the disk in the page: web/build lays this file
// over type_unix.go of the standard library's package, which reads them.
package mime

var _ = noTables()

func noTables() bool {
	osInitMime = func() {}
	return true
}
