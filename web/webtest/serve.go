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

// freshOrigin is a listener whose address no site of this process had: the system
// gives a port again once it is free, and a browser would give its next site what the
// last one stored.
func freshOrigin(t testing.TB, l net.Listener) net.Listener {
	t.Helper()
	originsMu.Lock()
	defer originsMu.Unlock()
	for origins[l.Addr().String()] {
		defer l.Close() // not earlier: the port would come again
		var err error
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	origins[l.Addr().String()] = true
	return l
}
