package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/evanw/esbuild/pkg/api"
)

// modules makes golem.js with all that it imports, so that a page that embeds golem loads
// one script, and golem-provide.js, which it loads only if it provides functions.
func modules() error {
	if err := together("golem-provide.js", "web/golem/provide.js", writeLate); err != nil {
		return err
	}
	return together("golem.js", "web/golem.js", write)
}

// together bundles a module with what it imports, and writes it with write. Its MODULE is the first
// half of the SHA-256 of golem.wasm.
func together(to, from string, write func(name string, data []byte) error) error {
	known, err := late()
	if err != nil {
		return err
	}
	packed, err := os.ReadFile(filepath.Join(dist, "golem.wasm.gz"))
	if err != nil {
		return err
	}
	sums, err := digests(packed)
	if err != nil {
		return err
	}
	known["MODULE"] = strconv.Quote(sums[1])
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{from}, Bundle: true, Format: api.FormatESModule, Define: known,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Target: api.ES2022, LogLevel: api.LogLevelWarning,
	})
	if err := flawless(r); err != nil {
		return err
	}
	return write(to, r.OutputFiles[0].Contents)
}

// flawless fails on errors and on warnings, for example on a key that is twice in an object.
func flawless(r api.BuildResult) error {
	if all := append(r.Errors, r.Warnings...); len(all) > 0 {
		return fmt.Errorf("the page's scripts: %s", all[0].Text)
	}
	return nil
}
