package reference

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const keptHead = `# Events of a trace

A [trace](../trace.md) has one JSON object a line. The first line is the header. Each line after it has these fields, and those of its ` + "`type`" + `:

| field | meaning |
|---|---|
| ` + "`seq`" + ` | its number, from 1, without gaps |
| ` + "`ts`" + ` | the time, RFC 3339 in UTC |
| ` + "`type`" + ` | what happened |
| ` + "`id`, `parent`" + ` | the call that it belongs to, and the caller: ` + "`0`" + ` is the run, ` + "`0.2`" + ` its second call. Ids do not depend on timing |
| ` + "`worker`, `depth`" + ` | the worker that runs, and how many workers are above it |

` + "`?`" + ` marks a field that may be missing. [Values](values.md) describes ` + "`usage`, `error`" + ` and other values with several fields.
`

const shownHead = `# Events that are only shown

` + "`golem run --json`" + ` and the page show these events between those of [the trace](events.md). They have no ` + "`seq`" + `, and no trace has them. [Trace](../trace.md#--json) says more about ` + "`--json`" + `.
`

const valuesHead = `# Values in events

These objects occur in [events](events.md). ` + "`?`" + ` marks a field that may be missing.
`

const questionHead = `# Questions

The event ` + "`ask`" + ` of ` + "[`golem run --json`](../trace.md#--json)" + ` and the function ` + "`approve`" + ` of [golem.js](../web/embedding.md#questions) get a request. ` + "`?`" + ` marks a field that may be missing.
`

const answerText = `
| answer | meaning |
|---|---|
| ` + "`yes`, `no`" + ` | for this question only |
| ` + "`session`, `never`" + ` | yes, or no, also when exactly this call comes again in this session |
| ` + "`always`" + ` | yes, for any arguments of this tool in this session |
| ` + "`keep`" + ` | yes, and save the rule |
`

// values are the types that occur in several events, in the order of the page.
var values = []string{"Header", "Usage", "FileRef", "CallRef", "Reasoned", "Part"}

// asked are the types of which a question is made; others that have fields of the same names are
// not on the page.
var asked = []string{"Request", "Line", "Worker", "Grant", "PathUse", "Lasting"}

// structure is a type of package trace whose JSON has fields.
type structure struct {
	doc    string
	fields []string
}

// events are the types of package trace.
type events struct {
	types map[string]structure
	order []string          // names of the types, as they are declared
	kinds map[string]string // the value of "type", by the name of the type
	shown map[string]bool   // those that no trace has
}

// Events returns the pages about the events of a trace, from the source of core/trace below
// root.
func Events(root string) (map[string]string, error) {
	e := &events{types: map[string]structure{}, kinds: map[string]string{}, shown: map[string]bool{}}
	for _, name := range []string{"trace/event.go", "trace/body.go", "approval/approval.go", "approval/question.go", "approval/lasting.go", "tool/tool.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "core", filepath.FromSlash(name)), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if err := e.declared(d, !strings.HasPrefix(name, "trace/")); err != nil {
				return nil, fmt.Errorf("core/%s: %w", name, err)
			}
		}
	}
	kept, shown, all := keptHead, shownHead, valuesHead
	for _, name := range e.order {
		kind := e.kinds[name]
		switch part := e.types[name].section(kind); {
		case kind == "":
		case e.shown[name]:
			shown += part
		default:
			kept += part
		}
	}
	for _, name := range values {
		all += e.types[name].section(name)
	}
	question := questionHead
	for i, name := range asked {
		if question += e.types[name].section(name); i == 0 {
			question += answerText
		}
	}
	return map[string]string{"trace/events.md": kept, "trace/shown.md": shown, "trace/values.md": all + faultText, "trace/question.md": question}, nil
}

const faultText = `
## Fault

An error or a warning. As text it is ` + "`FILE:LINE:COL: CODE: message (hint)`" + `.

- ` + "`code`" + `: an [error code](../errors.md)
- ` + "`message`" + `: what happened
- ` + "`where?`" + `: ` + "`file`, `line`, `column`" + `, and ` + "`chain`" + `, the workers from the first to the one that failed
- ` + "`hint?`" + `: what to do
- ` + "`page?`" + `: ` + "`message`, `hint`" + `: what the page shows in their place, where they are about the command line; ` + "`do`" + `: what it offers to do
- ` + "`severity`" + `: ` + "`error` or `warning`" + `
`

// declared reads a declaration: a type with its fields, or a method EventType or Transient.
// With some, only those of asked.
func (e *events) declared(d ast.Decl, some bool) error {
	if fn, ok := d.(*ast.FuncDecl); ok {
		return e.method(fn)
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, s := range g.Specs {
		t, ok := s.(*ast.TypeSpec)
		if !ok {
			continue
		}
		body, ok := t.Type.(*ast.StructType)
		if !ok || some && !slices.Contains(asked, t.Name.Name) {
			continue
		}
		one := structure{doc: about(t.Name.Name, g.Doc.Text())}
		for _, f := range body.Fields.List {
			line, err := field(f)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name.Name, err)
			}
			if line != "" {
				one.fields = append(one.fields, line)
			}
		}
		e.types[t.Name.Name] = one
		e.order = append(e.order, t.Name.Name)
	}
	return nil
}

func (e *events) method(fn *ast.FuncDecl) error {
	if fn.Recv == nil || len(fn.Body.List) != 1 {
		return nil
	}
	of, ok := fn.Recv.List[0].Type.(*ast.Ident)
	returned, returns := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || !returns || len(returned.Results) != 1 {
		return nil
	}
	switch fn.Name.Name {
	case "EventType":
		lit, ok := returned.Results[0].(*ast.BasicLit)
		if !ok {
			return nil // of a type that golem reads and does not know
		}
		kind, err := strconv.Unquote(lit.Value)
		e.kinds[of.Name] = kind
		return err
	case "Transient":
		value, ok := returned.Results[0].(*ast.Ident)
		e.shown[of.Name] = ok && value.Name == "true"
	}
	return nil
}

// field returns the line of a field, "" if it is not in the JSON.
func field(f *ast.Field) (string, error) {
	if f.Tag == nil {
		return "", nil
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", err
	}
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	if name == "-" || name == "" {
		return "", nil
	}
	text := oneLine(f.Comment.Text())
	if text == "" {
		text = oneLine(f.Doc.Text())
	}
	if text == "" {
		return "", fmt.Errorf("the field %s has no comment", name)
	}
	if strings.Contains(options, "omitempty") {
		name += "?"
	}
	return fmt.Sprintf("- `%s`: %s\n", name, marked(text)), nil
}

func (t structure) section(title string) string {
	return "\n## " + title + "\n\n" + t.doc + "\n\n" + strings.Join(t.fields, "")
}

var (
	cited  = regexp.MustCompile(`\s*\((?:SPEC|S[0-9])[^)]*\)`)
	spaces = regexp.MustCompile(`\s+`)
	quoted = regexp.MustCompile(`"([^"]+)"`)
)

// about returns the comment of a type as a sentence about what it describes.
func about(name, comment string) string {
	text := oneLine(comment)
	for _, begin := range []string{name + " is ", name + " says that ", name + " "} {
		if rest, ok := strings.CutPrefix(text, begin); ok {
			text = rest
			break
		}
	}
	if text == "" {
		return ""
	}
	return marked(strings.ToUpper(text[:1]) + text[1:])
}

func oneLine(comment string) string {
	return strings.TrimSpace(spaces.ReplaceAllString(cited.ReplaceAllString(comment, ""), " "))
}

// marked returns a comment as Markdown: what is in quotes as code.
func marked(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`).Replace(quoted.ReplaceAllString(text, "`$1`"))
}
