package model

import (
	"fmt"
	"strings"

	"golem/core/fault"
)

// maxCalls bounds the tool calls of one answer (SECURITY 12).
const maxCalls = 256

// noText is the reason why a call does not run if its arguments are not text.
const noText = "the arguments contain bytes that are not UTF-8"

// pending is a tool call that is still arriving.
type pending struct {
	index   string // the provider's, "" if it gives none
	id      string
	name    string
	args    strings.Builder
	scan    braces // of args
	list    int    // the number of the list that its last fragment came in
	invalid string // why it must not run
	kept    carrier
	halves  halves // of args
}

// write adds to the arguments.
func (c *pending) write(args string) {
	c.args.WriteString(args)
	c.scan.read(args)
}

// braces finds the end of a JSON object whose text comes in pieces.
type braces struct {
	depth           int
	begun           bool
	quoted, escaped bool
}

func (b *braces) read(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case b.escaped:
			b.escaped = false
		case b.quoted && c == '\\':
			b.escaped = true
		case c == '"':
			b.quoted = !b.quoted
		case b.quoted:
		case c == '{':
			b.begun = true
			b.depth++
		case c == '}':
			b.depth--
		}
	}
}

// closed reports whether the object is complete.
func (b *braces) closed() bool { return b.begun && b.depth <= 0 && !b.quoted }

// fragment adds f to the call that it belongs to, or begins a new call.
func (a *answer) fragment(f fragment) error {
	id, name, args := str(f.ID), str(f.Function.Name), f.Function.Arguments
	if len(f.Custom.Name) > 0 || len(f.Custom.Input) > 0 { // a tool that takes any text
		name, args = str(f.Custom.Name), f.Custom.Input
	}
	said, _ := argsText(args)
	c := a.find(string(f.Index), id)
	if c == nil || a.begins(c, string(f.Index), id, name, said) {
		var err error
		if c, err = a.next(string(f.Index), id); err != nil {
			return err
		}
	}
	text, sound := argsText(c.halves.join(args))
	c.list = a.lists
	a.pieces++
	if c.id == "" {
		c.id = id
	}
	if name != c.name { // some providers repeat it in each fragment
		c.name += name
	}
	if !sound {
		c.invalid = noText
	}
	c.write(text)
	c.kept.add(f.raw)
	return nil
}

// next begins a call.
func (a *answer) next(index, id string) (*pending, error) {
	if len(a.calls) == maxCalls {
		return nil, (&failure{message: fmt.Sprintf("the answer has more than %d tool calls", maxCalls)}).fault(fault.Model, remedy{})
	}
	c := &pending{index: index, id: id, kept: carrier{names: a.kept.names}}
	a.calls = append(a.calls, c)
	a.pieces++
	return c, nil
}

// called adds a call that came in one piece.
func (a *answer) called(id, name, args string, sound bool) error {
	c, err := a.next("", id)
	if err != nil {
		return err
	}
	c.name = name
	c.write(args)
	if !sound {
		c.invalid = noText
	}
	a.items.add(nil, false)
	return nil
}

// find returns the last call that a fragment may continue, nil if there is none. It
// looks for a known id first, then for the index: some providers send no index, or 0
// for every call.
func (a *answer) find(index, id string) *pending {
	var c *pending
	for i := len(a.calls) - 1; i >= 0; i-- {
		switch p := a.calls[i]; {
		case id != "" && p.id == id && (index == p.index || index == "" || p.index == ""):
			return p
		case c != nil:
		case index != "" && p.index == index, index == "" && id == "" && i == len(a.calls)-1:
			c = p
		}
	}
	return c
}

// begins reports whether a fragment begins a call, although c has its index or its id:
// it has a name, and c is another call or is complete.
func (a *answer) begins(c *pending, index, id, name, args string) bool {
	switch open := c.args.Len() > 0 && !c.scan.closed(); {
	case name == "" || c.name == "":
		return false
	case id != "" && c.id != "" && id != c.id:
		return true
	case c.list == a.lists: // the members of one list are different calls
		return !open
	case index == "" && id == "" && name != c.name:
		return true
	case !c.scan.closed():
		return false
	}
	return id == "" || name != c.name || args != ""
}
