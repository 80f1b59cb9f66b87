package config

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"golem/core/fault"
	"golem/core/yamltree"
)

// Extensions are those of worker files, in the order in which golem looks for them.
var Extensions = []string{".worker", ".yaml", ".yml"}

// IsWorkerFile reports whether a name ends as that of a worker file.
func IsWorkerFile(name string) bool { return slices.Contains(Extensions, path.Ext(name)) }

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

// WorkerFile is a worker file as it was read, before anything is merged into it.
type WorkerFile struct {
	File   string // its path, as messages show it
	ID     string
	Rooted bool // the file is below a workers root, so that its path gives the ID
	Node   *yamltree.Node
	Raw    *yamltree.Node // the file as it was read, for the places of faults
	Text   string         // the instructions
	TextAt yamltree.Pos   // where they begin
	Hashed []byte         // all bytes that define the worker
	// promptless is true if the file has no instructions: a prompt file has them.
	Promptless bool
	fences     fenced
}

// ReadWorkerFile checks the content of a worker file. Faults do not stop it: what could
// be read is returned with them; nil if nothing could.
func ReadWorkerFile(file, id string, rooted bool, data []byte) (*WorkerFile, fault.List) {
	d := &WorkerFile{File: file, ID: id, Rooted: rooted, Hashed: data}
	front, body, bodyLine, closed := data, []byte(nil), 0, false
	if path.Ext(file) == ".worker" {
		if head, tail, line, ok := Split(data); ok {
			front, body, bodyLine, closed = head, tail, line, true
			if len(front) > MaxFrontMatter {
				return nil, fault.List{yamltree.At(file, 1, 1).Fault(fault.Config, "front matter is longer than %d KB", MaxFrontMatter>>10)}
			}
		}
	}
	if f := yamltree.CheckText(file, data); f != nil { // the body too, with its own lines
		return nil, fault.List{f}
	}
	d.fences = newFenced(file, data, closed)
	tree, faults := d.parse(front, bodyLine)
	if tree == nil {
		return nil, faults
	}
	d.Raw = tree
	c := &yamltree.Conformer{}
	d.Node = c.Conform(tree, WorkerShape, "")
	allowAlias(c, d)
	agreesWithPlace(c, d)
	return d, append(append(faults, c.Faults...), d.instruct(body, bodyLine)...)
}

// parse returns the mapping in the front matter; nil with the faults of a file that has
// none. bodyLine is 0 if the file is one YAML document.
func (d *WorkerFile) parse(front []byte, bodyLine int) (*yamltree.Node, fault.List) {
	tree, faults := yamltree.ParsePart(d.File, front)
	if len(faults) > 0 {
		if f := d.fences.fault(faults[0].Where.Line); f != nil && (!d.fences.closed || tree == nil) {
			return nil, fault.List{f}
		}
		if tree == nil || tree.Kind != yamltree.Mapping {
			return nil, faults
		}
	}
	if tree == nil {
		if bodyLine == 0 {
			return nil, fault.List{yamltree.At(d.File, 1, 1).Fault(fault.Config, "the file is empty").Hinting("%s", workerForms)}
		}
		tree = &yamltree.Node{Pos: yamltree.At(d.File, 1, 1), Kind: yamltree.Mapping}
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
	return tree, faults
}

// allowAlias moves allow_workers to toolsets.workers.allowed_workers (SPEC §5).
func allowAlias(c *yamltree.Conformer, d *WorkerFile) {
	allow := d.Node.Get("allow_workers")
	if allow == nil {
		return
	}
	d.Node = d.Node.With("allow_workers", nil)
	toolsets := d.Node.Get("toolsets")
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
	d.Node = d.Node.With("toolsets", toolsets.With("workers", own.With("allowed_workers", allow)))
}

// agreesWithPlace adds a fault if the worker's name is not its ID (S2-32).
func agreesWithPlace(c *yamltree.Conformer, d *WorkerFile) {
	name := d.Node.Get("name")
	if name == nil || !d.Rooted || name.Text == d.ID {
		return
	}
	c.Faults = append(c.Faults, name.Pos.Fault(fault.NameMismatch, "name is %s, but the file's path gives the worker the ID %s", fault.Quoted(name.Text), fault.Quoted(d.ID)).
		Hinting("write name: %s, or remove it", d.ID))
}

// instruct finds the instructions: the key or the body; else a prompt file has them
// (S2-20).
func (d *WorkerFile) instruct(body []byte, bodyLine int) fault.List {
	key := d.Node.Get("instructions")
	hasBody := len(bytes.TrimSpace(body)) > 0
	switch {
	case key != nil && hasBody:
		return fault.List{key.Pos.Fault(fault.Config, "instructions are given twice: by the key on line %d and in the body from line %d", key.Line, bodyLine).
			Hinting("remove one of them")}
	case hasBody:
		d.Text, d.TextAt = string(body), yamltree.At(d.File, bodyLine, 1)
	case key != nil:
		d.Text, d.TextAt = key.Text, key.Pos
		if key.Block {
			d.TextAt.Line, d.TextAt.Column = key.Line+1, 1
		}
	default:
		wrong := d.Raw.Get("instructions") // of the wrong type: there is a fault already
		d.Promptless = wrong == nil || wrong.Empty()
	}
	return nil
}

// SetPrompt gives the worker the instructions of a prompt file.
func (d *WorkerFile) SetPrompt(file, text string, data []byte) {
	d.Text, d.TextAt = text, yamltree.At(file, 1, 1)
	d.Hashed = append(append(d.Hashed[:len(d.Hashed):len(d.Hashed)], 0), data...)
}

// NoPrompt returns the fault that there are no instructions; tried are the names of the
// prompt files that were looked for.
func (d *WorkerFile) NoPrompt(tried []string) *fault.Fault {
	hint := "write instructions: or a body after the second ---"
	if d.fences.open() {
		hint = "end the front matter with a line that is exactly ---, and write the prompt below it"
	}
	return d.Node.Pos.Fault(fault.Config, "worker %s has no instructions: no key, no body, and no prompt file (tried %s)",
		fault.Quoted(d.ID), strings.Join(tried, ", ")).Hinting("%s", hint)
}

// The largest sizes that golem reads, in bytes (SECURITY 11).
const (
	MaxFrontMatter = 64 << 10
	MaxFile        = 1 << 20
)
