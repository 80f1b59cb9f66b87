//go:build !js

package core_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// goFile is one parsed Go file of the module.
type goFile struct {
	name string // slash path from the module root
	dir  string
	test bool
	fset *token.FileSet
	ast  *ast.File
	src  string
}

func (f goFile) line(p token.Pos) int { return f.fset.Position(p).Line }

func (f goFile) imports(t *testing.T) []string {
	var out []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		out = append(out, p)
	}
	return out
}

// moduleFiles returns all Go files of the module, including tests. They are parsed once.
func moduleFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := parseModule()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files from %s", len(files), filepath.Base("."))
	}
	return files
}

var parseModule = sync.OnceValues(func() (out []goFile, err error) {
	root := os.DirFS("..")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := path.Base(name)
			hidden := name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"))
			if hidden || name == "build" || name == "bin" || base == "testdata" || base == "node_modules" {
				return fs.SkipDir
			}
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // another Go module
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, goFile{
			name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			fset: fset, ast: parsed, src: string(src),
		})
		return nil
	})
	return out, err
})

// allowed returns the import paths in a line of arrows.
func allowed(pkg string) []string {
	var out []string
	for _, name := range strings.Fields(arrows[pkg]) {
		switch {
		case name == "everything":
			for p := range maps.Keys(arrows) {
				testSupport := p == "core/coretest" || p == "core/sandbox/sandboxtest"
				if (p == "core" || strings.HasPrefix(p, "core/")) && !testSupport {
					out = append(out, "golem/"+p)
				}
			}
		case name == "core":
			out = append(out, "golem/core")
		case strings.HasPrefix(name, "sandbox/"), strings.HasPrefix(name, "cmd/"), strings.HasPrefix(name, "docs/"), strings.HasPrefix(name, "bench/"), name == "web", name == "sdk", name == "docs":
			out = append(out, "golem/"+name)
		default:
			out = append(out, "golem/core/"+name)
		}
	}
	if pkg == "core/sorting" {
		return nil
	}
	return append(out, "golem/core/fault", "golem/core/sorting")
}

func TestArrows(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		if _, ok := arrows[f.dir]; !ok {
			t.Errorf("%s: package %s is not in the table of core/arch_test.go: add a row with what it imports; then GOLEM_UPDATE=1 go test core/arch*_test.go writes docs/design.md", f.name, f.dir)
			continue
		}
		may := allowed(f.dir)
		for _, imp := range f.imports(t) {
			if strings.HasPrefix(imp, "golem/") && !slices.Contains(may, imp) {
				t.Errorf("%s imports %s: add it to the row of %s in core/arch_test.go, if it leads down; else move what both need down, or pass a value", f.name, imp, f.dir)
			}
		}
	}
}

func TestArrowsHaveNoCycle(t *testing.T) {
	done := map[string]bool{}
	var visit func(pkg string, chain []string)
	visit = func(pkg string, chain []string) {
		if slices.Contains(chain, pkg) {
			t.Fatalf("cycle: %s → %s", strings.Join(chain, " → "), pkg)
		}
		if done[pkg] {
			return
		}
		for _, next := range allowed(pkg) {
			if next = strings.TrimPrefix(next, "golem/"); next != pkg {
				visit(next, append(slices.Clone(chain), pkg))
			}
		}
		done[pkg] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(arrows)) {
		visit(pkg, nil)
	}
}

func TestCoreIsPortable(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.dir != "core" && !strings.HasPrefix(f.dir, "core/") {
			continue
		}
		if f.test && (strings.HasSuffix(f.name, "_native_test.go") || strings.HasPrefix(f.name, "core/arch_")) {
			if buildsForJS(t, f) {
				t.Errorf("%s: needs a build line that leaves js out, //go:build !js", f.name)
			}
			continue
		}
		for _, imp := range f.imports(t) {
			if slices.Contains(forbiddenInCore, imp) {
				t.Errorf("%s imports %s: the core runs where there is none (tests: name the file *_native_test.go)", f.name, imp)
			}
		}
	}
}

// buildsForJS reports whether a file is built for js/wasm, according to its build line.
func buildsForJS(t *testing.T, f goFile) bool {
	for line := range strings.Lines(f.src) {
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		return expr.Eval(func(tag string) bool { return tag == "js" || tag == "wasm" })
	}
	return true
}
