package target

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/workspace"

	"golem/cmd/cli/console"
)

// A server can neither redirect golem to another host nor make it read more than the
// limit.
func TestFetchPack(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/moved.golem", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/here.golem", http.StatusFound) })
	mux.HandleFunc("/here.golem", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("here")) })
	mux.HandleFunc("/away.golem", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/x.golem", http.StatusFound)
	})
	mux.HandleFunc("/loop.golem", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop.golem", http.StatusFound) })
	mux.HandleFunc("/endless.golem", func(w http.ResponseWriter, r *http.Request) {
		for chunk := make([]byte, 1<<20); r.Context().Err() == nil; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	devNull, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devNull.Close()
	c := console.New(nil, t.TempDir())
	c.In, c.Out, c.Err = devNull, devNull, devNull
	for path, want := range map[string]string{"/moved.golem": "here", "/away.golem": "another host", "/loop.golem": "too many redirects", "/none.golem": "404"} {
		data, err := fetchPack(c, server.URL+path)
		switch {
		case err == nil && string(data) == want:
		case err == nil || !errors.Is(err, fault.Network) || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %q, %v; want %s", path, data, err, want)
		}
	}
	if data, err := fetchPack(c, server.URL+"/endless.golem"); err != nil || len(data) != workspace.MaxPack+1 {
		t.Errorf("endless: %d bytes, %v", len(data), err)
	}
	if _, err := ReadPack(c, server.URL+"/endless.golem"); !errors.Is(err, fault.Limit) {
		t.Errorf("endless: %v", err)
	}
}
