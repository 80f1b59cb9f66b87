package reference

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"
)

// source reads what golem's files declare. It parses them, because most of the tables are for
// one package only, or for one system.
type source struct {
	root  string
	files map[string]*ast.File
}

func newSource(root string) *source { return &source{root, map[string]*ast.File{}} }

// value returns the value of a constant or variable that a file declares outside functions.
func (s *source) value(file, name string) (ast.Expr, error) {
	if s.files[file] == nil {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(s.root, filepath.FromSlash(file)), nil, 0)
		if err != nil {
			return nil, err
		}
		s.files[file] = parsed
	}
	for _, decl := range s.files[file].Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && v.Names[0].Name == name && len(v.Values) == 1 {
				return v.Values[0], nil
			}
		}
	}
	return nil, fmt.Errorf("%s does not declare %s with a value", file, name)
}

// number returns the value of a constant: a whole number, or a duration in seconds.
func (s *source) number(file, name string) (int64, error) {
	expr, err := s.value(file, name)
	if err != nil {
		return 0, err
	}
	var text strings.Builder
	if err := printer.Fprint(&text, token.NewFileSet(), expr); err != nil {
		return 0, err
	}
	plain := strings.NewReplacer("time.Second", "1", "time.Minute", "60", "time.Hour", "3600").Replace(text.String())
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, plain)
	if err != nil || v.Value == nil {
		return 0, fmt.Errorf("%s: %s is %s: %w", file, name, text.String(), err)
	}
	n, exact := constant.Int64Val(constant.ToInt(v.Value))
	if !exact {
		return 0, fmt.Errorf("%s: %s is no whole number", file, name)
	}
	return n, nil
}

// elements returns the elements of a list, or the entries of a map, that a file declares.
func (s *source) elements(file, name string) ([]ast.Expr, error) {
	expr, err := s.value(file, name)
	if err != nil {
		return nil, err
	}
	return elements(expr), nil
}

// elements returns what is in a composite literal; nothing for other expressions.
func elements(expr ast.Expr) []ast.Expr {
	if list, ok := expr.(*ast.CompositeLit); ok {
		return list.Elts
	}
	return nil
}

// text returns the value of a literal of a text, "" for other expressions.
func text(expr ast.Expr) string {
	if literal, ok := expr.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		value, _ := strconv.Unquote(literal.Value) // the parser accepted it
		return value
	}
	return ""
}

// ticked returns names as code, separated by blanks.
func ticked(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "`" + strings.Join(names, "` `") + "`"
}
