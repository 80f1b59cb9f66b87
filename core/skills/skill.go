// Package skills reads Agent Skills (SPEC §21): directories with instructions for one kind of
// task in SKILL.md, and with scripts and texts beside it. It opens no file.
package skills

import (
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// FileName is the file that makes a directory a skill.
const FileName = "SKILL.md"

// Dirs are the directories of a project or library that have skills, the first one first.
var Dirs = []string{"skills", ".agents/skills", ".claude/skills"}

// Limits of the format (agentskills.io), in characters.
const (
	maxName        = 64
	maxDescription = 1024
)

// Skill is what the front matter of a SKILL.md says.
type Skill struct {
	Name        string
	Description string   // one line
	License     string   // "": it names none
	Needs       string   // compatibility: what the skill expects of its environment
	Tools       []string // allowed-tools, as written; nil: the skill names none
}

// optional are keys that skills have beside those of Skill: of the format, and of programs
// that extend it. golem does not act on them.
var optional = map[string]bool{
	"metadata": true, "version": true, "author": true, "tags": true, "model": true, "argument-hint": true, "disable-model-invocation": true,
	"user-invocable": true, "context": true, "agent": true, "hooks": true,
}

// Parse reads a SKILL.md. file is its path, as faults show it. body is the text after the
// front matter. A skill with an error among its faults cannot be used; the name of a skill
// that is in a directory of another name is a warning.
func Parse(file string, text []byte) (s Skill, body string, faults fault.List) {
	front, rest, _, ok := config.Split(text)
	if !ok {
		return s, "", fault.List{fault.New(fault.Config, "a skill begins with front matter, and this file has none").
			Hinting("write --- in the first line, then name: and description:, then --- again").At(file, 1, 1)}
	}
	node, faults := parse(file, front)
	if faults.Err() != nil {
		return s, "", faults
	}
	if node == nil || node.Kind != yamltree.Mapping {
		return s, "", fault.List{fault.New(fault.Config, "the front matter has no keys").Hinting("write name: and description:").At(file, 1, 1)}
	}
	r := reader{file: file, node: node, faults: faults}
	s = Skill{Name: r.text("name"), Description: oneLine(r.text("description")), License: oneLine(r.text("license")), Needs: oneLine(r.text("compatibility"))}
	s.Tools = r.tools()
	if r.faults.Err() == nil { // a text that could not be read is not missing, too
		s.Name = r.name(s.Name)
		s.Description = r.description(s.Description, string(rest))
	}
	for _, f := range node.Fields {
		if !known[f.Name] && !optional[f.Name] {
			r.faults = append(r.faults, fault.Warn(fault.Config, "the key %s of a skill means nothing to golem", fault.Quoted(f.Name)).At(file, f.Pos.Line, f.Pos.Column))
		}
	}
	return s, string(rest), r.faults
}

// unquoted matches a line whose text has a second colon, which YAML does not allow without
// quotation marks.
var unquoted = regexp.MustCompile(`^([A-Za-z][\w-]*): +([^\s"'|>\[{&*!%@#].*: .*)$`)

// parse reads the YAML of a front matter. Texts with colons, which many skills have without
// quotation marks, are a warning.
func parse(file string, front []byte) (*yamltree.Node, fault.List) {
	node, faults := yamltree.Parse(file, front)
	if len(faults) == 0 {
		return node, nil
	}
	lines, changed := strings.Split(string(front), "\n"), 0
	for i, line := range lines {
		if m := unquoted.FindStringSubmatch(strings.TrimRight(line, "\r ")); m != nil {
			lines[i] = m[1] + ": '" + strings.ReplaceAll(m[2], "'", "''") + "'"
			changed = i + 1
		}
	}
	again, left := yamltree.Parse(file, []byte(strings.Join(lines, "\n")))
	if changed == 0 || len(left) > 0 {
		return nil, faults
	}
	return again, fault.List{fault.Warn(fault.Config, "a text with a colon in the front matter has no quotation marks").
		Hinting("write it in quotation marks: other programs may not read this skill").At(file, changed, 1)}
}

// known are the keys that reader reads.
var known = map[string]bool{"name": true, "description": true, "license": true, "compatibility": true, "allowed-tools": true}

// reader reads the keys of a front matter, and collects the faults.
type reader struct {
	file   string
	node   *yamltree.Node
	faults fault.List
}

func (r *reader) fail(key, hint, format string, args ...any) {
	at := r.node.Pos
	if n := r.node.Get(key); n != nil {
		at = n.Pos
	}
	r.faults = append(r.faults, fault.New(fault.Config, format, args...).Hinting("%s", hint).At(r.file, max(at.Line, 1), max(at.Column, 1)))
}

func (r *reader) warn(code fault.Code, key, hint, format string, args ...any) {
	r.fail(key, hint, format, args...)
	last := r.faults[len(r.faults)-1]
	last.Code, last.Severity = code, fault.Warning
}

// text returns the text of a key; "" if there is none.
func (r *reader) text(key string) string {
	n := r.node.Get(key)
	if n == nil || n.Kind == yamltree.Scalar && n.Tag == yamltree.TagNull {
		return ""
	}
	if n.Kind != yamltree.Scalar {
		r.fail(key, "write a text", "%s: expected a text, found %s", key, n.Found())
		return ""
	}
	if yamltree.Invisible(strings.ReplaceAll(n.Text, "\n", " ")) {
		r.fail(key, "remove them: they can hide what a text says", "%s has invisible characters", key)
		return ""
	}
	return n.Text
}

// tools returns allowed-tools, which is a list, or a text with spaces or commas between the
// names. Spaces and commas in brackets belong to a name: Bash(git add *).
func (r *reader) tools() []string {
	n := r.node.Get("allowed-tools")
	if n == nil {
		return nil
	}
	out := []string{}
	if n.Kind == yamltree.List {
		for _, item := range n.Items {
			if item.Kind != yamltree.Scalar {
				r.fail("allowed-tools", "write the names of tools", "allowed-tools: expected a text, found %s", item.Found())
				continue
			}
			out = append(out, oneLine(item.Text))
		}
		return out
	}
	depth := 0
	return append(out, strings.FieldsFunc(oneLine(r.text("allowed-tools")), func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (c == ' ' || c == ',')
	})...)
}

// name returns the name by which a skill is known, which is shown to models and people, and is a
// part of paths: what the skill says, or the name of its directory where that cannot be one.
func (r *reader) name(name string) string {
	dir := path.Base(path.Dir(r.file))
	switch {
	case fits(name) && name != "" && dir != name:
		r.warn(fault.NameMismatch, "name", "rename the directory to "+name, "the skill %s is in a directory of another name", name)
	case fits(name) && name != "":
	case !fits(dir), strings.ContainsAny(name, `/\`), strings.Contains(name, ".."):
		r.fail("name", "lower-case letters, digits and single hyphens between them, at most 64", "%s cannot be the name of a skill", fault.Quoted(name))
	case name == "":
		r.warn(fault.Config, "name", "write name: "+dir, "a skill without a name has that of its directory, %s", dir)
		return dir
	default:
		r.warn(fault.Config, "name", "write name: "+dir, "the name %s is not one of skills, and the skill is known as its directory, %s", fault.Quoted(name), dir)
		return dir
	}
	return name
}

func fits(name string) bool {
	if len(name) > maxName || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// description returns what the skill says of itself; without it, the first lines of its body.
func (r *reader) description(text, body string) string {
	if utf8.RuneCountInString(text) > maxDescription {
		r.warn(fault.Config, "description", "shorten it: models read it before each task, and the instructions come after the front matter", "the description has more than %d characters", maxDescription)
		return string([]rune(text)[:maxDescription])
	}
	if text != "" {
		return text
	}
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		first := oneLine(paragraph)
		if first == "" || strings.HasPrefix(first, "#") || yamltree.Invisible(first) {
			continue
		}
		r.warn(fault.Config, "description", "say what the skill does and when to use it: a model decides by it", "a skill without a description is described by its first paragraph")
		return cut(first, maxDescription/4)
	}
	r.fail("description", "say what the skill does and when to use it: a model decides by it", "a skill needs a description")
	return ""
}

// oneLine joins the lines of a text, so that it cannot be taken for a heading or a list.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
