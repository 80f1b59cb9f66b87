package config

import "golem/core/yamltree"

// File is a kind of file with a table of keys.
type File struct {
	Schema string // the name of its JSON Schema: SCHEMA.schema.json
	Title  string
	Doc    string
	Shape  *yamltree.Shape
}

// Files are those that people write by hand. Their JSON Schemas and the lists of their keys
// are made from the shapes.
var Files = []File{
	{"worker", "golem worker", "Front matter of a .worker file, or a whole .yaml worker.", WorkerShape},
	{"project", "golem project", "project.yaml, the manifest of a project.", withWords(ManifestShape)},
	{"lib", "golem library", "lib.yaml, the description of a library.", LibraryShape},
	{"config", "golem configuration", "$GOLEM_HOME/config.yaml, a person's own configuration.", configShape},
	{"test", "golem test", "tests/NAME.yaml, tests of a worker.", TestShape},
}

// withWords returns the shape of a project file with the keys lib:NAME, which are read apart.
func withWords(s *yamltree.Shape) *yamltree.Shape {
	out := *s
	out.Offers = map[string]*yamltree.Shape{"^lib:": key("What the workers of the library NAME may do: approvals and grants.", wordShape)}
	return &out
}

// JSONSchema returns the schema of the file for editors, as text.
func (f File) JSONSchema() ([]byte, error) {
	out := &yamltree.Node{Kind: yamltree.Mapping}
	for _, one := range [][2]string{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", f.Title}, {"description", f.Doc}} {
		out.Fields = append(out.Fields, yamltree.Field{Name: one[0], Value: &yamltree.Node{Kind: yamltree.Scalar, Tag: yamltree.TagText, Text: one[1]}})
	}
	out.Fields = append(out.Fields, f.Shape.Schema().Fields...)
	return out.Indented()
}
