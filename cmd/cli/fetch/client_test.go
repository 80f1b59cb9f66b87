package fetch

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// SPEC §10: no redirect is followed, not even within a host, and a redirect costs one
// request.
func TestNoRedirectIsFollowed(t *testing.T) {
	requests := 0
	count := func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
	}
	other := httptest.NewServer(http.HandlerFunc(count))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
			return
		}
		count(w, r)
	}))
	defer first.Close()
	for path, want := range map[string]int{"/away": 0, "/loop": 1} {
		requests = 0
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, first.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := NewClient().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusTemporaryRedirect || requests != want {
			t.Errorf("%s: status %d, %d requests to where it points", path, res.StatusCode, requests)
		}
	}
}
