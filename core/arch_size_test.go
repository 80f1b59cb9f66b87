//go:build !js

package core_test

import (
	"go/ast"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"
)

// Limits of docs/design.md, "Values instead of receivers".
const (
	maxMethods        = 40 // of one receiver
	maxFields         = 20 // of one struct
	maxFunctionFields = 80 // of all structs in core; fields whose type is a function
)

// fewerMethods names the receivers with a lower limit.
var fewerMethods = map[string]int{
	"cmd/cli/console.Console": 20, // every command gets it
}

// dataTables names the structs that declare the fields of a record: each field is read or
// written by its name in a file or a message, and none changes what another means.
var dataTables = []string{
	"core/project.Worker",     // a worker's file
	"core/tool.Spec",          // what a tool says of itself
	"core/approval.Request",   // what a person is asked, in the trace and in messages of the page
	"core/clearance.Item",     // the file of a staged item
	"core/conversation.Entry", // a line of a kept conversation
	"core/coretest.Settings",  // the head of a test case
}

func TestReceiversStaySmall(t *testing.T) {
	methods := map[string]map[string]bool{}
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			name := f.dir + "." + receiverName(fn.Recv.List[0].Type)
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][fn.Name.Name] = true
		}
	}
	counts := map[string]int{}
	for name, set := range methods {
		counts[name] = len(set)
	}
	for name, n := range counts {
		limit, ok := fewerMethods[name]
		if !ok {
			limit = maxMethods
		}
		if n > limit {
			t.Errorf("%s has %d methods; the limit is %d: write a function with the type as its first parameter, or a smaller type", name, n, limit)
		}
	}
	for name := range fewerMethods {
		if counts[name] == 0 {
			t.Errorf("%s has a limit of its own and no methods", name)
		}
	}
}

func TestStructsStaySmall(t *testing.T) {
	counts := map[string]int{}
	eachStruct(t, func(f goFile, name string, s *ast.StructType) {
		if name = f.dir + "." + name; !slices.Contains(dataTables, name) {
			counts[name] = s.Fields.NumFields()
		}
	})
	for name, n := range counts {
		if n > maxFields {
			t.Errorf("%s has %d fields; the limit is %d: put fields that are used together into a struct of their own (a record of a file or message is in dataTables, with a reason)", name, n, maxFields)
		}
	}
}

// TestFunctionFieldsAreFew counts the fields through which core calls a function that
// somebody else set.
func TestFunctionFieldsAreFew(t *testing.T) {
	declared := functionTypes(t)
	total, by := 0, map[string]int{}
	eachStruct(t, func(f goFile, name string, s *ast.StructType) {
		if f.dir != "core" && !strings.HasPrefix(f.dir, "core/") {
			return
		}
		for _, field := range s.Fields.List {
			if isFunction(field.Type, f.dir, declared) {
				total += max(1, len(field.Names))
				by[f.dir+"."+name] += max(1, len(field.Names))
			}
		}
	})
	if total > maxFunctionFields {
		names := make([]string, 0, len(by))
		for name := range by {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return by[names[i]] > by[names[j]] })
		for _, name := range names[:min(15, len(names))] {
			t.Logf("%3d %s", by[name], name)
		}
		t.Errorf("core has %d struct fields of a function type; the limit is %d: use an interface, or pass a value", total, maxFunctionFields)
	}
	t.Logf("core has %d struct fields of a function type", total)
}

// eachStruct visits the named struct types of the module's production code.
func eachStruct(t *testing.T, visit func(f goFile, name string, s *ast.StructType)) {
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		for _, spec := range typeSpecs(f) {
			if s, ok := spec.Type.(*ast.StructType); ok {
				visit(f, spec.Name.Name, s)
			}
		}
	}
}

// functionTypes returns the named function types of the module, as DIR.NAME.
func functionTypes(t *testing.T) map[string]bool {
	declared := map[string]bool{"context.CancelFunc": true, "context.CancelCauseFunc": true}
	for _, f := range moduleFiles(t) {
		for _, spec := range typeSpecs(f) {
			if _, ok := spec.Type.(*ast.FuncType); ok {
				declared[f.dir+"."+spec.Name.Name] = true
			}
		}
	}
	return declared
}

// isFunction reports whether a type in a file of dir is a function type. A type of another
// package is found by the last part of its path, which is the package's name everywhere in
// golem.
func isFunction(expr ast.Expr, dir string, declared map[string]bool) bool {
	switch x := expr.(type) {
	case *ast.FuncType:
		return true
	case *ast.ParenExpr:
		return isFunction(x.X, dir, declared)
	case *ast.Ident:
		return declared[dir+"."+x.Name]
	case *ast.SelectorExpr:
		pkg, ok := x.X.(*ast.Ident)
		for name := range declared {
			if dot := strings.LastIndexByte(name, '.'); ok && name[dot+1:] == x.Sel.Name && path.Base(name[:dot]) == pkg.Name {
				return true
			}
		}
	}
	return false
}

func typeSpecs(f goFile) []*ast.TypeSpec {
	var out []*ast.TypeSpec
	for _, decl := range f.ast.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range gen.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

func receiverName(expr ast.Expr) string {
	switch x := expr.(type) {
	case *ast.StarExpr:
		return receiverName(x.X)
	case *ast.IndexExpr:
		return receiverName(x.X)
	case *ast.IndexListExpr:
		return receiverName(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
