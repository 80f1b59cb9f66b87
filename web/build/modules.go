package main

import (
	"fmt"

	"github.com/evanw/esbuild/pkg/api"
)

// module puts golem.js and what it imports into one file: a page that embeds
// golem loads one script, and a second one for what it provides.
func module() error {
	for to, from := range map[string]string{"golem.js": "web/golem.js", "golem-provide.js": "web/golem/provide.js"} {
		if err := together(to, from); err != nil {
			return err
		}
	}
	return nil
}

// together bundles a module with what it imports.
func together(to, from string) error {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{from}, Bundle: true, Format: api.FormatESModule,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, Target: api.ES2022, LogLevel: api.LogLevelWarning,
	})
	if err := flawless(r); err != nil {
		return err
	}
	return write(to, r.OutputFiles[0].Contents)
}

// flawless fails on warnings too: a key that stands twice in an object is one.
func flawless(r api.BuildResult) error {
	if all := append(r.Errors, r.Warnings...); len(all) > 0 {
		return fmt.Errorf("the page's scripts: %s", all[0].Text)
	}
	return nil
}
