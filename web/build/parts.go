package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

var imported = regexp.MustCompile(`(?:from|import)"\./(part-\w+\.js)"`)

// static returns the parts of the bundle that a script imports when it is loaded, and the
// parts that those import.
func static(name string) ([]string, error) {
	var found []string
	for next := []string{name}; len(next) > 0; next = next[1:] {
		data, err := os.ReadFile(filepath.Join(dist, next[0]))
		if err != nil {
			return nil, err
		}
		for _, m := range imported.FindAllSubmatch(data, -1) {
			if part := string(m[1]); !slices.Contains(found, part) {
				found, next = append(found, part), append(next, part)
			}
		}
	}
	return found, nil
}

// preloading returns the page with links to the parts that app.js imports, so that a browser
// requests them at once and not only after it has read app.js.
func preloading(page []byte) ([]byte, error) {
	parts, err := static("app.js")
	for _, part := range parts {
		page = bytes.Replace(page, []byte("</head>"), []byte(`<link rel="modulepreload" href="`+part+"\">\n</head>"), 1)
	}
	return page, err
}
