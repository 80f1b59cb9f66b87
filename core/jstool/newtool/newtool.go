// Package newtool has the source with which a new tool in JavaScript or TypeScript begins. The
// command line and the page write the same one.
package newtool

import "embed"

//go:embed *.tmpl
var sources embed.FS

// Source returns the source for an extension, ".js" or ".ts". @TOOL@ in it stands for the name of
// the tool. For another extension it is fs.ErrNotExist.
func Source(ext string) ([]byte, error) { return sources.ReadFile("tool" + ext + ".tmpl") }
