// Command keys writes what is made from the tables of keys: the JSON Schemas in docs/schemas,
// docs/keys.md and the pages in docs/keys. Run it in the root of the repository: go run ./docs/keys
package main

import (
	"fmt"
	"os"
	"path/filepath"

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
	old, err := filepath.Glob("docs/keys/*.md")
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, text := range config.KeyPages(config.Files) {
		if err := os.WriteFile("docs/"+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
