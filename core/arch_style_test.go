//go:build !js

package core_test

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Limits of docs/design.md, "Habits".
const (
	maxFileLines     = 400
	maxFunctionLines = 80
	longFunction     = 60 // reported, not refused
)

func TestFilesAndFunctionsStayShort(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		if n := strings.Count(f.src, "\n"); n > maxFileLines {
			t.Errorf("%s has %d lines; the limit is %d", f.name, n, maxFileLines)
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			switch n := f.line(fn.End()) - f.line(fn.Pos()) + 1; {
			case n > maxFunctionLines:
				t.Errorf("%s:%d: %s has %d lines; the limit is %d", f.name, f.line(fn.Pos()), fn.Name.Name, n, maxFunctionLines)
			case n > longFunction:
				t.Logf("%s:%d: %s has %d lines", f.name, f.line(fn.Pos()), fn.Name.Name, n)
			}
		}
	}
}

// emptyNames are package names that say nothing about the package.
var emptyNames = []string{"util", "utils", "common", "helper", "helpers", "types", "models", "misc"}

func TestNamesSaySomething(t *testing.T) {
	for _, f := range moduleFiles(t) {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.name), ".go"), "_test")
		if slices.Contains(emptyNames, stem) || slices.Contains(emptyNames, path.Base(f.dir)) {
			t.Errorf("%s: the name tells nothing", f.name)
		}
	}
}

func TestPackagesAreExplained(t *testing.T) {
	explained := map[string]bool{}
	for _, f := range moduleFiles(t) {
		if !f.test {
			explained[f.dir] = explained[f.dir] || f.ast.Doc != nil
		}
	}
	for dir, ok := range explained {
		if !ok {
			t.Errorf("package %s has no package comment", dir)
		}
	}
}

func TestExportedNamesAreExplained(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.test || f.ast.Name.Name == "main" {
			continue
		}
		for _, decl := range f.ast.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
					t.Errorf("%s:%d: %s has no comment", f.name, f.line(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, name := range unexplained(d) {
					t.Errorf("%s:%d: %s has no comment", f.name, f.line(name.Pos()), name.Name)
				}
			}
		}
	}
}

// exportedReceiver reports whether d is a function or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// unexplained returns the exported names of a declaration that have a comment
// neither of their own nor of the group.
func unexplained(d *ast.GenDecl) []*ast.Ident {
	var out []*ast.Ident
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
				out = append(out, s.Name)
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

var putOffWords = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`)

func TestNothingIsPutOff(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				if word := putOffWords.FindString(c.Text); word != "" {
					t.Errorf("%s:%d: %s", f.name, f.line(c.Pos()), word)
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if bad := putOff(f, n); bad != "" {
				t.Errorf("%s:%d: %s", f.name, f.line(n.Pos()), bad)
			}
			return true
		})
	}
}

// putOff returns what a node does that is not allowed in golem's code: skip a test, panic
// outside tests, register in init. Only one file may panic, and one may have an init function;
// they say why.
func putOff(f goFile, n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil && n.Name.Name == "init" && f.name != "cmd/cli/shell/confine/main_linux.go" {
			return "init function"
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" && !f.test && f.name != "core/wasmtool/wazeroengine/unwind.go" {
			return "panic outside tests"
		}
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		on, ok := sel.X.(*ast.Ident)
		if !ok {
			return ""
		}
		testing := slices.Contains([]string{"t", "b", "f", "tb"}, on.Name)
		if testing && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
			return "a skipped test proves nothing"
		}
		if on.Name == "testing" && sel.Sel.Name == "Short" {
			return "testing.Short hides tests"
		}
	}
	return ""
}
