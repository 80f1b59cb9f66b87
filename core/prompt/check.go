package prompt

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/sorting"
)

// Check finds the errors of a template that can be found without an input: its
// syntax, and filters, tests, templates and files that do not exist, in it and
// in every template that it names with a constant. It does not check what
// depends on values.
func (t Template) Check(ctx context.Context) (faults fault.List) {
	r := t.start(ctx)
	defer func() {
		if p := recover(); p != nil {
			faults = append(faults, t.fault(0, "the template engine failed: %v", p))
		}
	}()
	c := checker{r: r, done: map[string]bool{}}
	c.template(ctx, mainName, t.Text)
	if err := ctx.Err(); err != nil {
		return fault.List{fault.Of(err, fault.Template)}
	}
	c.undefined()
	return c.faults
}

// maxFaults bounds the faults of one check, since it takes time to find the place of each.
const maxFaults = 100

type checker struct {
	r      *rendering
	done   map[string]bool
	reads  []read
	faults fault.List
}

// read is a name that a template reads.
type read struct {
	in Text
	use
}

// undefined warns of names that are not defined: they are not a field of a closed input
// schema, not one of golem's names, and no template sets them. If a template is named
// by an expression, it may set any name, so there is no warning.
func (c *checker) undefined() {
	known := c.r.template.Defined
	if known == nil || len(c.faults) > 0 {
		return
	}
	sets, guarded := map[string]bool{}, map[string]bool{}
	for _, tree := range c.r.trees {
		if tree.dynamic {
			return
		}
		maps.Copy(sets, tree.sets)
		maps.Copy(guarded, tree.guarded)
	}
	for _, n := range c.reads {
		of, _, _ := strings.Cut(n.name, ".")
		if len(c.faults) < maxFaults && !known.has(n.name) && !sets[of] && !guarded[n.name] && !guarded[of] {
			c.add(n.in.located(fault.Warn(fault.Template, "%s is not defined", short(n.name)).At(n.in.File, max(n.in.Line, 1)+max(n.line, 1)-1, 0), n.line, n.offset).
				Hinting("declare it in input_schema or vars, or write {{ %s|default(\"…\") }}", short(n.name)))
		}
	}
}

func (c *checker) add(err error) {
	c.faults = append(c.faults, fault.Of(err, fault.Template))
}

func (c *checker) template(ctx context.Context, name string, text Text) {
	if c.done[name] {
		return
	}
	c.done[name] = true
	if err := c.r.add(name, text); err != nil {
		c.add(c.r.explain(err))
		return
	}
	uses := slices.Clone(c.r.trees[name].uses)
	sorting.By(uses, func(a, b use) int { return a.line - b.line })
	for _, u := range uses {
		if ctx.Err() != nil || len(c.faults) >= maxFaults {
			return
		}
		c.use(ctx, text, u)
	}
}

func (c *checker) use(ctx context.Context, in Text, u use) {
	switch u.kind {
	case useName:
		c.reads = append(c.reads, read{in, u})
	case useFilter:
		if templateFilters[u.name] == nil {
			c.add(in.located(hintNear(in.fault(u.line, "there is no filter %s", short(u.name)), u.name, templateFilters), u.line, u.offset))
		}
	case useTest:
		if templateTests[u.name] == nil {
			c.add(in.located(hintNear(in.fault(u.line, "there is no test %s", short(u.name)), u.name, templateTests), u.line, u.offset))
		}
	default:
		text, err := c.r.read(ctx, u.name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && u.forgiving:
		case errors.Is(err, fs.ErrNotExist) && u.kind == useFile:
			c.add(c.missing(in.located(in.fault(u.line, "there is no file %s", c.r.template.soughtName(u.name)), u.line, u.offset), u.name))
		case errors.Is(err, fs.ErrNotExist):
			c.add(c.missing(in.located(in.fault(u.line, "there is no template %s", c.r.template.soughtName(u.name)), u.line, u.offset), u.name))
		case err != nil:
			f := fault.Of(err, fault.Template)
			if f.Where == nil {
				f = f.At(in.File, max(in.Line, 1)+max(u.line, 1)-1, 0)
			}
			c.add(f)
		case u.kind == useTemplate:
			c.template(ctx, u.name, text)
		}
	}
}

// hintNear adds a hint with the nearest name of a table, if one is near.
func hintNear[T any](f *fault.Fault, name string, known map[string]T) *fault.Fault {
	if one := fault.Nearest(name, slices.Sorted(maps.Keys(known))); one != "" {
		return f.Hinting("did you mean %s", one)
	}
	return f
}

// missing adds a hint with the file that the name may mean, if it is in a place where
// golem does not look.
func (c *checker) missing(f *fault.Fault, name string) *fault.Fault {
	if c.r.template.Files == nil {
		return f
	}
	if file := c.r.template.Files.Beside(name); file != "" {
		return f.Hinting("move %s to prompts/ or templates/", file)
	}
	return f
}
