// Package web is the page as files: what make web wrote to dist, compressed
// where the page unpacks it itself. A fresh clone has a placeholder, so that
// golem can be built without the page. What reads git repositories is not in it:
// 1.8 MB, for which the binary has no room.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist/[^r]*
var dist embed.FS

// Page is the site, and whether it was built: a placeholder otherwise.
func Page() (site fs.FS, built bool) {
	site, err := fs.Sub(dist, "dist")
	if err != nil { // unreachable: the directory is embedded
		return dist, false
	}
	_, err = fs.Stat(site, "golem.wasm.gz")
	return site, err == nil
}
