package project

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golem/core/config"
	"golem/core/fault"
	"golem/core/yamltree"
)

// schema reads input_schema or output_schema: inline, or one of the reference
// forms of SPEC §2. What is returned needs no other file; nil if there is
// none or it is wrong.
func (b *built) schema(key string) json.RawMessage {
	n := b.d.Node.Get(key)
	if n == nil {
		return nil
	}
	bundle := &bundler{b: b, documents: map[string]*yamltree.Node{}, names: map[target]string{}, taken: map[string]bool{}}
	var root target
	switch n.Kind {
	case yamltree.Mapping:
		root = target{file: b.d.String()}
		bundle.documents[root.file] = n
	default:
		file, pointer, f := b.schemaFile(n.Text)
		if f != nil {
			b.add(f.At(n.File, n.Line, n.Column))
			return nil
		}
		root = target{file, pointer}
	}
	raw, f := bundle.bundle(root, n.Pos)
	if f != nil {
		b.add(f)
		return nil
	}
	if f := compile(raw); f != nil {
		b.add(f.At(n.File, n.Line, n.Column))
		return nil
	}
	return raw
}

var (
	moduleClass = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)
	className   = regexp.MustCompile(`^[A-Za-z_][\w.$-]*$`)
)

// schemaFile splits a schema reference into the file that holds it, relative
// to the project root, and a fragment.
func (b *built) schemaFile(ref string) (file, fragment string, f *fault.Fault) {
	if p := yamltree.NameProblem(ref); p != "" {
		return "", "", fault.New(fault.Schema, "the schema reference %s", p)
	}
	name, fragment, _ := strings.Cut(ref, "#")
	class := ""
	if fragment == "" {
		if i := strings.LastIndexByte(name, ':'); i > 0 {
			name, class = name[:i], name[i+1:]
			fragment = "/$defs/" + class
		}
	}
	source := path.Ext(name) != ".json"
	switch {
	case class != "" && !className.MatchString(class):
		return "", "", fault.New(fault.Schema, "%s is not a valid schema reference", fault.Quoted(ref)).Hinting("write path.json, or path.json#/$defs/Name")
	case source && class == "" && moduleClass.MatchString(name):
		module, last := name[:strings.LastIndexByte(name, '.')], name[strings.LastIndexByte(name, '.')+1:]
		return "", "", fault.New(fault.SchemaLanguage, "%s is a class of a program, and golem reads only JSON Schema", fault.Quoted(ref)).
			Hinting("write its schema to a file and name it: %s.json#/$defs/%s", strings.ReplaceAll(module, ".", "/"), last)
	case source && class == "":
		return "", "", fault.New(fault.Schema, "%s is not a valid schema reference", fault.Quoted(ref)).Hinting("write path.json, or path.json#/$defs/Name")
	case source:
		stem := strings.TrimSuffix(name, path.Ext(name)) + ".json"
		file, f := b.findSchema(path.Dir(b.d.Name), stem)
		if f != nil && f.Code == fault.Schema {
			return "", "", fault.New(fault.SchemaLanguage, "%s is a class of a program, and there is no %s", fault.Quoted(ref), stem).
				Hinting("write its JSON Schema to %s under $defs/%s", stem, class)
		}
		return file, fragment, f
	}
	file, f = b.findSchema(path.Dir(b.d.Name), name)
	return file, fragment, f
}

// findSchema looks for a schema file in dir, then in schemas/.
func (b *built) findSchema(dir, name string) (string, *fault.Fault) {
	if _, ok := config.Inside(name); !ok {
		return "", fault.New(fault.Path, "the schema file %s is not inside the project", fault.Quoted(name)).
			Hinting("name it relative to the worker file or to schemas/")
	}
	return b.lookSchema(name, dir, "schemas")
}

// lookSchema looks for a schema file in directories, in order. The name may have "..",
// as long as the path stays in the project.
func (b *built) lookSchema(name string, dirs ...string) (string, *fault.Fault) {
	var tried []string
	for _, d := range dirs {
		l := b.d.In(path.Join(d, name))
		if !fs.ValidPath(l.Name) {
			return "", fault.New(fault.Path, "the schema file %s is not inside the project", fault.Quoted(name))
		}
		tried = append(tried, l.String())
		if b.ws.trees.Exists(l) {
			return l.String(), nil
		}
	}
	return "", fault.New(fault.Schema, "no schema file %s (looked for %s)", fault.Quoted(name), strings.Join(tried, ", "))
}

// document reads a schema file once; file is as location.String shows it.
func (k *bundler) document(file string) (*yamltree.Node, *fault.Fault) {
	if n, ok := k.documents[file]; ok {
		return n, nil
	}
	if len(k.documents) >= maxSchemaFiles {
		return nil, fault.New(fault.Schema, "a schema made of more than %d files", maxSchemaFiles)
	}
	data, f := k.b.ws.trees.read(k.b.d.Parse(file), config.MaxFile)
	if f != nil {
		return nil, f
	}
	n, f := yamltree.ParseJSON(file, data)
	if f != nil {
		return nil, f
	}
	if n.Kind != yamltree.Mapping {
		return nil, n.Pos.Fault(fault.Schema, "expected a JSON Schema, found %s", n.Found())
	}
	k.documents[file] = n
	return n, nil
}

// InputAt returns where w's input_schema stands.
func (w *Worker) InputAt() (file string, line, column int) {
	if n := w.eff.Get("input_schema"); n != nil {
		return n.Pos.File, n.Pos.Line, n.Pos.Column
	}
	return w.File, 0, 0
}
