package prompt

import (
	"errors"
	"reflect"
	"strings"
	"unsafe"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
)

// The names of filters that only rewritten trees use. A template cannot write
// these names.
const (
	lookFilter = "\x00look"
	negFilter  = "\x00neg"
)

// The kinds of binary operators in the template engine's tree.
const (
	opAnd = 6
	opOr  = 7
	opMul = 10

	opNeg = 1 // of one value
)

// errTree means that the engine's tree is not the one that this code was written for.
// The template is then refused, because nothing would bound it.
var errTree = errors.New("this build cannot bound templates: the template engine has changed")

// errDeep is the error of an expression, or a chain of elif, that would need too much
// of the stack.
var errDeep = errors.New("the template has an expression with more than 400 operations in each other, or an if with as many branches")

// measured rewrites a template's tree so that the meter sees every operation that can
// make a value larger, or that takes time in proportion to its size; emit bounds what
// {{ … }} and plain text print. It returns the rewriter with what it found.
//
// The engine counts steps, not sizes: `{% set x = x ~ x %}` doubles in two, and
// [0] * 1000000000 allocates in one. It has no hook for either, and its tree is
// private, so this reaches it by reflection (docs/internal/why.md).
func measured(t *minijinja.Template) (w *rewriter, err error) {
	w = &rewriter{sets: map[string]bool{}, guarded: map[string]bool{}}
	defer func() {
		if recover() != nil {
			err = errTree
		}
	}()
	tree, err := treeOf(t)
	if err != nil {
		return w, err
	}
	if w.nodes, err = sampleNodes(); err != nil {
		return w, err
	}
	w.walk(tree)
	return w, w.err
}

// treeOf returns Template.compiled.ast in a settable form.
func treeOf(t *minijinja.Template) (reflect.Value, error) {
	f := reflect.ValueOf(t).Elem().FieldByName("compiled")
	if f.Kind() != reflect.Pointer || f.IsNil() {
		return reflect.Value{}, errTree
	}
	ast := f.Elem().FieldByName("ast")
	if ast.Kind() != reflect.Pointer || ast.IsNil() || typeName(ast) != "Template" {
		return reflect.Value{}, errTree
	}
	return settable(ast).Elem(), nil
}

// nodes has the engine's types of which the rewriter makes values, found in a sample.
type nodes struct {
	filter, emitExpr, constant, argument reflect.Type // the struct types
}

func sampleNodes() (nodes, error) {
	t, err := minijinja.NewEnvironment().TemplateFromString(`{{ a|f("b") }}`)
	if err != nil {
		return nodes{}, err
	}
	tree, err := treeOf(t)
	if err != nil {
		return nodes{}, err
	}
	emit := tree.FieldByName("Children").Index(0).Elem().Elem()
	filter := emit.FieldByName("Expr").Elem().Elem()
	argument := filter.FieldByName("Args").Index(0)
	n := nodes{emitExpr: emit.Type(), filter: filter.Type(), argument: argument.Type(), constant: argument.FieldByName("Value").Elem().Elem().Type()}
	if n.emitExpr.Name() != "EmitExpr" || n.filter.Name() != "Filter" || n.argument.Name() != "CallArg" || n.constant.Name() != "Const" {
		return nodes{}, errTree
	}
	return n, nil
}

// rewriter rewrites one tree and notes the names in it.
type rewriter struct {
	nodes     nodes
	variables int // names that the template sets
	uses      []use
	sets      map[string]bool // names that the template sets, anywhere
	guarded   map[string]bool // names that it tests, or gives a default, before it reads them
	dynamic   bool            // it names a template by an expression
	depth     int             // of the node that is walked
	deepest   int
	err       error // the tree has a node that this code does not know
}

// use is a name that a template contains as a constant and that must exist.
type use struct {
	kind      useKind
	name      string
	line      int
	offset    int  // in the template's bytes
	forgiving bool // include … ignore missing
}

type useKind int

const (
	useTemplate useKind = iota
	useFile
	useFilter
	useTest
	useName // x, or x.y for a field of one of golem's own names
)

// walk rewrites everything below v: a struct, a slice or an interface field of
// the tree.
func (w *rewriter) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() && w.err == nil {
			w.depth++
			if w.deepest = max(w.deepest, w.depth); w.depth > maxTree {
				w.err = errDeep
			} else {
				w.walk(v.Elem())
			}
			w.depth--
			if v.Kind() == reflect.Interface {
				w.replace(v)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// A target is assigned to: it makes no value.
			if f := v.Type().Field(i); f.IsExported() && f.Name != "Target" {
				w.walk(v.Field(i))
			}
		}
		w.operands(v)
		w.noteUse(v)
	}
}

// noteUse collects the names that can be checked without running the template.
func (w *rewriter) noteUse(node reflect.Value) {
	note := func(kind useKind, name reflect.Value) {
		if name.Kind() == reflect.Interface && !name.IsNil() {
			if name = name.Elem(); typeName(name) != "Const" {
				w.dynamic = w.dynamic || kind == useTemplate
				return
			}
			name = name.Elem().FieldByName("Value").Elem()
		}
		if name.Kind() == reflect.String {
			at := settable(node.FieldByName("span"))
			w.uses = append(w.uses, use{kind: kind, name: name.String(), line: int(at.FieldByName("StartLine").Uint()), offset: int(at.FieldByName("StartOffset").Uint())})
		}
	}
	switch node.Type().Name() {
	case "Include":
		before := len(w.uses)
		if note(useTemplate, node.FieldByName("Name")); len(w.uses) > before {
			w.uses[before].forgiving = node.FieldByName("IgnoreMissing").Bool()
		}
	case "Extends":
		note(useTemplate, node.FieldByName("Name"))
	case "Import", "FromImport":
		note(useTemplate, node.FieldByName("Expr"))
	case "Filter":
		note(useFilter, node.FieldByName("Name"))
		if name := node.FieldByName("Name").String(); name == "default" || name == "d" {
			w.guarded[readName(node.FieldByName("Expr"))] = true
		}
	case "Test":
		note(useTest, node.FieldByName("Name"))
		if name := node.FieldByName("Name").String(); name == "defined" || name == "undefined" {
			w.guarded[readName(node.FieldByName("Expr"))] = true
		}
	case "Var":
		note(useName, node.FieldByName("ID"))
	case "GetAttr":
		if name := readName(node.Addr()); strings.Contains(name, ".") {
			note(useName, reflect.ValueOf(name))
		}
	case "Call":
		called, args := node.FieldByName("Expr").Elem(), node.FieldByName("Args")
		if typeName(called) == "Var" && called.Elem().FieldByName("ID").String() == "file" && args.Len() == 1 {
			note(useFile, args.Index(0).FieldByName("Value"))
		}
	}
}

// readName returns x for the name x, x.y for a field of it, and "" for anything else.
func readName(expr reflect.Value) string {
	if expr.Kind() == reflect.Interface {
		if expr.IsNil() {
			return ""
		}
		expr = expr.Elem()
	}
	switch node := expr.Elem(); typeName(expr) {
	case "Var":
		return node.FieldByName("ID").String()
	case "GetAttr":
		if of := node.FieldByName("Expr"); !of.IsNil() && typeName(of.Elem()) == "Var" {
			return readName(of) + "." + node.FieldByName("Name").String()
		}
	}
	return ""
}

// set adds the names that an assignment sets to sets.
func (w *rewriter) set(target reflect.Value) {
	if target.IsNil() {
		return
	}
	switch target = target.Elem(); typeName(target) {
	case "Var":
		w.sets[target.Elem().FieldByName("ID").String()] = true
	case "List":
		for items, i := target.Elem().FieldByName("Items"), 0; i < items.Len(); i++ {
			w.set(items.Index(i))
		}
	}
}

// operands puts the meter around what an operation reads, if the operation takes time
// in proportion to its size.
func (w *rewriter) operands(node reflect.Value) {
	switch node.Type().Name() {
	case "BinOp":
		if op := node.FieldByName("Op").Int(); op != opAnd && op != opOr && operators[op] == "" {
			w.look(node.FieldByName("Left"))
			w.look(node.FieldByName("Right"))
		}
	case "Compare", "CompareOp", "Slice", "EmitExpr":
		w.look(node.FieldByName("Expr"))
	case "ForLoop":
		w.look(node.FieldByName("Iter"))
		w.names(node.FieldByName("Target"))
	case "Set", "SetBlock", "Assignment":
		w.names(node.FieldByName("Target"))
	case "Macro":
		args := node.FieldByName("Args")
		w.variables += 1 + args.Len()
		w.sets[node.FieldByName("Name").String()] = true
		for i := range args.Len() {
			w.set(args.Index(i))
		}
	case "Import":
		w.variables++
		w.set(node.FieldByName("Name"))
	case "ImportName":
		w.set(node.FieldByName("Name"))
		w.set(node.FieldByName("Alias"))
	case "FromImport":
		w.variables += node.FieldByName("Names").Len()
	case "Test", "IfExpr", "UnaryOp", "GetAttr", "GetItem", "Call", "CallArg", "Filter", "List", "Map", "Var", "Const",
		"Template", "EmitRaw", "IfCond", "WithBlock", "AutoEscape", "FilterBlock", "Block", "Extends", "Include",
		"CallBlock", "Do", "Continue", "Break", "BigInt", "Int", "Span":
	default:
		w.err = errTree
	}
}

// names counts the names that an assignment sets.
func (w *rewriter) names(target reflect.Value) {
	w.set(target)
	if target = target.Elem(); typeName(target) == "List" {
		for items, i := target.Elem().FieldByName("Items"), 0; i < items.Len(); i++ {
			w.names(items.Index(i))
		}
		return
	}
	w.variables++
}

// replace changes the node that an interface field holds.
func (w *rewriter) replace(field reflect.Value) {
	node := field.Elem()
	switch typeName(node) {
	case "BinOp":
		n := node.Elem()
		op := n.FieldByName("Op").Int()
		if name := operators[op]; name != "" {
			field.Set(w.filter(opFilter(name), n.FieldByName("Left"), n.FieldByName("Right"), node))
		} else if op != opAnd && op != opOr {
			w.look(field)
		}
	case "UnaryOp":
		if n := node.Elem(); n.FieldByName("Op").Int() == opNeg {
			field.Set(w.filter(negFilter, n.FieldByName("Expr"), reflect.Value{}, node))
		}
	case "List", "Map", "Slice":
		w.look(field)
	case "EmitRaw":
		text := reflect.New(w.nodes.constant)
		text.Elem().FieldByName("Value").Set(reflect.ValueOf(node.Elem().FieldByName("Raw").String()))
		emit := reflect.New(w.nodes.emitExpr)
		emit.Elem().FieldByName("Expr").Set(text)
		field.Set(emit)
	}
}

// look puts the meter around a field's expression, unless it passes.
func (w *rewriter) look(field reflect.Value) {
	if field.Kind() != reflect.Interface {
		w.err = errTree
	} else if !field.IsNil() && !w.passes(field.Elem()) {
		field.Set(w.filter(lookFilter, field, reflect.Value{}, field.Elem()))
	}
}

// passes reports whether an expression is metered already or has a fixed size.
func (w *rewriter) passes(node reflect.Value) bool {
	name := typeName(node)
	return name == "Const" || name == "Filter"
}

// filter returns a node for left|name(right).
func (w *rewriter) filter(name string, left, right, at reflect.Value) reflect.Value {
	f := reflect.New(w.nodes.filter)
	f.Elem().FieldByName("Name").SetString(name)
	f.Elem().FieldByName("Expr").Set(left)
	if right.IsValid() {
		arg := reflect.New(w.nodes.argument).Elem()
		arg.FieldByName("Value").Set(right)
		args := reflect.Append(f.Elem().FieldByName("Args"), arg)
		f.Elem().FieldByName("Args").Set(args)
	}
	settable(f.Elem().FieldByName("span")).Set(settable(at.Elem().FieldByName("span")))
	return f
}

// settable returns an unexported field in a form that can be set.
func settable(f reflect.Value) reflect.Value {
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}

func typeName(v reflect.Value) string {
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}
