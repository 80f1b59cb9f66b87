package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// message is one row of the page. Its text and hint have {…} in place of values.
type message struct{ text, hint string }

// code is one of the constants of package fault: its value, such as E_CONFIG, and its comment.
type code struct{ name, comment string }

// maker describes a function that makes a fault: the numbers of the parameters that are the
// code (-1: it is fixed), the format (whose arguments follow it) and the hint (-1: none).
type maker struct {
	code, format, hint int
	fixed              string
	tail               string // fixed hint
}

// goSource is golem's Go code, without tests, and what was read from it.
type goSource struct {
	codes  []code
	names  map[string]string // Config → E_CONFIG
	dirs   map[string][]*ast.File
	makers map[string]map[string]maker  // by directory and function name
	texts  map[string]map[string]string // string constants by directory
	tree   string                       // the directory of core/yamltree, whose makers other packages call
}

// roots are the directories with messages that people see.
var roots = []string{"core", "cmd", "sandbox", "sdk"}

func read(root string) (*goSource, error) {
	s := &goSource{names: map[string]string{}, dirs: map[string][]*ast.File{}, makers: map[string]map[string]maker{}, texts: map[string]map[string]string{}}
	files := token.NewFileSet()
	for _, top := range roots {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && slices.Contains([]string{"testdata", "coretest", "sandboxtest", "enginetest", "scaffold", "node_modules"}, d.Name()) {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(filepath.Dir(path))
			s.dirs[dir] = append(s.dirs[dir], file)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for dir, list := range s.dirs {
		if strings.HasSuffix(dir, "core/yamltree") {
			s.tree = dir
		}
		s.texts[dir] = map[string]string{}
		for _, file := range list {
			s.constants(dir, file)
		}
	}
	s.findMakers(s.tree) // first, because makers of other packages call those
	for dir := range s.dirs {
		if dir != s.tree {
			s.findMakers(dir)
		}
	}
	return s, nil
}

// constants reads a file's string constants and variables, and the codes of package fault.
func (s *goSource) constants(dir string, file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST && gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			value := spec.(*ast.ValueSpec)
			for i, name := range value.Names {
				if i >= len(value.Values) {
					break
				}
				text, ok := literal(value.Values[i])
				if !ok {
					continue
				}
				s.texts[dir][name.Name] = text
				if typ, is := value.Type.(*ast.Ident); is && typ.Name == "Code" && strings.HasSuffix(dir, "core/fault") {
					s.names[name.Name] = text
					s.codes = append(s.codes, code{text, strings.TrimSpace(value.Comment.Text())})
				}
			}
		}
	}
}

// literal returns the text of a string literal or a sum of literals.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		x, okx := literal(e.X)
		y, oky := literal(e.Y)
		return x + y, okx && oky && e.Op == token.ADD
	}
	return "", false
}

// faultMakers are the constructors of package fault.
var faultMakers = map[string]maker{
	"New":  {code: 0, format: 1, hint: -1},
	"Warn": {code: 0, format: 1, hint: -1},
}

// plainMakers are functions that make errors without a code.
var plainMakers = map[string]maker{
	"errors.New":    {code: -1, format: 0, hint: -1},
	"fmt.Errorf":    {code: -1, format: 0, hint: -1},
	"console.Usage": {code: -1, format: 0, fixed: "E_USAGE", hint: -1},
}

// findMakers finds the functions of a directory that pass a format of their callers, and
// perhaps a code or a hint, to another maker. It repeats the search until it finds no more.
func (s *goSource) findMakers(dir string) {
	s.makers[dir] = map[string]maker{}
	for more := true; more; {
		more = false
		for _, file := range s.dirs[dir] {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil || fn.Type.Params == nil {
					continue
				}
				if _, known := s.makers[dir][fn.Name.Name]; known {
					continue
				}
				if m, ok := s.handsOn(dir, fn); ok {
					s.makers[dir][fn.Name.Name] = m
					more = true
				}
			}
		}
	}
}

// handsOn reports whether fn passes one of its parameters to a maker as the format, and
// returns fn as a maker.
func (s *goSource) handsOn(dir string, fn *ast.FuncDecl) (maker, bool) {
	at := map[string]int{}
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			at[name.Name] = len(at)
		}
	}
	parameter := func(e ast.Expr) int {
		if id, ok := e.(*ast.Ident); ok {
			if i, ok := at[id.Name]; ok {
				return i
			}
		}
		return -1
	}
	var out maker
	found := false
	s.calls(dir, fn.Body, func(c call) {
		format := parameter(c.format)
		if format < 0 && c.whole != nil { // New(code, "%s", text)
			format = parameter(c.whole)
		}
		if found || format < 0 {
			return
		}
		found = true
		out = maker{code: -1, format: format, hint: -1, fixed: c.code}
		if c.codeExpr != nil {
			out.code = parameter(c.codeExpr)
		}
		if c.hint != nil {
			out.hint = parameter(c.hint)
			if out.hint < 0 && len(c.hintArgs) == 1 {
				out.hint = parameter(c.hintArgs[0])
			}
			if out.hint < 0 {
				out.tail, _ = literal(c.hint)
			}
		}
	})
	return out, found
}
