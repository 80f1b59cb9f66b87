// Package schemas has the JSON Schemas of golem's files, for editors and for golem schema. Tests
// in docs check that they agree with golem's parsers.
package schemas

import "embed"

//go:embed *.schema.json
var files embed.FS

// Names has the names of the schemas, in the order in which people meet the files. Callers must
// not change it.
var Names = []string{"worker", "manifest", "lib", "config", "tools", "script", "test"}

// Read returns the schema with a name of Names, a JSON document of docs/schemas. It fails with
// fs.ErrNotExist if there is none.
func Read(name string) ([]byte, error) {
	if name == "manifest" {
		name = "project"
	}
	return files.ReadFile(name + ".schema.json")
}
