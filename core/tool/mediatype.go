package tool

import (
	"net/http"
	"strings"
)

// MediaType returns the media type of a file without parameters, by its first 512
// bytes, as the WHATWG MIME Sniffing standard has it: application/octet-stream if it
// is not known.
func MediaType(start []byte) string {
	kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
	return kind
}
