package webtest

import (
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Site is a file server on a loopback address, as any static host would be.
type Site struct {
	Origin string // "http://127.0.0.1:PORT"
	URL    string // Origin and the path the files are under, with a slash at the end
	Close  func() // stops the server before the test ends, as if the network was gone
}

// Serve serves files under a path ("/" or "/sub/path/") until the test ends.
// Nothing is served but the files.
func Serve(t testing.TB, files fs.FS, under string) Site {
	t.Helper()
	return ServeHandler(t, http.FileServerFS(files), under)
}

// ServeHandler does what Serve does, with any handler, which gets paths without under.
func ServeHandler(t testing.TB, h http.Handler, under string) Site {
	t.Helper()
	prefix := strings.TrimSuffix(under, "/")
	server := httptest.NewUnstartedServer(http.StripPrefix(prefix, h))
	server.Listener = freshOrigin(t, server.Listener)
	server.Start()
	t.Cleanup(server.Close)
	return Site{Origin: server.URL, URL: server.URL + prefix + "/", Close: server.Close}
}

var (
	originsMu sync.Mutex
	origins   = map[string]bool{} // addresses of sites of this process
)

// freshOrigin returns a listener at an address that no site of this process had. The system
// reuses free ports, and with the same address a site would get what an earlier one stored
// in the browser.
func freshOrigin(t testing.TB, l net.Listener) net.Listener {
	t.Helper()
	originsMu.Lock()
	defer originsMu.Unlock()
	for origins[l.Addr().String()] {
		defer l.Close() // not earlier: the next listener would get the same port
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	origins[l.Addr().String()] = true
	return l
}
