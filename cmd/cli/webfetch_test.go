package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/web"

	"golem/cmd/cli/fetch"
)

// web_fetch follows a redirect within the requested host. A redirect to another host is
// reported and not followed, so that the gate judges that host, too; one to an address
// that only a person may allow is refused.
func TestWebFetchJudgesRedirects(t *testing.T) {
	t.Parallel()
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/away":
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<a href="b">link</a>`)) // the client sees what is missing
		}
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	set, err := toolset.NewRegistry(web.Toolset(web.Source{Fetch: fetch.Modules{}, PrivateHosts: []string{host}})).
		Open(t.Context(), "web", nil, toolset.Env{Worker: "main", Network: true})
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(path string) (string, error) {
		out, err := set.Tools()[0].Call(t.Context(), tool.Call{Name: "web_fetch", Args: tool.ReadArguments([]byte(`{"url":"` + server.URL + path + `"}`))})
		return out.Text, err
	}
	if text, err := fetch("/here"); err != nil || text != "URL: "+server.URL+"/there\n\n[link]("+server.URL+"/b)" {
		t.Errorf("within the host: %q, %v", text, err)
	}
	if _, err := fetch("/away"); err == nil || asked > 0 || !strings.Contains(err.Error(), strings.TrimPrefix(other.URL, "http://")) || !strings.Contains(err.Error(), "call web_fetch with that address") {
		t.Errorf("to another host: %v, asked %d", err, asked)
	}
}
