package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mitsuhiko/minijinja/minijinja-go/v2"
	"github.com/mitsuhiko/minijinja/minijinja-go/v2/syntax"

	"golem/core/fault"
)

// explain returns the fault of an error of the engine: the innermost cause, at its
// place, with that line of the template.
func (r *rendering) explain(err error) error {
	var at *minijinja.Error
	for e := err; e != nil; e = errors.Unwrap(e) {
		if f, ok := e.(*fault.Fault); ok {
			if f.Where == nil && at != nil {
				return r.located(f, at)
			}
			return f
		}
		if one, ok := e.(*minijinja.Error); ok {
			at = one
		}
	}
	switch {
	case at == nil && errors.Is(err, fs.ErrNotExist):
		return r.template.fault(0, "a template is missing")
	case at == nil:
		return r.unplaced(err)
	}
	message := at.Message
	switch at.Kind {
	case minijinja.ErrUndefinedVar:
		return r.undefined(at)
	case minijinja.ErrTemplateNotFound:
		message = "there is no template " + r.template.soughtName(at.Message)
	case minijinja.ErrUnknownFilter:
		message = "there is no filter " + at.Message
	case minijinja.ErrUnknownTest:
		message = "there is no test " + at.Message
	case minijinja.ErrUnknownFunction:
		message = quoted(r.excerpt(at), "this") + " is not a function or macro"
		if message[0] == '.' {
			message += ": values have no methods, so write a filter, such as x|upper or x|items"
		}
	case minijinja.ErrOutOfFuel:
		message = "the template takes too many steps"
	case minijinja.ErrInvalidOperation:
		if message == "recursion limit exceeded" {
			message = fmt.Sprintf("templates, macros or loops are in each other more than %d deep, or fewer that have deep expressions", maxDepth)
		}
	case minijinja.ErrSyntax:
		message = "syntax: " + at.Message
	}
	return r.located(fault.New(fault.Template, "%s", message), at)
}

// undefined returns the fault of a name that has no value. Most often it is an optional
// field that the input does not have.
func (r *rendering) undefined(at *minijinja.Error) error {
	name := r.excerpt(at)
	f := fault.Of(r.located(fault.New(fault.Template, "%s is not defined", quoted(name, "a name here")), at), fault.Template)
	if isName(name) {
		f = f.Hinting("%s; where it may be missing, write %s|default(\"\")", f.Hint, name)
	}
	return f
}

// isName reports whether an excerpt is a name alone; x.name needs a default for x as well.
func isName(s string) bool {
	return s != "" && len(s) <= 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// stopped returns the fault that ended the rendering, at the place where the engine
// stopped because of it; if there is none, at the beginning.
func (r *rendering) stopped(err error) error {
	var f *fault.Fault
	if !errors.As(r.fault, &f) {
		return r.explain(r.fault)
	}
	if f.Where != nil {
		return f
	}
	at := &minijinja.Error{Name: mainName}
	if e := (*minijinja.Error)(nil); errors.As(err, &e) {
		for at = e; e != nil && errors.As(e.Cause, &e); {
			at = e
		}
	}
	return r.located(f, at)
}

// located returns f with its place in a template and, as a hint, the line.
func (r *rendering) located(f *fault.Fault, at *minijinja.Error) error {
	text := r.text(at.Name)
	if at.Span == nil {
		return f.At(text.File, max(text.Line, 1), 0)
	}
	line := int(at.Span.StartLine)
	f = text.located(f.At(text.File, max(text.Line, 1)+line-1, 0), line, text.start(at.Span))
	if lines := strings.Split(text.Source, "\n"); line >= 1 && line <= len(lines) && f.Hint == "" {
		f = f.Hinting("in: %s", short(strings.TrimSpace(lines[line-1])))
	}
	return f
}

// text returns the template with this name; if it was not added, the one that is rendered.
func (r *rendering) text(name string) Text {
	if text, known := r.texts[name]; known {
		return text
	}
	return r.template.Text
}

// start returns the offset of the name that a span of the engine is about, which is after {{.
func (t Text) start(at *syntax.Span) int {
	if int(at.EndOffset) > len(t.Source) || at.StartOffset >= at.EndOffset {
		return len(t.Source) + 1
	}
	s := t.Source[at.StartOffset:at.EndOffset]
	rest := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(s, "{{"), "-"), " \t\n")
	if !strings.HasPrefix(s, "{{") || strings.Contains(s[:len(s)-len(rest)], "\n") {
		rest = s
	}
	return int(at.StartOffset) + len(s) - len(rest)
}

// excerpt returns the part of a template that an error is about; "" if it is not known
// or is more than an expression.
func (r *rendering) excerpt(at *minijinja.Error) string {
	text, known := r.texts[at.Name]
	if !known || at.Span == nil || at.Span.StartOffset >= at.Span.EndOffset || int(at.Span.EndOffset) > len(text.Source) {
		return ""
	}
	s := strings.TrimSpace(strings.TrimPrefix(text.Source[at.Span.StartOffset:at.Span.EndOffset], "{{"))
	if strings.ContainsAny(s, "{}\n") {
		return ""
	}
	return s
}

// unplaced returns the fault of an error without a place: of the engine's parser, which
// has the line only in its text, and of a few filters.
func (r *rendering) unplaced(err error) error {
	s, isSyntax := strings.CutPrefix(err.Error(), "SyntaxError: ")
	if !isSyntax {
		return r.located(fault.New(fault.Template, "%s", s), &minijinja.Error{Name: mainName})
	}
	s, rest, _ := strings.Cut(s, " (line ")
	line, _ := strconv.Atoi(strings.TrimSuffix(rest, ")"))
	if words, ok := strings.CutPrefix(s, "syntax error at line "); ok { // the scanner's error: here only this line is right
		at, words, _ := strings.Cut(words, ", col ")
		line, _ = strconv.Atoi(at)
		_, s, _ = strings.Cut(words, ": ")
		text := r.text(r.adding).Source
		if i := strings.LastIndex(text, "{#"); i >= 0 && strings.HasSuffix(s, "end of comment") {
			line = 1 + strings.Count(text[:i], "\n") // where it begins
		}
	}
	return r.located(fault.New(fault.Template, "syntax: %s", s), &minijinja.Error{Name: r.adding, Span: &syntax.Span{StartLine: uint16(line)}})
}

// soughtName returns a name that Load does not find, with the places where it looks.
func (t Template) soughtName(name string) string {
	said := quoted(name, "of that name")
	if t.Files == nil {
		return said
	}
	places := t.Files.Places(name)
	if len(places) == 0 {
		return said
	}
	if n := len(places); n > 12 {
		places = append(slices.Clone(places[:11]), strconv.Itoa(n-11)+" more")
	}
	return said + " in " + strings.Join(places, ", ")
}

func quoted(s, otherwise string) string {
	if s = strings.TrimPrefix(s, mainName); s == "" {
		return otherwise
	}
	return short(s)
}

// short returns the first line of s, at most 80 characters of it.
func short(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
