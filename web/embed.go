// Package web embeds the page's files, which make web writes to dist, as one compressed
// archive. The page's programs are Go programs and share much of their code, so that together
// they compress better than each by itself: the binary is 2.3 MB smaller than with the files
// of dist. A fresh clone has instead a page that says how to build it, so that golem can be
// built without it.
package web

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

//go:embed all:embedded
var embedded embed.FS

// Page returns the files of the page. A program NAME.wasm.gz is not compressed there: the
// page accepts both. The files can be read, but not at an offset. Page decompresses all of
// them, about 41 MB, into memory. built is false if make web has not run.
func Page() (site fs.FS, built bool) {
	packed, err := embedded.ReadFile("embedded/page.zip.zst")
	if err != nil {
		return embedded, false
	}
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil { // unreachable: the options are valid
		return embedded, false
	}
	defer reader.Close()
	archive, err := reader.DecodeAll(packed, nil)
	if err != nil {
		return embedded, false
	}
	page, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	return page, err == nil
}
