// Package fault is golem's one kind of error: a stable code, what went wrong,
// where, and what to do about it. Everything a person, a model, a trace or
// `golem check` is told about a failure is a Fault (SPEC §15, §16).
package fault

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a fault is an error or a warning.
type Severity string

// The two severities of SPEC §16. The zero value counts as Error.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Where locates a fault. File is a path relative to the project root, never a
// host path (SECURITY 16); Line and Column count from 1, 0 means unknown;
// Chain is the worker path from the root to the current worker.
type Where struct {
	File   string   `json:"file,omitempty"`
	Line   int      `json:"line,omitempty"`
	Column int      `json:"column,omitempty"`
	Chain  []string `json:"chain,omitempty"`
}

// PageWords are what the page shows in place of a message and a hint about the command line.
type PageWords struct {
	Message string `json:"message,omitempty"` // "": that of the fault
	Hint    string `json:"hint,omitempty"`    // "": none
	Do      string `json:"do,omitempty"`      // what the page offers to do: "lock" writes golem.lock again
}

// Fault is an error with a stable code. A Fault never changes after it was
// returned: At, InChain and Hinting return copies. Make one with New or Warn;
// the zero value is not useful.
type Fault struct {
	Code     Code       `json:"code"`
	Message  string     `json:"message"`
	Where    *Where     `json:"where,omitempty"`
	Hint     string     `json:"hint,omitempty"`
	Page     *PageWords `json:"page,omitempty"`
	Severity Severity   `json:"severity,omitempty"`

	cause error
}

// New makes a fault of severity Error. A %w in format keeps its operand for
// errors.Is and errors.As.
func New(code Code, format string, args ...any) *Fault {
	err := fmt.Errorf(format, args...)
	return &Fault{Code: code, Message: err.Error(), Severity: Error, cause: errors.Unwrap(err)}
}

// Warn makes a fault of severity Warning.
func Warn(code Code, format string, args ...any) *Fault {
	f := New(code, format, args...)
	f.Severity = Warning
	return f
}

// At returns a copy that names a file and, where known, line and column.
func (f *Fault) At(file string, line, column int) *Fault {
	c := *f
	w := Where{File: file, Line: line, Column: column}
	if f.Where != nil {
		w.Chain = f.Where.Chain
	}
	c.Where = &w
	return &c
}

// InChain returns a copy that names the worker path, root first.
func (f *Fault) InChain(chain []string) *Fault {
	c := *f
	w := Where{}
	if f.Where != nil {
		w = *f.Where
	}
	w.Chain = slices.Clone(chain)
	c.Where = &w
	return &c
}

// Hinting returns a copy whose hint says what the reader can do about the
// error.
func (f *Fault) Hinting(format string, args ...any) *Fault {
	c := *f
	c.Hint, c.Page = fmt.Sprintf(format, args...), nil
	return &c
}

// InPage returns a copy that the page shows with another message, unless that is "", and with
// another hint.
func (f *Fault) InPage(message, hint string) *Fault {
	c := *f
	c.Page = &PageWords{Message: message, Hint: hint}
	return &c
}

// Mapped returns a copy all of whose texts went through a function, such as one that removes
// secrets.
func (f *Fault) Mapped(text func(string) string) *Fault {
	c := *f
	c.Message, c.Hint = text(f.Message), text(f.Hint)
	if f.Page != nil {
		c.Page = &PageWords{text(f.Page.Message), text(f.Page.Hint), f.Page.Do}
	}
	return &c
}

// Because returns a copy with an error in its chain, for errors.Is, that the text does not
// show.
func (f *Fault) Because(cause error) *Fault {
	c := *f
	c.cause = cause
	return &c
}

// Error returns the text form of SPEC §16: FILE:LINE:COL: CODE: message (hint).
func (f *Fault) Error() string {
	code := string(f.Code) + ": "
	if f.Severity == Warning {
		code += "warning: "
	}
	return f.text(code)
}

// Text returns the text of Error without the code and the severity, for output that
// shows these separately.
func (f *Fault) Text() string { return f.text("") }

func (f *Fault) text(code string) string {
	var b strings.Builder
	if w := f.Where; w != nil && w.File != "" {
		b.WriteString(w.File)
		if w.Line > 0 {
			fmt.Fprintf(&b, ":%d", w.Line)
			if w.Column > 0 {
				fmt.Fprintf(&b, ":%d", w.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(code)
	b.WriteString(f.Message)
	if w := f.Where; w != nil && len(w.Chain) > 1 {
		b.WriteString(" [" + strings.Join(w.Chain, " → ") + "]")
	}
	if f.Hint != "" {
		b.WriteString(" (" + f.Hint + ")")
	}
	return b.String()
}

// Is reports whether target is the fault's code, so that errors.Is(err,
// fault.Denied) works.
func (f *Fault) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == f.Code
}

// Unwrap returns the error that New was given with %w, or Because; or nil.
func (f *Fault) Unwrap() error { return f.cause }

// Of returns the fault in err's chain. A context error becomes E_INTERRUPTED
// or E_TIMEOUT; anything else becomes a fault of the fallback code, so that
// no error leaves golem without one. Of(nil) is nil.
func Of(err error, fallback Code) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &Fault{Code: Interrupted, Message: "interrupted", Severity: Error, cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{Code: Timeout, Message: "ran out of time", Severity: Error, cause: err}
	}
	return &Fault{Code: fallback, Message: err.Error(), Severity: Error, cause: err}
}

// Result returns the fault as a tool result (SPEC §16): {"error":{code,message,hint}}.
func (f *Fault) Result() json.RawMessage {
	type body struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint,omitempty"`
	}
	data, err := json.Marshal(map[string]body{"error": {f.Code, f.Message, f.Hint}})
	if err != nil { // unreachable: three strings always encode
		return json.RawMessage(`{"error":{}}`)
	}
	return data
}
