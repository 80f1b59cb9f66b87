package prompt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/value"

	"golem/core/fault"
)

// Text is a template, or a text that a template inserts.
type Text struct {
	File   string // the name in faults and in the trace
	Line   int    // number of its first line in File; 0 means 1
	Source string
	// Shifted means that the columns of the text are not those of the file, as
	// with a text that is indented in YAML.
	Shifted bool
}

// Template is one text to render (S1-41..44, S2-17). Its language is Jinja2 as
// MiniJinja implements it, and an undefined name is an error.
type Template struct {
	Text
	Files   Files    // nil: there are none
	Defined *Defined // the names that the template may get; Check warns of others. nil: any name
}

// Files are the files that a template can read.
type Files interface {
	// Load reads a file that the template includes, extends, imports or inserts
	// with file(). It gets the name as it is written in the template. If the
	// file does not exist it returns fs.ErrNotExist, which `ignore missing`
	// accepts.
	Load(name string) (Text, error)
	// Places returns where Load looks for a name, for the error that there is no such
	// file.
	Places(name string) []string
	// Beside returns a file that a name may mean, outside the places where Load looks,
	// for a hint of Check; "" if there is none.
	Beside(name string) string
}

// Limits of one rendering, so that a hostile template ends with an error before
// it takes a second or much memory (SPEC §4).
const (
	maxSteps     = 100_000   // statements and expressions evaluated
	maxDepth     = 64        // of nested includes, macros and loops
	maxVariables = 256       // names that the templates of one rendering set; each call of a macro copies them
	maxTemplates = 100       // files read
	maxSource    = 256 << 10 // bytes of one template
	maxParsed    = 512 << 10 // of all templates, as parsing counts them
	maxOutput    = 1 << 20   // bytes, with what blocks, macros and {% set %} capture

	// The stack of a page is small, and its engine ends a program that needs more.
	maxChain = 1000 // nested things that the engine's parser reads by calling itself
	maxTree  = 800  // depth of a template's tree; an operation takes two levels (errDeep)
	maxStack = 3000 // sum of the depths of the trees that are evaluated inside each other, by macros and includes
	minDepth = 5    // maxDepth for a template with the deepest tree
)

// Render renders the template with the given names. Their values are data and
// are never rendered themselves. It can read only what Load returns, and
// neither the time nor the environment. Every error is a fault: E_TEMPLATE with
// file and line, or Load's own.
func (t Template) Render(ctx context.Context, names map[string]any) (out string, err error) {
	r := t.start(ctx)
	defer func() {
		if p := recover(); p != nil {
			out, err = "", t.fault(0, "the template engine failed: %v", p)
		}
	}()
	if err := r.add(mainName, t.Text); err != nil {
		return "", r.explain(err)
	}
	tmpl, err := r.env.GetTemplate(mainName)
	if err != nil {
		return "", r.explain(err)
	}
	out, err = r.run(ctx, tmpl, names)
	if err == nil {
		err = r.meter.err
	}
	if r.fault != nil {
		return "", r.stopped(err)
	}
	if err != nil {
		return "", r.explain(err)
	}
	return out, nil
}

func (t Template) start(ctx context.Context) *rendering {
	r := &rendering{template: t, texts: map[string]Text{mainName: t.Text}, compiled: map[string]bool{}, trees: map[string]*rewriter{}}
	r.environment(ctx)
	return r
}

// mainName is the engine's name for the text that is rendered. A template cannot use
// it: no name that Load gets has a NUL.
const mainName = "\x00main"

// rendering is one run of the engine.
type rendering struct {
	template  Template
	env       *minijinja.Environment
	meter     meter
	texts     map[string]Text // by the name that the engine knows
	compiled  map[string]bool // the names of the texts that the engine has as templates
	trees     map[string]*rewriter
	adding    string // the name of the last template that was added
	variables int
	parsed    int   // what parsing has cost
	deepest   int   // of all trees
	output    int   // bytes printed, also what blocks and macros capture
	fault     error // ends the rendering, even if the engine continues
}

// environment sets env to an engine that has only what is listed here.
func (r *rendering) environment(ctx context.Context) {
	env := minijinja.EmptyEnvironment()
	env.SetUndefinedBehavior(minijinja.UndefinedStrict)
	env.SetRecursionLimit(maxDepth)
	env.SetDebug(true)
	steps := uint64(maxSteps)
	env.SetFuel(&steps)
	// The engine joins names before it looks a template up. Only here can a template be
	// read, rewritten and given to the engine.
	env.SetPathJoinCallback(func(name, _ string) string { return r.lookUp(ctx, name) })
	env.SetFormatter(func(_ *minijinja.State, v value.Value, _ func(string) string) string { return r.emit(ctx, v) })
	r.meter.install(env)
	env.AddFunction("file", r.file)
	r.env = env
}

// run renders into a bounded text.
func (r *rendering) run(ctx context.Context, t *minijinja.Template, names map[string]any) (string, error) {
	var b strings.Builder
	values := make(map[string]value.Value, len(names))
	for name, v := range names {
		values[name] = value.FromAny(v)
	}
	if err := t.RenderToWriteCtx(ctx, values, &b); err != nil {
		return "", err
	}
	return b.String(), nil
}

// emit returns what {{ … }} prints. It cannot stop the engine: after a fault it prints
// nothing more, until the engine's steps are used up.
func (r *rendering) emit(ctx context.Context, v value.Value) string {
	if r.fault == nil {
		r.fault = ctx.Err()
	}
	if r.fault != nil || r.meter.err != nil {
		return ""
	}
	s := textOf(v)
	if r.output += len(s); r.output > maxOutput {
		r.fault = r.template.fault(0, "the template writes more than %d MB", maxOutput>>20)
		return ""
	}
	return s
}

// lookUp reads and adds a template that another one names, unless it is there already.
func (r *rendering) lookUp(ctx context.Context, name string) string {
	if r.compiled[name] || r.fault != nil {
		return name
	}
	text, err := r.read(ctx, name)
	if err == nil {
		err = r.add(name, text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.fault = r.explain(err)
	}
	return name
}

// read loads a text, within the limits.
func (r *rendering) read(ctx context.Context, name string) (Text, error) {
	if err := ctx.Err(); err != nil {
		return Text{}, err
	}
	if text, known := r.texts[name]; known {
		return text, nil
	}
	if len(r.texts) >= maxTemplates {
		return Text{}, r.template.fault(0, "the template reads more than %d files", maxTemplates)
	}
	if r.template.Files == nil {
		return Text{}, fs.ErrNotExist
	}
	text, err := r.template.Files.Load(name)
	if err == nil {
		r.texts[name] = text
	}
	return text, err
}

// add compiles a template and puts the meter into it.
func (r *rendering) add(name string, text Text) error {
	r.adding = name
	if len(text.Source) > maxSource {
		return text.fault(0, "the template has %d bytes, more than %d", len(text.Source), maxSource)
	}
	if r.parsed += parsing(text.Source); r.parsed > maxParsed {
		return text.fault(0, "the templates are too large together, or have too many tags in too much text").
			Hinting("use fewer tags, or %s", asFile)
	}
	if chained(text.Source) {
		return text.fault(0, "%s", errDeep).Hinting(asFile)
	}
	if err := r.env.AddTemplate(name, text.Source); err != nil {
		return err
	}
	t, err := r.env.GetTemplate(name)
	if err != nil {
		return err
	}
	tree, err := measured(t)
	if r.variables += tree.variables; err == nil && r.variables > maxVariables {
		err = fmt.Errorf("the templates set more than %d names", maxVariables)
	}
	if err != nil {
		r.env.RemoveTemplate(name) // it is not metered, so nothing may run it
		return text.fault(0, "%s", err)
	}
	r.compiled[name], r.trees[name] = true, tree
	r.deepest = max(r.deepest, tree.deepest)
	r.env.SetRecursionLimit(max(minDepth, min(maxDepth, maxStack/(1+r.deepest))))
	return nil
}

const asFile = "insert long texts with file(\"NAME\"), which is not parsed"

// chained reports whether the engine's parser might call itself more than maxChain
// times. The parser bounds nested brackets and tags, but not what is counted here.
func chained(source string) bool {
	dense := strings.Join(strings.Fields(source), "")
	for _, one := range []string{"-", "not", "("} {
		if strings.Contains(dense, strings.Repeat(one, maxChain)) {
			return true
		}
	}
	return strings.Count(source, "else")+strings.Count(source, "elif") > maxChain
}

// parsing returns what it costs to parse a template, in bytes of source. For each tag
// the engine searches the whole rest, and it copies neighbouring texts again and again.
func parsing(source string) int {
	cost := len(source)
	for i := range len(source) {
		rest := source[i:]
		switch {
		case rest[0] == '"' || rest[0] == '\'':
			cost += len(rest) >> 14
		case rest[0] == '{' && len(rest) > 1 && strings.IndexByte("{%#", rest[1]) >= 0:
			cost += len(rest) >> 9
		}
	}
	return cost
}

// file inserts a text of the loader chain as it is (S2-18).
func (r *rendering) file(_ *minijinja.State, args []value.Value, named map[string]value.Value) (value.Value, error) {
	if len(args) != 1 || len(named) > 0 {
		return value.Undefined(), failure("file takes one name: file(\"NAME\")")
	}
	name, ok := args[0].AsString()
	if !ok {
		return value.Undefined(), failure("file takes a name in quotes or a name that holds a text")
	}
	text, err := r.read(context.Background(), name)
	if errors.Is(err, fs.ErrNotExist) {
		return value.Undefined(), failure("there is no file %s", r.template.soughtName(name))
	}
	if err != nil {
		r.fault = r.explain(err)
		return value.Undefined(), failure("%s", err)
	}
	return value.FromString(text.Source), nil
}

// fault returns E_TEMPLATE at a line of the text, counted from 1; 0: at its first.
func (t Text) fault(line int, format string, args ...any) *fault.Fault {
	return fault.New(fault.Template, format, args...).At(t.File, max(t.Line, 1)+max(line, 1)-1, 0)
}

// located returns f with the column of its place in the text, if it is known. line and
// offset, in bytes, are the place in the text.
func (t Text) located(f *fault.Fault, line, offset int) *fault.Fault {
	if t.Shifted || offset > len(t.Source) || 1+strings.Count(t.Source[:offset], "\n") != line {
		return f
	}
	before := t.Source[:offset]
	return f.At(f.Where.File, f.Where.Line, 1+utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]))
}
