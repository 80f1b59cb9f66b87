// Command keys writes what is made from the tables of keys: the JSON Schemas in docs/schemas
// and docs/keys.md. Run it in the root of the repository: go run ./docs/keys
package main

import (
	"fmt"
	"os"

	"golem/core/config"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write() error {
	for _, f := range config.Files {
		data, err := f.JSONSchema()
		if err == nil {
			err = os.WriteFile("docs/schemas/"+f.Schema+".schema.json", data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return os.WriteFile("docs/keys.md", []byte(config.KeyPage(config.Files)), 0o644)
}
