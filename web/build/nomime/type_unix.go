//go:build js && wasm

// Package mime has, in the page, none of the tables of types that lie on a disk:
// this file is laid over type_unix.go of the standard library's package, which
// reads them.
package mime

var _ = noTables()

func noTables() bool {
	osInitMime = func() {}
	return true
}
