package config

import (
	"bytes"
	"path"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// fenced is the beginning of a .worker file, to find faults in the lines of --- around
// the front matter.
type fenced struct {
	file   string
	lines  []string // nil in any other file
	closed bool     // a line of --- follows the first
}

func newFenced(file string, data []byte, closed bool) fenced {
	f := fenced{file: file, closed: closed}
	if path.Ext(file) != ".worker" {
		return f
	}
	text := bytes.TrimPrefix(data[:min(len(data), MaxFrontMatter)], []byte("\ufeff"))
	for line := range strings.Lines(string(text)) {
		f.lines = append(f.lines, strings.TrimRight(line, "\r\n"))
	}
	return f
}

// open reports whether front matter was begun and not closed.
func (f fenced) open() bool { return !f.closed && len(f.lines) > 0 && f.lines[0] == "---" }

// fault returns what is wrong with the lines of --- (fences) in a file that golem
// cannot read as a worker; bad is the line at which YAML fails, 0 if there is none. nil
// if the fences are not the reason.
func (f fenced) fault(bad int) *fault.Fault {
	if len(f.lines) == 0 {
		return nil
	}
	if f.closed { // perhaps by a line of --- within the prompt
		for i, line := range f.lines[1:max(1, min(bad, len(f.lines)))] {
			if fenceLike(line) && line[0] == '-' {
				return f.almostFence(i+2, "this line is "+fault.Quoted(line))
			}
		}
		if bad < 2 || bad > len(f.lines) || !f.prose(bad) {
			return nil
		}
		return yamltree.At(f.file, bad, 1).Fault(fault.Config, "this line of the front matter is not key: value").
			Hinting("if the prompt begins here, write a line that is exactly --- before it")
	}
	if first := f.lines[0]; first != "---" {
		if fenceLike(first) {
			return f.almostFence(1, "the first line is "+fault.Quoted(first))
		}
		for i, line := range f.lines[1:max(1, min(bad, len(f.lines)))] {
			if line == "---" || fenceLike(line) && line[0] == '-' {
				return yamltree.At(f.file, 1, 1).Fault(fault.Config, "line %d ends front matter that has no beginning", i+2).
					Hinting("write a first line that is exactly ---")
			}
		}
		if bad > 0 && bad <= len(f.lines) && f.prose(bad) && strings.TrimSpace(strings.Join(f.lines[:bad-1], "")) == "" {
			return yamltree.At(f.file, bad, 1).Fault(fault.Config, "this line is not key: value").Hinting("%s", workerForms)
		}
		return nil
	}
	for i, line := range f.lines[1:] {
		if fenceLike(line) {
			return f.unclosed(i+2, "this line is "+fault.Quoted(line)).Hinting("the line must be exactly ---, with nothing before or after it")
		}
	}
	if bad < 2 || bad > len(f.lines) || !f.prose(bad) {
		return nil
	}
	first := bad
	for i := bad - 1; i > 1 && (f.prose(i) || strings.TrimSpace(f.lines[i-1]) == ""); i-- {
		if f.prose(i) {
			first = i
		}
	}
	return f.unclosed(first, "this line is not YAML").Hinting("%s", missingFence)
}

const (
	missingFence = "write a line that is exactly --- before the prompt"
	workerForms  = "a worker is YAML with instructions:, or front matter between --- lines and a prompt"
)

// almostFence returns the fault for a line that should be a fence and is not exactly one.
func (f fenced) almostFence(line int, why string) *fault.Fault {
	return yamltree.At(f.file, line, 1).Fault(fault.Config, "%s", why).Hinting("the line must be exactly ---, with nothing before or after it")
}

func (f fenced) unclosed(line int, why string) *fault.Fault {
	return yamltree.At(f.file, line, 1).Fault(fault.Config, "the front matter has no closing ---: %s", why)
}

// prose reports whether a line reads like a prompt. A Markdown heading does not,
// because it is a comment in YAML.
func (f fenced) prose(line int) bool { return yamltree.Prose(f.lines[line-1]) }

// sentence returns a fault if a key reads like the beginning of a prompt: it has a
// space, and the front matter was never closed.
func (f fenced) sentence(tree *yamltree.Node) *fault.Fault {
	if !f.open() {
		return nil
	}
	for _, field := range tree.Fields {
		if strings.Contains(field.Name, " ") {
			return f.unclosed(field.Pos.Line, "unknown key "+fault.Quoted(field.Name)).Hinting("%s", missingFence)
		}
	}
	return nil
}

// fenceLike reports whether a line was probably meant to be --- and is not exactly
// that.
func fenceLike(line string) bool {
	text := strings.Trim(line, " \t")
	return line != "---" && (len(text) >= 2 && strings.Trim(text, "-") == "" || text == "—" || text == "–")
}
