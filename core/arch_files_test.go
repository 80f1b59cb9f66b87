//go:build !js

package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestFilesOfCoreFormNoCircle tests that the files of package core can be read one after the
// other: none uses what a file above it defines. Calls of exported methods do not count, because
// their names alone do not tell whose they are.
func TestFilesOfCoreFormNoCircle(t *testing.T) {
	files := coreFiles(t)
	names, methods := definitions(files)
	uses := map[string]map[string]string{} // file → file it uses → a name that it uses
	add := func(from, to, name string) {
		if to != "" && to != from {
			if uses[from] == nil {
				uses[from] = map[string]string{}
			}
			uses[from][to] = name
		}
	}
	for file, f := range files {
		for _, id := range f.Unresolved {
			add(file, names[id.Name], id.Name)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && !sel.Sel.IsExported() {
				add(file, methods[sel.Sel.Name], sel.Sel.Name)
			}
			return true
		})
	}
	if len(uses) < 20 {
		t.Fatalf("only %d files use others", len(uses))
	}
	for circle := range circles(uses) {
		t.Errorf("these files use each other: %s", circle)
	}
}

func coreFiles(t *testing.T) map[string]*ast.File {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*ast.File{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			if out[e.Name()], err = parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// definitions returns the files of the package's names, and of its unexported methods; not of
// methods that several types have, or whose name a field has, too.
func definitions(files map[string]*ast.File) (names, methods map[string]string) {
	names, methods = map[string]string{}, map[string]string{}
	several := map[string]bool{}
	for file, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			several[fn.Name.Name] = several[fn.Name.Name] || methods[fn.Name.Name] != ""
			methods[fn.Name.Name] = file
		}
		for name := range f.Scope.Objects {
			names[name] = file
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				for _, id := range field.Names {
					several[id.Name] = true
				}
			}
			return true
		})
	}
	maps.DeleteFunc(methods, func(name, _ string) bool { return several[name] })
	return names, methods
}

// circles yields each circle that a search through the uses finds.
func circles(uses map[string]map[string]string) map[string]bool {
	found, done := map[string]bool{}, map[string]bool{}
	var path []string
	var visit func(file string)
	visit = func(file string) {
		if at := slices.Index(path, file); at >= 0 {
			var b strings.Builder
			for i, from := range path[at:] {
				to := append(path[at:], file)[i+1]
				b.WriteString(from + " (" + uses[from][to] + ") → ")
			}
			found[b.String()+file] = true
			return
		}
		if done[file] {
			return
		}
		path = append(path, file)
		for _, to := range slices.Sorted(maps.Keys(uses[file])) {
			visit(to)
		}
		path, done[file] = path[:len(path)-1], true
	}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		visit(file)
	}
	return found
}
