// Command write makes the documentation as static web pages in a directory, build/site
// without an argument. It removes what is in the directory first, if that is a site that it
// made before. Run it at the repository's root: go run ./docs/site/write
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golem/docs/site"
)

func main() {
	dir := "build/site"
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	files, err := site.Files("")
	if err == nil {
		err = write(dir, files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d files in %s\n", len(files), dir)
}

// write writes the files into dir. It refuses a directory with other files.
func write(dir string, files map[string][]byte) error {
	if old, err := os.ReadDir(dir); err == nil && len(old) > 0 {
		if _, err := os.Stat(filepath.Join(dir, "search.json")); err != nil {
			return fmt.Errorf("%s has other files: name an empty directory, or remove it", dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
