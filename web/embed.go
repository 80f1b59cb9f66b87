// Package web embeds the page's files, which make web writes to dist. Programs are
// compressed; the page decompresses them. A fresh clone has a placeholder, so that golem can
// be built without the page.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page returns the files of the page. built is false if make web has not run: then site has
// only a placeholder.
func Page() (site fs.FS, built bool) {
	site, err := fs.Sub(dist, "dist")
	if err != nil { // unreachable: the directory is embedded
		return dist, false
	}
	_, err = fs.Stat(site, "golem.wasm.gz")
	return site, err == nil
}
