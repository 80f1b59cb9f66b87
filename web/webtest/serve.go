package webtest

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Site is a file server on a loopback address, as any static host would be.
type Site struct {
	Origin string // "http://127.0.0.1:PORT"
	URL    string // Origin and the path the files are under, with a slash at the end
	Close  func() // ends it early: the network is gone
}

// Serve serves files under a path ("/" or "/sub/path/") until the test ends.
// Nothing is served but the files.
func Serve(t testing.TB, files fs.FS, under string) Site {
	t.Helper()
	return ServeHandler(t, http.FileServerFS(files), under)
}

// ServeHandler is Serve for any handler, which sees paths below under.
func ServeHandler(t testing.TB, h http.Handler, under string) Site {
	t.Helper()
	prefix := strings.TrimSuffix(under, "/")
	server := httptest.NewServer(http.StripPrefix(prefix, h))
	t.Cleanup(server.Close)
	return Site{Origin: server.URL, URL: server.URL + prefix + "/", Close: server.Close}
}
