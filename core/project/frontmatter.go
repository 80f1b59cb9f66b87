package project

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// extensions are those of worker files, in the order in which golem looks for them.
var extensions = []string{".worker", ".yaml", ".yml"}

func workerFile(name string) bool { return slices.Contains(extensions, path.Ext(name)) }

// Split returns the parts of a .worker file: the YAML of the front matter, with the
// same line numbers as in the file, and the body byte for byte (S2-16). bodyLine is the
// line at which the body begins. ok is false if the file is one YAML document.
func Split(data []byte) (front, body []byte, bodyLine int, ok bool) {
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
	rooted bool // the file is below a workers root
	node   *yamltree.Node
	text   string       // the instructions
	textAt yamltree.Pos // where they begin
	hashed []byte       // all bytes that define the worker
	fences fenced
	raw    *yamltree.Node // the file as it was read, for the places of faults
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
		if head, tail, line, ok := Split(data); ok {
			front, body, bodyLine, closed = head, tail, line, true
			if len(front) > maxFrontMatter {
				return nil, fault.List{yamltree.At(l.String(), 1, 1).Fault(fault.Config, "front matter is longer than %d KB", maxFrontMatter>>10)}
			}
		}
	}
	if f := yamltree.CheckText(l.String(), data); f != nil { // the body too, with its own lines
		return nil, fault.List{f}
	}
	d.fences = newFenced(l, data, closed)
	tree, faults := yamltree.ParsePart(l.String(), front)
	if len(faults) > 0 {
		if f := d.fences.fault(faults[0].Where.Line); f != nil && (!closed || strings.HasPrefix(faults[0].Message, "malformed") || strings.HasPrefix(faults[0].Message, "the file has a second")) {
			return nil, fault.List{f}
		}
		if tree == nil || tree.Kind != yamltree.Mapping {
			return nil, faults
		}
	}
	if tree == nil {
		if bodyLine == 0 {
			return nil, fault.List{yamltree.At(l.String(), 1, 1).Fault(fault.Config, "the file is empty").Hinting("%s", workerForms)}
		}
		tree = &yamltree.Node{Pos: yamltree.At(l.String(), 1, 1), Kind: yamltree.Mapping}
	}
	if tree.Kind != yamltree.Mapping {
		if f := d.fences.fault(tree.Line); f != nil {
			return nil, fault.List{f}
		}
		return nil, fault.List{tree.Pos.Fault(fault.Config, "expected a mapping, found %s", tree.Found()).Hinting("%s", workerForms)}
	}
	if f := d.fences.sentence(tree); f != nil {
		return nil, fault.List{f}
	}
	d.raw = tree
	c := &yamltree.Conformer{}
	d.node = c.Conform(tree, workerShape, "")
	allowAlias(c, d)
	agreesWithPlace(c, d)
	faults = append(append(faults, c.Faults...), p.instruct(d, tree, body, bodyLine)...)
	return d, faults
}

// allowAlias moves allow_workers to toolsets.workers.allowed_workers (SPEC §5).
func allowAlias(c *yamltree.Conformer, d *definition) {
	allow := d.node.Get("allow_workers")
	if allow == nil {
		return
	}
	d.node = d.node.With("allow_workers", nil)
	toolsets := d.node.Get("toolsets")
	if toolsets == nil {
		toolsets = &yamltree.Node{Pos: allow.Pos, Kind: yamltree.Mapping}
	}
	own := toolsets.Get("workers")
	switch {
	case own != nil && own.Kind != yamltree.Mapping:
		c.Fail(allow.Pos, "remove one of them", "allow_workers lists workers, and toolsets.workers: false removes the toolset")
		return
	case own.Get("allowed_workers") != nil:
		c.Fail(allow.Pos, "remove one of them", "allow_workers and toolsets.workers.allowed_workers are the same setting, and both are given")
		return
	case own == nil:
		own = &yamltree.Node{Pos: allow.Pos, Kind: yamltree.Mapping}
	}
	d.node = d.node.With("toolsets", toolsets.With("workers", own.With("allowed_workers", allow)))
}

// agreesWithPlace adds a fault if the worker's name is not its ID (S2-32).
func agreesWithPlace(c *yamltree.Conformer, d *definition) {
	name := d.node.Get("name")
	if name == nil || !d.rooted || name.Text == d.id {
		return
	}
	c.Faults = append(c.Faults, name.Pos.Fault(fault.NameMismatch, "name is %s, but the file's path gives the worker the ID %s", fault.Quoted(name.Text), fault.Quoted(d.id)).
		Hinting("write name: %s, or remove it", d.id))
}

// instruct finds the instructions: key, body or prompt file (S2-20).
func (p *Project) instruct(d *definition, raw *yamltree.Node, body []byte, bodyLine int) fault.List {
	key := d.node.Get("instructions")
	hasBody := len(bytes.TrimSpace(body)) > 0
	switch {
	case key != nil && hasBody:
		return fault.List{key.Pos.Fault(fault.Config, "instructions are given twice: by the key on line %d and in the body from line %d", key.Line, bodyLine).
			Hinting("remove one of them")}
	case hasBody:
		d.text, d.textAt = string(body), yamltree.At(d.String(), bodyLine, 1)
		return nil
	case key != nil:
		d.text, d.textAt = key.Text, key.Pos
		if key.Block {
			d.textAt.Line, d.textAt.Column = key.Line+1, 1
		}
		return nil
	}
	if wrong := raw.Get("instructions"); wrong != nil && !wrong.Empty() {
		return nil // of the wrong type: there is a fault already
	}
	return p.prompt(d)
}

var promptExtensions = []string{".jinja2", ".j2", ".jinja", ".txt", ".md"}

// prompt reads the instructions from a prompt file (S2-60). The file's name is the ID,
// which has no "..", so it is below the prompts root.
func (p *Project) prompt(d *definition) fault.List {
	var tried []string
	for _, ext := range promptExtensions {
		l := d.at(path.Join(p.sourceOf(d.location).prompts, d.id+ext))
		tried = append(tried, l.String())
		if !p.exists(l) {
			continue
		}
		data, text, f := p.readText(l)
		if f != nil {
			return fault.List{f}
		}
		d.text, d.textAt = text, yamltree.At(l.String(), 1, 1)
		d.hashed = append(append(d.hashed[:len(d.hashed):len(d.hashed)], 0), data...)
		return nil
	}
	hint := "write instructions: or a body after the second ---"
	if d.fences.open() {
		hint = "end the front matter with a line that is exactly ---, and write the prompt below it"
	}
	return fault.List{d.node.Pos.Fault(fault.Config, "worker %s has no instructions: no key, no body, and no prompt file (tried %s)",
		fault.Quoted(d.id), strings.Join(tried, ", ")).Hinting("%s", hint)}
}
