package core

import (
	"io/fs"

	"golem/core/project"
	"golem/core/wasmtool"
)

// incoming is a module that is to be put at a path of a project.
type incoming struct {
	wasmtool.MemoryFile
	modules *project.Modules
	path    string
}

var _ wasmtool.File = incoming{}

// Incoming returns a module that is to be put at a path of the project, such as
// tools/x.wasm. Without a description of its own it has the one that the project has there.
func Incoming(i *Instance, path string, module, description []byte) wasmtool.File {
	return incoming{wasmtool.MemoryFile{Module: module, Description: description}, i.Project().Modules, path}
}

// LinkSource returns the module of a JavaScript or TypeScript source that is to be put into the
// project; folder has it and the files that it imports.
func LinkSource(i *Instance, entry string, folder fs.FS) ([]byte, error) {
	return i.linker.Link(entry, folder)
}

// Sidecar returns the description.
func (m incoming) Sidecar() ([]byte, error) {
	if m.Description == nil {
		return m.modules.Sidecar(project.Module{Path: m.path})
	}
	return m.MemoryFile.Sidecar()
}
