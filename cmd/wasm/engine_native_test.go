//go:build !js

package main_test

import (
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"golem/sandbox/opfs"
	"golem/web/webtest"
)

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

// scripts are files of web/tool, joined as web/build does.
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

// lent stands for what web/worker.js lends the program.
const lent = `globalThis.golemText = (name) => fetch(location.origin + '/' + name).then((r) => r.text())
globalThis.golemProgram = (name) => fetch(location.origin + '/' + name).then((r) => r.arrayBuffer()).then((b) => WebAssembly.compile(b))`

// TestInChromium runs the tests of the *_js_test.go files in a worker of a real
// browser.
func TestInChromium(t *testing.T) {
	webtest.Suite{
		Package: ".", Scripts: []string{opfs.Script, lent}, Timeout: 10 * time.Minute,
		Files: fstest.MapFS{
			"golem-tool.js":     {Data: []byte(scripts(t, "twin.js", "kernel.js", "wasi.js", "files.js", "worker.js"))},
			"golem-wazero.js":   {Data: []byte(webtest.WasmExec(t) + "\n;\n" + scripts(t, "wazero.js"))},
			"golem-wazero.wasm": {Data: webtest.Build(t, "build", "-o", "OUT", "./wazero")},
		},
	}.Run(t, &browser)
}
