//go:build !js

package main_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"golem/sandbox/opfs"
	"golem/web/webtest"
)

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

// toolScript lends the script of the tools' workers, as web/build joins it.
func toolScript(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, name := range []string{"kernel.js", "wasi.js", "worker.js"} {
		data, err := os.ReadFile(path.Join("../../web/tool", name))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(data)
		out.WriteString("\n;\n")
	}
	literal, err := json.Marshal(out.String())
	if err != nil {
		t.Fatal(err)
	}
	return "globalThis.golemTools = 'golem-tool.js'; globalThis.fetch = async () => new Response(" + string(literal) + ")"
}

// TestInChromium runs the tests of the *_js_test.go files in a worker of a real
// browser.
func TestInChromium(t *testing.T) {
	webtest.Suite{Package: ".", Scripts: []string{opfs.Script, toolScript(t)}}.Run(t, &browser)
}
