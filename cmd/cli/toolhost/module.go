package toolhost

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golem/core/fault"
	"golem/core/jstool"
	"golem/core/jstool/embedded"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// MaxSidecar is the size limit of the description file beside a module, in bytes.
const MaxSidecar = 1 << 20

// Module returns the module in a .wasm file, or of a source, named on the command line.
func Module(c *console.Console, t *Tools, name string) (*wasmtool.Module, error) {
	if name == "" {
		return nil, console.Usage("FILE is empty").Hinting("name a .wasm file")
	}
	info, err := os.Stat(c.Path(name))
	switch {
	case err != nil:
		return nil, fault.New(fault.NotFound, "there is no module %s", name).Hinting("%s", nearModule(c, name))
	case !info.Mode().IsRegular():
		return nil, console.Usage("%s is not a regular file", name).Hinting("name a .wasm file")
	}
	return ModuleAt(c, t, name, c.Path(name)), nil
}

// nearModule returns a hint for a file that does not exist: a similar name, if there is
// one.
func nearModule(c *console.Console, name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(c.Path(dir))
	var there []string
	for _, e := range entries {
		if (filepath.Ext(e.Name()) == ".wasm" || jstool.IsSource(e.Name())) && !e.IsDir() {
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

// ModuleAt returns the module in a file, or that of a source. Messages use name for it.
func ModuleAt(c *console.Console, t *Tools, name, file string) *wasmtool.Module {
	if jstool.IsSource(file) {
		return t.Library.Module(wasmtool.Source{Path: filepath.ToSlash(name), File: sourceFile{t, name, file}})
	}
	return t.Library.Module(wasmtool.Source{Path: filepath.ToSlash(name), File: ModuleFile{file, c.Path(name), c}})
}

// ModuleFile is a module on the disk.
type ModuleFile struct {
	File    string
	Beside  string           // the path whose description counts, NAME.wasm
	Console *console.Console // reads the description; nil: there is none
}

var _ wasmtool.File = ModuleFile{}

// Open opens the module.
func (f ModuleFile) Open() (fs.File, error) {
	return os.OpenFile(f.File, os.O_RDONLY|disk.OpenNonblock, 0)
}

// Sidecar reads the description beside the module.
func (f ModuleFile) Sidecar() ([]byte, error) {
	if f.Console == nil {
		return nil, fs.ErrNotExist
	}
	return f.Console.ReadFile(strings.TrimSuffix(f.Beside, ".wasm")+".tools.yaml", MaxSidecar)
}

// sourceFile is the module of a JavaScript or TypeScript source on the disk.
type sourceFile struct {
	tools      *Tools
	name, file string
}

// Open links the module.
func (f sourceFile) Open() (fs.File, error) {
	module, err := f.tools.Link(f.name, f.file)
	if err != nil {
		return nil, err
	}
	return wasmtool.MemoryFile{Module: module}.Open()
}

// Sidecar returns that there is none: the module describes itself.
func (sourceFile) Sidecar() ([]byte, error) {
	return nil, fs.ErrNotExist
}

// Link returns the module of a JavaScript or TypeScript source. Messages use name for it.
func (t *Tools) Link(name, file string) ([]byte, error) {
	folder, err := disk.OpenRoot(filepath.Dir(file)) // an import leads out of it neither by its path nor by a link
	if err != nil {
		return nil, fault.New(fault.NotFound, "%s cannot be read: %s", name, disk.Cause(err)).Hinting("name a .js or .ts file")
	}
	defer folder.Close()
	return t.linking.Link(context.Background(), embedded.Engines{}, t.Library, filepath.ToSlash(name), folder.FS())
}

// ReadModule reads the bytes of a module in a file.
func ReadModule(c *console.Console, name string) ([]byte, error) {
	data, err := c.ReadFile(name, guard.MaxSize)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the module %s cannot be read: %s", name, disk.Cause(err)).Hinting("name a .wasm file that you can read")
	}
	return data, nil
}
