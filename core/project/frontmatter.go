package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
)

// extensions of worker files, in the order in which they are looked for.
var extensions = []string{".worker", ".yaml", ".yml"}

func workerFile(name string) bool { return slices.Contains(extensions, path.Ext(name)) }

// split takes a .worker file apart: the front matter's YAML, on the lines it
// has in the file, and the body byte for byte (S2-16). ok is false where the
// file is one YAML document.
func split(data []byte) (front, body []byte, bodyLine int, ok bool) {
	rest := bytes.TrimPrefix(data, []byte("\ufeff"))
	first, rest, more := bytes.Cut(rest, []byte("\n"))
	if !more || !isFence(first) {
		return nil, nil, 0, false
	}
	line := 2
	for at := 0; at < len(rest); line++ {
		end, next := len(rest), len(rest)
		if i := bytes.IndexByte(rest[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		if isFence(rest[at:end]) {
			front = append([]byte("\n"), rest[:at]...) // the first fence is line 1
			return front, rest[next:], line + 1, true
		}
		at = next
	}
	return nil, nil, 0, false
}

func isFence(line []byte) bool {
	return string(bytes.TrimSuffix(line, []byte("\r"))) == "---"
}

// definition is a worker file as read, before the manifest is merged in.
type definition struct {
	location
	id     string
	rooted bool // lies under a workers root
	node   *node
	text   string // the instructions
	textAt at     // where they begin
	hashed []byte // all bytes that define the worker
	fences fenced
}

// define reads and checks one worker file. Faults do not stop it: what could
// be read is returned with them.
func (p *Project) define(l location) (*definition, fault.List) {
	d := &definition{location: l}
	d.id, d.rooted = p.identity(l)
	data, f := p.read(l, maxFile)
	if f != nil {
		return nil, fault.List{f}
	}
	d.hashed = data
	front, body, bodyLine, closed := data, []byte(nil), 0, false
	if path.Ext(l.name) == ".worker" {
		if head, tail, line, ok := split(data); ok {
			front, body, bodyLine, closed = head, tail, line, true
			if len(front) > maxFrontMatter {
				return nil, fault.List{at{l.String(), 1, 1}.fault(fault.Config, "front matter is longer than %d KB", maxFrontMatter>>10)}
			}
		}
	}
	if f := plainText(l.String(), data); f != nil { // the body too, with its own lines
		return nil, fault.List{f}
	}
	d.fences = newFenced(l, data, closed)
	tree, faults := parseYAML(l.String(), front)
	if len(faults) > 0 {
		if f := d.fences.fault(faults[0].Where.Line); f != nil && (!closed || strings.HasPrefix(faults[0].Message, "malformed")) {
			return nil, fault.List{f}
		}
		return nil, faults
	}
	if tree == nil {
		if bodyLine == 0 {
			return nil, fault.List{at{l.String(), 1, 1}.fault(fault.Config, "the file is empty").Hinting("%s", workerForms)}
		}
		tree = &node{at: at{l.String(), 1, 1}, kind: dict}
	}
	if tree.kind != dict {
		if f := d.fences.fault(tree.line); f != nil {
			return nil, fault.List{f}
		}
		return nil, fault.List{tree.at.fault(fault.Config, "expected a mapping, found %s", tree.found()).Hinting("%s", workerForms)}
	}
	if f := d.fences.sentence(tree); f != nil {
		return nil, fault.List{f}
	}
	c := &conformer{}
	d.node = c.conform(tree, workerShape, "")
	c.allowAlias(d)
	c.named(d)
	faults = append(c.faults, p.instruct(d, tree, body, bodyLine)...)
	return d, faults
}

// allowAlias moves allow_workers to where it belongs (SPEC §5).
func (c *conformer) allowAlias(d *definition) {
	allow := d.node.get("allow_workers")
	if allow == nil {
		return
	}
	d.node = d.node.with("allow_workers", nil)
	toolsets := d.node.get("toolsets")
	if toolsets == nil {
		toolsets = &node{at: allow.at, kind: dict}
	}
	own := toolsets.get("workers")
	switch {
	case own != nil && own.kind != dict:
		c.fail(allow.at, "remove one of them", "allow_workers allows what toolsets.workers: false takes away")
		return
	case own.get("allowed_workers") != nil:
		c.fail(allow.at, "remove one of them", "allow_workers and toolsets.workers.allowed_workers are one setting, both are given")
		return
	case own == nil:
		own = &node{at: allow.at, kind: dict}
	}
	d.node = d.node.with("toolsets", toolsets.with("workers", own.with("allowed_workers", allow)))
}

// named holds the name against the ID (S2-32).
func (c *conformer) named(d *definition) {
	name := d.node.get("name")
	if name == nil || !d.rooted || name.text == d.id {
		return
	}
	c.faults = append(c.faults, name.at.fault(fault.NameMismatch, "name is %s, but the file's place makes it %s", quoted(name.text), quoted(d.id)).
		Hinting("write name: %s, or remove it", d.id))
}

// instruct finds the instructions: key, body or prompt file (S2-20).
func (p *Project) instruct(d *definition, raw *node, body []byte, bodyLine int) fault.List {
	key := d.node.get("instructions")
	hasBody := len(bytes.TrimSpace(body)) > 0
	switch {
	case key != nil && hasBody:
		return fault.List{key.at.fault(fault.Config, "instructions are given twice: by the key on line %d and in the body from line %d", key.line, bodyLine).
			Hinting("remove one of them")}
	case hasBody:
		d.text, d.textAt = string(body), at{d.String(), bodyLine, 1}
		return nil
	case key != nil:
		d.text, d.textAt = key.text, key.at
		if key.block {
			d.textAt.line, d.textAt.column = key.line+1, 1
		}
		return nil
	}
	if wrong := raw.get("instructions"); wrong != nil && !wrong.empty() {
		return nil // of the wrong type: said already
	}
	return p.prompt(d)
}

var promptExtensions = []string{".jinja2", ".j2", ".jinja", ".txt", ".md"}

// prompt reads the instructions from the prompts root, confined to it (S2-60).
func (p *Project) prompt(d *definition) fault.List {
	root := p.manifest.PromptsRoot
	if d.builtin {
		root = defaultPrompts
	}
	var tried []string
	for _, ext := range promptExtensions {
		l := location{d.builtin, path.Join(root, d.id+ext)}
		tried = append(tried, l.String())
		if !p.exists(l) {
			continue
		}
		data, f := p.read(l, maxFile)
		if f == nil {
			f = plainText(l.String(), data)
		}
		if f != nil {
			return fault.List{f}
		}
		d.text, d.textAt = string(bytes.TrimPrefix(data, []byte("\ufeff"))), at{l.String(), 1, 1}
		d.hashed = append(append(d.hashed[:len(d.hashed):len(d.hashed)], 0), data...)
		return nil
	}
	hint := "write instructions: or a body after the second ---"
	if d.fences.open() {
		hint = "end the front matter with a line that is exactly ---, and write the prompt below it"
	}
	return fault.List{d.node.at.fault(fault.Config, "worker %s has no instructions: no key, no body, and no prompt file (tried %s)",
		quoted(d.id), strings.Join(tried, ", ")).Hinting("%s", hint)}
}
