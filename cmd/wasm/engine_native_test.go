//go:build !js

package main_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golem/core/model/modeltest"
	"golem/sandbox/opfs"
	"golem/web/webtest"
)

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

// scripts returns files of web/tool, joined as web/build joins them.
func scripts(t testing.TB, names ...string) string {
	t.Helper()
	var out strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(path.Join("../../web/tool", name))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		out.WriteString("\n;\n")
	}
	return out.String()
}

// lent defines what web/worker.js defines for the program, in a simpler form.
const lent = `globalThis.golemRoot = navigator.storage.getDirectory()
globalThis.golemRests = (w) => setTimeout(() => w.postMessage({ prepare: true }))
globalThis.golemText = (name) => fetch(location.origin + '/' + name).then((r) => r.text())
globalThis.golemProgram = (name) => fetch(location.origin + '/' + name).then((r) => r.arrayBuffer()).then((b) => WebAssembly.compile(b))`

// serveCorpus starts a server that answers POST /PROVIDER/KIND/… as that provider does, in
// pieces of 61 bytes, to pages of any origin. It returns the server's address.
func serveCorpus(t *testing.T) string {
	t.Helper()
	all, err := modeltest.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]modeltest.Answer{}
	for _, p := range all {
		for _, a := range p.Answers {
			answers[p.Name+"/"+a.Kind] = a
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		path := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
		a, ok := answers[strings.Join(path[:min(2, len(path))], "/")]
		switch {
		case r.Method == http.MethodOptions:
			return
		case !ok || r.Method != http.MethodPost:
			http.NotFound(w, r)
			return
		}
		maps.Copy(w.Header(), a.Header)
		w.WriteHeader(a.Status)
		for piece := range slices.Chunk([]byte(a.Body), 61) {
			if _, err := w.Write(piece); err != nil {
				return // the page is gone, and its test fails by itself
			}
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestProgramInChromium runs the tests of the *_js_test.go files in a worker of a real
// Chromium. In Firefox new workers start too slowly for it on a busy machine.
func TestProgramInChromium(t *testing.T) {
	webtest.Suite{
		Package: ".", Scripts: []string{opfs.Script, lent, fmt.Sprintf("globalThis.corpusServer = %q", serveCorpus(t))}, Timeout: 10 * time.Minute,
		Expect: []string{"the server responded with a status of"}, // a provider's refusals
		Files: fstest.MapFS{
			"golem-tool.js":     {Data: []byte(scripts(t, "twin.js", "kernel.js", "wasi.js", "files.js", "worker.js"))},
			"golem-wazero.js":   {Data: []byte(webtest.WasmExec(t) + "\n;\n" + scripts(t, "wazero.js"))},
			"golem-wazero.wasm": {Data: webtest.Build(t, "build", "-o", "OUT", "./wazero")},
		},
	}.Run(t, &browser)
}
