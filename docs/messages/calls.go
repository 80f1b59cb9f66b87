package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// call is one call in the source that makes a fault or an error.
type call struct {
	code     string   // E_…, "" if it is not a constant
	codeExpr ast.Expr // the expression of the code, nil if the maker has a fixed code
	format   ast.Expr
	args     []ast.Expr
	whole    ast.Expr // the only argument of a format that is "%s"
	hint     ast.Expr // nil if there is none
	hintArgs []ast.Expr
	tail     string // the hint that the maker adds itself
}

// calls finds every call below n that makes a fault, and the hint that is added to it. It
// calls use with each.
func (s *goSource) calls(dir string, n ast.Node, use func(call)) {
	hints := map[*ast.CallExpr]*ast.CallExpr{} // constructor → Hinting
	ast.Inspect(n, func(n ast.Node) bool {
		if back, ok := n.(*ast.ReturnStmt); ok && len(back.Results) == 2 && isRemedy(back.Results[1]) { // of a status
			out := call{code: s.names["Model"]}
			out.format, out.args = unwrapped(back.Results[0], nil)
			out.hint, out.hintArgs = remedyHint(back.Results[1])
			use(out)
			return true
		}
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Hinting" {
			if made := receiver(sel.X); made != nil && hints[made] == nil {
				hints[made] = c
			}
		}
		if message := messageOf(c); message != nil {
			out := call{code: s.codeOf(c.Args[0]), codeExpr: c.Args[0]}
			out.format, out.args = unwrapped(message, nil)
			out.hint, out.hintArgs = remedyHint(c.Args[1])
			use(out)
			return true
		}
		m, ok := s.makerOf(dir, c)
		if !ok || m.format >= len(c.Args) || m.code >= len(c.Args) {
			return true
		}
		out := call{code: m.fixed, tail: m.tail}
		out.format, out.args = unwrapped(c.Args[m.format], c.Args[m.format+1:])
		if m.code >= 0 {
			out.codeExpr = c.Args[m.code]
			out.code = s.codeOf(out.codeExpr)
		}
		if text, ok := literal(out.format); ok && text == "%s" && len(out.args) == 1 {
			out.whole = out.args[0]
		}
		if m.hint >= 0 && m.hint < len(c.Args) {
			out.hint, out.hintArgs = c.Args[m.hint], c.Args[m.hint+1:]
			if m.hint < m.format {
				out.hintArgs = nil
			}
		} else if h := hints[c]; h != nil && len(h.Args) > 0 {
			out.hint, out.hintArgs = h.Args[0], h.Args[1:]
		}
		use(out)
		return true
	})
}

// messageOf returns, for (&failure{message: x}).fault(code, …), the message; nil for other calls.
func messageOf(c *ast.CallExpr) ast.Expr {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "fault" || len(c.Args) != 2 {
		return nil
	}
	made := ast.Unparen(sel.X)
	if pointer, ok := made.(*ast.UnaryExpr); ok {
		made = pointer.X
	}
	fields, ok := made.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, e := range fields.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && name(pair.Key) == "message" {
			return pair.Value
		}
	}
	return nil
}

// isRemedy reports whether an expression makes a remedy of package model.
func isRemedy(e ast.Expr) bool {
	hint, _ := remedyHint(e)
	return hint != nil
}

// remedyHint returns the hint of a remedy for the command line; nil if it is not known.
func remedyHint(e ast.Expr) (ast.Expr, []ast.Expr) {
	switch e := e.(type) {
	case *ast.CallExpr:
		switch name(e.Fun) {
		case "hint or page":
			return unwrapped(e.Args[0], nil)
		case "another model":
			format, args := unwrapped(e.Args[0], nil)
			return &ast.BinaryExpr{X: format, Op: token.ADD, Y: &ast.BasicLit{Kind: token.STRING, Value: `" another model with --model"`}}, args
		}
	case *ast.CompositeLit:
		if len(e.Elts) == 0 || name(e.Type) != "remedy" {
			return nil, nil
		}
		if pair, ok := e.Elts[0].(*ast.KeyValueExpr); ok {
			return unwrapped(pair.Value, nil)
		}
		return unwrapped(e.Elts[0], nil)
	}
	return nil, nil
}

// unwrapped returns the format and the arguments of fmt.Sprintf, or what it is given.
func unwrapped(format ast.Expr, args []ast.Expr) (ast.Expr, []ast.Expr) {
	if c, ok := format.(*ast.CallExpr); ok && len(c.Args) > 0 {
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sprintf" {
			return c.Args[0], c.Args[1:]
		}
	}
	return format, args
}

// receiver returns, for x.At(…).InChain(…), the call that made x.
func receiver(e ast.Expr) *ast.CallExpr {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "At" || sel.Sel.Name == "InChain" || sel.Sel.Name == "Hinting") {
		if inner := receiver(sel.X); inner != nil {
			return inner
		}
	}
	return c
}

// makerOf returns the maker of the function that c calls, and false if it makes no fault.
func (s *goSource) makerOf(dir string, c *ast.CallExpr) (maker, bool) {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		if strings.HasSuffix(dir, "core/fault") {
			m, ok := faultMakers[fun.Name]
			return m, ok
		}
		m, ok := s.makers[dir][fun.Name]
		return m, ok
	case *ast.SelectorExpr:
		pkg, _ := fun.X.(*ast.Ident)
		if pkg != nil && pkg.Name == "fault" {
			m, ok := faultMakers[fun.Sel.Name]
			return m, ok
		}
		if pkg != nil {
			if m, ok := plainMakers[pkg.Name+"."+fun.Sel.Name]; ok {
				return m, true
			}
		}
		m, ok := s.makers[dir][fun.Sel.Name]
		if !ok && fun.Sel.IsExported() {
			m, ok = s.makers[s.tree][fun.Sel.Name] // a method of a type of core/yamltree
		}
		return m, ok
	}
	return maker{}, false
}

// codeOf returns the E_ name of the constant fault.X, "" if e is not such a constant.
func (s *goSource) codeOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return s.names[e.Sel.Name]
	case *ast.Ident:
		return s.names[e.Name]
	}
	return ""
}

// messages returns all messages, by code.
func (s *goSource) messages() map[string][]message {
	out := map[string][]message{}
	for dir, files := range s.dirs {
		for _, file := range files {
			s.calls(dir, file, func(c call) {
				text := s.text(dir, c.format, c.args)
				if !says(text) {
					return
				}
				hint := c.tail
				if c.hint != nil {
					hint = s.text(dir, c.hint, c.hintArgs)
				}
				out[c.code] = append(out[c.code], message{text, hint})
			})
		}
	}
	return out
}

// says reports whether a text has words besides its {…}.
func says(text string) bool {
	return strings.ContainsFunc(value.ReplaceAllString(text, ""), unicode.IsLetter)
}

var (
	value = regexp.MustCompile(`\{[^{}]*\}`)
	verb  = regexp.MustCompile(`%[-+# 0]*[0-9.*]*(?:\[([0-9]+)\])?[a-zA-Z%]`)
)

// text returns a format in which {name} replaces each verb.
func (s *goSource) text(dir string, format ast.Expr, args []ast.Expr) string {
	text, ok := s.format(dir, format)
	if !ok {
		return "{" + name(format) + "}"
	}
	next := 0
	return verb.ReplaceAllStringFunc(text, func(v string) string {
		if v == "%%" {
			return "%"
		}
		if m := verb.FindStringSubmatch(v); m[1] != "" {
			next = int(m[1][0]-'0') - 1
		}
		what := "{…}"
		if next < len(args) {
			if lit, ok := s.format(dir, args[next]); ok {
				what = lit
			} else {
				what = "{" + name(args[next]) + "}"
			}
		}
		next++
		if strings.HasSuffix(v, "q") {
			return `"` + what + `"`
		}
		return what
	})
}

// format returns the text of a string literal, a constant, or a sum in which at least one part
// is one of these; other parts become {name}.
func (s *goSource) format(dir string, e ast.Expr) (string, bool) {
	if text, ok := literal(e); ok {
		return text, true
	}
	switch e := e.(type) {
	case *ast.Ident:
		text, ok := s.texts[dir][e.Name]
		return text, ok
	case *ast.SelectorExpr: // a constant of another package
		if pkg, ok := e.X.(*ast.Ident); ok && e.Sel.IsExported() {
			for other, texts := range s.texts {
				if text, ok := texts[e.Sel.Name]; ok && path.Base(other) == pkg.Name {
					return text, true
				}
			}
		}
	case *ast.BinaryExpr:
		x, okx := s.format(dir, e.X)
		y, oky := s.format(dir, e.Y)
		if !okx && !oky {
			return "", false
		}
		if !okx {
			x = "{" + name(e.X) + "}"
		}
		if !oky {
			y = "{" + name(e.Y) + "}"
		}
		return x + y, true
	}
	return "", false
}

// wrappers are functions that only change how their first argument is written.
var wrappers = map[string]bool{"clean": true, "quoted": true, "Quoted": true, "str": true, "Brief": true, "shorten": true, "brief": true, "Escape": true, "Base": true, "Join": true, "Trim": true,
	"ToSlash": true, "oneLine": true, "OneLine": true, "Sprint": true, "Append": true, "Abs": true, "string": true, "String": true, "Shorten": true, "Quote": true, "TrimSpace": true}

// name returns words for the value of an expression: "number of tools" for len(w.Tools),
// "path" for quoted(file.Path), "cause" for err.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return words(e.Name)
	case *ast.SelectorExpr:
		return words(e.Sel.Name)
	case *ast.IndexExpr:
		return name(e.X)
	case *ast.SliceExpr:
		return name(e.X)
	case *ast.ParenExpr:
		return name(e.X)
	case *ast.StarExpr:
		return name(e.X)
	case *ast.UnaryExpr:
		return name(e.X)
	case *ast.BinaryExpr:
		return name(e.X)
	case *ast.TypeAssertExpr:
		return name(e.X)
	case *ast.BasicLit:
		return strings.Trim(e.Value, "\"`")
	case *ast.ArrayType, *ast.CompositeLit, *ast.FuncLit:
		return "…"
	case *ast.CallExpr:
		fun := ""
		switch f := e.Fun.(type) {
		case *ast.Ident:
			fun = f.Name
		case *ast.SelectorExpr:
			fun = f.Sel.Name
			if len(e.Args) == 0 && (fun == "Error" || fun == "String") {
				return name(f.X)
			}
		case *ast.ArrayType:
			fun = "string"
		}
		switch {
		case fun == "len" && len(e.Args) == 1:
			return "number of " + name(e.Args[0])
		case (wrappers[fun] || len(fun) < 3) && len(e.Args) > 0:
			if first, ok := e.Args[0].(*ast.Ident); ok && first.Name == "c" && len(e.Args) > 1 {
				return name(e.Args[1]) // after the console
			}
			return name(e.Args[0])
		}
		return words(fun)
	}
	return "…"
}

// words returns a Go name as words: "tool timeout" for toolTimeout.
func words(name string) string {
	switch name {
	case "err", "cause", "reason", "pathless":
		return "cause"
	case "ID":
		return "id"
	}
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
