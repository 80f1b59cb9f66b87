// Package schemas has the JSON Schemas of golem's files, for editors and for
// golem schema. Tests in docs hold them to golem's parsers.
package schemas

import "embed"

//go:embed *.schema.json
var files embed.FS

// Names are the schemas' names, in the order in which people meet the files.
var Names = []string{"worker", "manifest", "lib", "config", "tools", "script"}

// Read returns the schema of a name: a JSON document, as it stands in
// docs/schemas.
func Read(name string) ([]byte, error) {
	if name == "manifest" {
		name = "project"
	}
	return files.ReadFile(name + ".schema.json")
}
