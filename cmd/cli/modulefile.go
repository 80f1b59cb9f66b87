package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golem/core/fault"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
)

// maxSidecar is the size limit of the description file beside a module, in bytes.
const maxSidecar = 1 << 20

// module returns the module in a .wasm file named on the command line.
func (h *host) module(t *tools, name string) (*wasmtool.Module, error) {
	if name == "" {
		return nil, usage("FILE is empty").Hinting("name a .wasm file")
	}
	info, err := os.Stat(h.path(name))
	switch {
	case err != nil:
		return nil, fault.New(fault.NotFound, "there is no module %s", name).Hinting("%s", h.nearModule(name))
	case !info.Mode().IsRegular():
		return nil, usage("%s is not a regular file", name).Hinting("name a .wasm file")
	}
	return h.moduleAt(t, name, h.path(name)), nil
}

// nearModule returns a hint for a file that does not exist: a similar name, if there is
// one.
func (h *host) nearModule(name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(h.path(dir))
	var there []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".wasm" && !e.IsDir() {
			there = append(there, e.Name())
		}
	}
	stem := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	switch near := fault.Nearest(stem+".wasm", there); {
	case near != "":
		return "did you mean " + filepath.Join(dir, near)
	case err != nil:
		return "there is no directory " + dir + "; paths are relative to the current directory"
	}
	return "paths are relative to the current directory"
}

// moduleAt returns the module in a file. Messages use name for it.
func (h *host) moduleAt(t *tools, name, file string) *wasmtool.Module {
	return t.library.Module(wasmtool.Source{
		Path: filepath.ToSlash(name),
		Open: func() (fs.File, error) { return os.OpenFile(file, os.O_RDONLY|openNonblock, 0) },
		Sidecar: func() ([]byte, error) {
			return h.readFile(strings.TrimSuffix(h.path(name), ".wasm")+".tools.yaml", maxSidecar)
		},
	})
}

// readModule reads the bytes of a module.
func (h *host) readModule(name string) ([]byte, error) {
	data, err := h.readFile(name, guard.MaxSize)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the module %s cannot be read: %s", name, cause(err)).Hinting("name a .wasm file that you can read")
	}
	return data, nil
}
