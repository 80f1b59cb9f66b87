package webcmd

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golem/cmd/cli/console"
)

// golem web answers requests to this machine's own names, with the types and headers
// that the page needs, and to no other name, such as that of a foreign page which
// resolves to this machine.
func TestPages(t *testing.T) {
	h := pages(fstest.MapFS{"index.html": {Data: []byte("<!doctype html>x")}, "app.js": {Data: []byte("1")}, "golem.wasm.gz": {Data: []byte{0x1f, 0x8b}}, "page.GOLEM": {Data: []byte("<!doctype html>x")}}, nil)
	for _, c := range []struct {
		host, path string
		code       int
		kind       string
	}{
		{"127.0.0.1:8080", "/", 200, "text/html"},
		{"localhost", "/app.js", 200, "text/javascript"},
		{"[::1]:9", "/golem.wasm.gz", 200, "application/gzip"},
		{"127.0.0.1:8080", "/page.GOLEM", 200, "application/octet-stream"},
		{"127.0.0.1:8080", "/none", 404, ""},
		{"127.0.0.1:8080", "/none.html", 404, "text/plain"},
		{"127.0.0.1:8080", "/packed/project.golem", 404, "text/plain"},
		{"127.0.0.1:8080", "/../go.mod", 301, ""},
		{"evil.example", "/", 403, ""},
		{"127.0.0.1.evil.example:8080", "/", 403, ""},
		{"192.168.0.1", "/", 403, ""},
		{"", "/", 403, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host, r.URL.Path = c.host, c.path
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code && !(c.code == 301 && w.Code == 404) || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) {
			t.Errorf("%s %s: %d %q, want %d %q", c.host, c.path, w.Code, w.Header().Get("Content-Type"), c.code, c.kind)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: headers %v", c.path, w.Header())
		}
	}
}

// The usual port is used if it is free, so that a browser finds its projects again;
// otherwise another one, with a message.
func TestListen(t *testing.T) {
	told, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	c := console.New(nil, "")
	c.Err = told
	one, err := listen(c, "")
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := listen(c, "")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	said, err := os.ReadFile(told.Name())
	if err != nil || two.Addr().String() == usualAddr || !strings.Contains(string(said), usualAddr+" is in use") {
		t.Errorf("%s: %q, %v", two.Addr(), said, err)
	}
	for _, bad := range []string{"0.0.0.0:0", "example.com:80", "127.0.0.1", ":0", two.Addr().String()} {
		if l, err := listen(c, bad); err == nil {
			l.Close()
			t.Errorf("it listens on %s", bad)
		}
	}
}

// golem web FILE serves that file at one address, whatever its name is, so that no browser
// takes it for a page or a script of golem's origin, and serves nothing else of the disk.
func TestPackedSite(t *testing.T) {
	h := pages(fstest.MapFS{"index.html": {Data: []byte("page")}}, []byte("<!doctype html><script>x</script>"))
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for path, want := range map[string]int{"/packed/project.golem": 200, "/": 200, "/packed/project.golem/": 404, "/packed/PROJECT.GOLEM": 404, "/packed/demo.html": 404, "/packed/": 404} {
			r := httptest.NewRequest(method, path, nil)
			r.Host = "localhost"
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s: %d, want %d", path, w.Code, want)
			}
			if path != "/packed/project.golem" {
				continue
			}
			for name, want := range map[string]string{
				"Content-Type": "application/zip", "X-Content-Type-Options": "nosniff", "Content-Disposition": `attachment; filename="project.golem"`,
				"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
	}
}
