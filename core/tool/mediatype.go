package tool

import (
	"net/http"
	"strings"
)

// MediaType returns the media type of a file, without parameters. It looks at the first
// 512 bytes, as in the WHATWG MIME Sniffing standard. An unknown type is
// application/octet-stream.
func MediaType(start []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
	return kind
}
