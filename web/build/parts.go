package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

var imported = regexp.MustCompile(`(?:from|import)"\./(part-\w+\.js)"`)

// static is the parts that a script imports at once, and those that they import.
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

// preloading is the page with links to those parts: a browser asks for them at
// once, not only after it has read app.js.
func preloading(page []byte) ([]byte, error) {
	parts, err := static("app.js")
	for _, part := range parts {
		page = bytes.Replace(page, []byte("</head>"), []byte(`<link rel="modulepreload" href="`+part+"\">\n</head>"), 1)
	}
	return page, err
}
