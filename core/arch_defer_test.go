//go:build !js

package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// A return statement sets the named results before deferred functions run. A deferred
// function that uses a field, an element or a method of a named result therefore panics
// if an error return has made that result nil.
func TestNothingDeferredUsesAClearedResult(t *testing.T) {
	for _, f := range moduleFiles(t) {
		for _, pos := range clearedResults(f.ast) {
			t.Errorf("%s:%d: a deferred function uses a named result that a return statement of the same function makes nil; use a variable of another name", f.name, f.line(pos))
		}
	}
}

func TestClearedResultsAreFound(t *testing.T) {
	for body, want := range map[string]int{
		`func f() (a *T, err error) { defer func() { if err != nil { a.close() } }(); return nil, err }`:                    1,
		`func f() (a *T, err error) { defer func() { if err != nil { *a = T{} } }(); return nil, err }`:                     1,
		`func f() (a []T, err error) { defer func() { a[0].close() }(); if err != nil { return nil, err }; return a, nil }`: 1,
		`func f() (a T, err error) { defer func() { a.file.Close() }(); return T{}, err }`:                                  1,
		`func f() { g(func() (a *T, err error) { defer func() { a.close() }(); return nil, err }) }`:                        1,
		`func f() (a *T, err error) { defer func() { if a != nil { a.close() } }(); return nil, err }`:                      0,
		`func f() (a *T, err error) { defer func() { if err != nil && a != nil { a.close() } }(); return nil, err }`:        0,
		`func f() (a *T, err error) { defer a.close(); return nil, err }`:                                                   0,
		`func f() (a *T, err error) { defer func() { a := g(); a.close() }(); return nil, err }`:                            0,
		`func f() (a *T, err error) { defer func() { a.close() }(); return a, err }`:                                        0,
		`func f() (a *T, err error) { defer func() { a.close() }(); return g(func() *T { return nil }), err }`:              0,
		`func f() (a T, err error) { defer func() { a.n++ }(); return T{}, err }`:                                           0,
		`func f() (a, b *T, err error) { defer func() { b.close() }(); return nil, b, err }`:                                0,
		`func f() (a, b *T, err error) { defer func() { b.close() }(); return nil, nil, err }`:                              1,
		`func f() (a *T, err error) { defer func() { err = g(a) }(); return nil, err }`:                                     0,
		`func f() (a map[string]int, err error) { defer func() { a["x"] = 1 }(); return nil, err }`:                         1,
		`func f() (err error) { defer func() { if err != nil { println(err.Error()) } }(); return nil }`:                    0,
		`func f() (err error) { defer func() { println(err.Error()) }(); return nil }`:                                      1,
		`func f() (a func(), err error) { defer func() { a() }(); return nil, err }`:                                        1,
		`func f() (a *T, err error) { for { defer func() { if x { a.close() } }(); if y { return nil, err } } }`:            1,
		`func f() (a *T, err error) { defer func() { if a == nil { return }; a.close() }(); return nil, err }`:              0,
		`func f() (a, _ *T, err error) { defer func() { a.close() }(); return a, nil, err }`:                                0,
		`func f() (a *T, err error) { defer func() { go func() { a.close() }() }(); return nil, err }`:                      1,
		`func f() (a *T, err error) { defer func() { func(a *T) { a.close() }(new(T)) }(); return nil, err }`:               0,
		`func f() (*T, error) { var a *T; defer func() { a.close() }(); return nil, nil }`:                                  0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+body, 0)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if got := len(clearedResults(file)); got != want {
			t.Errorf("%s: found %d, want %d", body, got, want)
		}
	}
}

// clearedResults returns where deferred functions use a named result that a return
// statement of their function sets to nil, or to a literal without that part.
func clearedResults(file *ast.File) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch fn := n.(type) {
		case *ast.FuncDecl:
			at = append(at, clearedIn(fn.Type, fn.Body)...)
		case *ast.FuncLit:
			at = append(at, clearedIn(fn.Type, fn.Body)...)
		}
		return true
	})
	return at
}

// clearedIn does the same for one function, without the functions inside it.
func clearedIn(typ *ast.FuncType, body *ast.BlockStmt) (at []token.Pos) {
	if typ.Results == nil || body == nil {
		return nil
	}
	var names []string
	for _, field := range typ.Results.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	cleared := clearedBy(names, body)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			if fn, ok := n.Call.Fun.(*ast.FuncLit); ok {
				for _, name := range names {
					if how := cleared[name]; how != kept && !shadowed(fn, name) && !comparedWithNil(fn, name) {
						at = append(at, usesOf(fn.Body, name, how)...)
					}
				}
			}
		}
		return true
	})
	return at
}

// clearing is what a return statement does to a named result.
type clearing int

const (
	kept    clearing = iota
	emptied          // a literal of a struct without values
	niled
)

// clearedBy returns what the return statements of a function do to its named results.
func clearedBy(names []string, body *ast.BlockStmt) map[string]clearing {
	cleared := map[string]clearing{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			if len(n.Results) != len(names) {
				return true
			}
			for i, result := range n.Results {
				switch r := result.(type) {
				case *ast.Ident:
					if r.Name == "nil" {
						cleared[names[i]] = niled
					}
				case *ast.CompositeLit:
					if len(r.Elts) == 0 {
						cleared[names[i]] = max(cleared[names[i]], emptied)
					}
				}
			}
		}
		return true
	})
	return cleared
}

// shadowed reports whether a function declares the name again, as a parameter or a variable.
func shadowed(fn *ast.FuncLit, name string) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			found = found || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return named(e, name) })
			}
		}
		return !found
	})
	return found
}

// comparedWithNil reports whether a function compares the name with nil.
func comparedWithNil(fn *ast.FuncLit, name string) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
			found = found || named(b.X, name) && named(b.Y, "nil")
		}
		return !found
	})
	return found
}

// usesOf returns where a part of the name is used that it does not have: any part of a
// nil, the part of a part of an empty struct.
func usesOf(body *ast.BlockStmt, name string, how clearing) (at []token.Pos) {
	part := func(e ast.Expr) bool {
		if how == niled {
			return named(e, name)
		}
		inner, ok := e.(*ast.SelectorExpr)
		return ok && named(inner.X, name)
	}
	ast.Inspect(body, func(n ast.Node) bool {
		var used ast.Expr
		switch n := n.(type) {
		case *ast.SelectorExpr:
			used = n.X
		case *ast.IndexExpr:
			used = n.X
		case *ast.StarExpr:
			used = n.X
		case *ast.CallExpr:
			used = n.Fun
			if how == emptied {
				used = nil // a method of the struct itself
			}
		}
		if used != nil && part(used) {
			at = append(at, used.Pos())
		}
		return true
	})
	return at
}

func named(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
