// Package options declares the options of a run, once: what a person can choose on the
// command line or a page gives with a call. From Table come the flags with their help and
// completion, the request of a page, the types of golem.js and the tables in the
// documentation; Run has the chosen values. An option has one name, which it keeps from the
// flag to the place where it acts.
package options

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Option is a row of a Table.
type Option struct {
	// Name is that of the option's field in Run, spelled as a flag: max-depth is
	// Run.MaxDepth. The field's type is that of the option.
	Name string
	Into string // another field than that of the name, such as Page.Trace
	Flag Flag
	Page Page
	// Why says, for an option that only the command line or only a page has, what the other
	// has instead.
	Why string
	// Section is the heading of the option's table in docs/reference/flags.md, and Doc its text there,
	// as Markdown; "" is the flag's help.
	Section, Doc string
}

// Flag is an option as a flag of the command line.
type Flag struct {
	In       string   // the commands that have it, with a space between them; "": there is no flag
	Name     string   // without --; "": Option.Name
	Short    string   // one letter, or ""
	Arg      string   // what its argument is called; "": it has none
	Bare     string   // what it means without an argument; "": the argument is needed
	Default  string   // the value without the flag
	Sets     string   // the value that a flag without an argument sets
	Values   []string // the arguments that are offered; nil: see Arg
	Example  string   // for a NAME=VALUE flag
	Help     string   // one line of --help
	HelpIn   []Help   // another one
	Excludes []Exclusion
}

// Help is the line of an option in the help of one command.
type Help struct{ Command, Text string }

// Exclusion is a flag that cannot be given together with another one.
type Exclusion struct {
	Flag string // maybe with the only value that it can have, as in "sandbox memory"
	Hint string
}

// Page is an option as golem.js has it.
type Page struct {
	For  string // the interface of golem-options.d.ts that declares it; "": no page has it
	Name string // "": Option.Name in camel case
	Type string // in TypeScript; "": that of the value
	Doc  string // for golem-options.d.ts
	Own  bool   // golem.js uses it by itself and does not send it
}

// Value returns a pointer to the option's field in r; nil if there is none, as for some options
// that golem.js uses by itself.
func (o Option) Value(r *Run) any {
	v := reflect.ValueOf(r).Elem()
	for name := range strings.SplitSeq(o.field(), ".") {
		if v = v.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) }); !v.IsValid() {
			return nil
		}
	}
	return v.Addr().Interface()
}

// field returns the name of the option's field, in any case.
func (o Option) field() string { return strings.ReplaceAll(cmp.Or(o.Into, o.Name), "-", "") }

// FlagName returns the flag without --; "" if there is none.
func (o Option) FlagName() string {
	if o.Flag.In == "" || o.Flag.Name != "" {
		return o.Flag.Name
	}
	return o.Name
}

// PageName returns the name of the option in golem.js; "" if it has none.
func (o Option) PageName() string {
	if o.Page.For == "" || o.Page.Name != "" {
		return o.Page.Name
	}
	words := strings.Split(o.Name, "-")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// HelpFor returns the option's line in the help of a command.
func (f Flag) HelpFor(command string) string {
	for _, h := range f.HelpIn {
		if h.Command == command {
			return h.Text
		}
	}
	return f.Help
}

// Table is a list of options, in the order of the documentation.
type Table []Option

// Of returns the options that a command has as flags.
func (t Table) Of(command string) iter.Seq[Option] {
	return func(yield func(Option) bool) {
		for _, o := range t {
			if slices.Contains(strings.Fields(o.Flag.In), command) && !yield(o) {
				return
			}
		}
	}
}

// Names returns the names of the options that a page has.
func (t Table) Names() (names []Name) {
	for _, o := range t {
		switch {
		case o.Page.For == "":
		case o.Page.Own:
			names = append(names, Name{Page: o.PageName()})
		default:
			names = append(names, Name{o.PageName(), o.field()})
		}
	}
	return names
}
