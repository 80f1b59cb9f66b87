package coretest

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

// The fixtures are built from the sources beside them by build.sh.
//
//go:embed testdata/tools/*.wasm testdata/tools/*.yaml testdata/git/*.zip
var fixtures embed.FS

// fixture reads a line of the comment that adds a module or a repository to the case,
// because an archive of text cannot contain them. It ignores other lines.
func (c *Case) fixture(line string) error {
	how, rest, ok := strings.Cut(line, ": ")
	if ok && how == "git" {
		return c.repository(rest)
	}
	if !ok || !slices.Contains([]string{"wasm", "bare", "home", "lib"}, how) {
		return nil
	}
	to, name, ok := strings.Cut(rest, " = ")
	if !ok || !fs.ValidPath(to) {
		return fmt.Errorf("%q: write wasm: PATH = FIXTURE", line)
	}
	module, err := Fixture(name, how != "bare")
	if err != nil {
		return err
	}
	if how == "bare" {
		// Give the module a digest of its own, so that no description of it is cached
		// from another case.
		if module, err = guard.AppendCustom(module, "of", []byte(to)); err != nil {
			return err
		}
	}
	switch how {
	case "home":
		c.Home[to] = module
	case "lib":
		c.Libs[to] = module
	default:
		c.Project[to] = module
	}
	return nil
}

// repository adds the .git of a fixture to the project; testdata/git/build.sh makes
// it with git.
func (c *Case) repository(name string) error {
	data, err := fixtures.ReadFile("testdata/git/" + name + ".zip")
	if err != nil {
		return err
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if f.Mode().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		if c.Project[f.Name], err = io.ReadAll(r); err != nil {
			return err
		}
	}
	return nil
}

// Fixture returns a module of testdata/tools by its name. With described, the module
// contains its description.
func Fixture(name string, described bool) ([]byte, error) {
	module, err := fixtures.ReadFile("testdata/tools/" + name + ".wasm")
	if err != nil || !described {
		return module, err
	}
	sidecar := name + ".tools.yaml"
	description, err := fixtures.ReadFile("testdata/tools/" + sidecar)
	if err != nil {
		return nil, err
	}
	return wasmtool.Pack(module, description, sidecar)
}

// toolbox has the tool library for playing one case.
type toolbox struct{ library *wasmtool.Library }

func newToolbox() *toolbox {
	return &toolbox{&wasmtool.Library{Name: "wazero", Open: func(ctx context.Context) (wasmtool.Engine, error) {
		return wazeroengine.New(ctx, wazeroengine.Options{})
	}}}
}

func (b *toolbox) open(string) (*wasmtool.Library, error) { return b.library, nil }

func (b *toolbox) close(o *Outcome) {
	if err := b.library.Close(); err != nil {
		o.Problems = append(o.Problems, "closing the tool library: "+err.Error())
	}
}

// memory returns a file system in memory with the files, or nil if there are none.
func memory(files map[string][]byte) fs.FS {
	if len(files) == 0 {
		return nil
	}
	tree := sandbox.Memory()
	for name, data := range files {
		if tree.WriteFile(name, data) != nil {
			return nil // unreachable: Parse accepts only names that can be written
		}
	}
	return tree
}

// placed is a file system in memory that has a source path, like those of a disk and of a
// browser. It is needed to find a repository.
type placed struct {
	sandbox.FS
	at string
}

var _ sandbox.SubFS = placed{}

// Source returns the path of the file system.
func (p placed) Source() string { return p.at }

// SubFS returns a directory of the file system.
func (p placed) SubFS(dir string) (sandbox.FS, error) {
	sub, err := p.FS.(sandbox.SubFS).SubFS(dir)
	return placed{sub, path.Join(p.at, dir)}, err
}
