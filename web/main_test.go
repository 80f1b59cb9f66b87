//go:build !js

package web_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golem/web/webtest"
)

// outward is a Chromium in which all host names lead to a server of the test.
var browser, outward webtest.Browser

// agentic is a Chromium whose pages can offer tools to an agent.
var agentic = webtest.Browser{Features: []string{"WebMCP"}}

var (
	firefox = webtest.Browser{Engine: webtest.Firefox}
	webkit  = webtest.Browser{Engine: webtest.WebKit} // for TestWebKit
)

// browserOf returns the browser for a test: Firefox for subtests of TestFirefox and
// TestFirefoxFirst, else Chromium.
func browserOf(t testing.TB) *webtest.Browser {
	if strings.HasPrefix(t.Name(), "TestFirefox") {
		return &firefox
	}
	return &browser
}

// scratch is a directory for files that several tests share.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	measures := flag.Lookup("test.bench").Value.String() != "" // what a person's browser takes
	browser.Shell, outward.Shell, agentic.Shell = !measures, !measures, !measures
	browser.Baseline, outward.Baseline, agentic.Baseline = !measures, !measures, !measures
	var err error
	if scratch, err = os.MkdirTemp("", "golem-page-"); err != nil {
		panic(err)
	}
	code := webtest.Main(m, &browser, &outward, &agentic, &firefox, &webkit)
	if err := os.RemoveAll(scratch); err != nil {
		panic(err)
	}
	os.Exit(code)
}

var buildCLI = sync.OnceValues(func() (string, error) {
	file := filepath.Join(scratch, "golem")
	said, err := exec.Command("../.ci/build.sh", file).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return file, err
})

// cli returns the path of the golem command, which is built once for all tests.
func cli(t testing.TB) string {
	t.Helper()
	file, err := buildCLI()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// built returns the files that make web wrote.
func built(t testing.TB) fs.FS {
	t.Helper()
	if _, err := os.Stat("dist/golem.js"); err != nil {
		t.Fatal("the page is not built: make web (make check does it before its tests)")
	}
	return os.DirFS("dist")
}

// embedding returns the built page's files, and a page beside them that embeds golem.
func embedding(t testing.TB) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"embedded.html", "embedded.js"} {
		data, err := os.ReadFile(path.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return withFile{built(t), files}
}

// embedded opens the page that embeds golem, and waits until golem has started.
func embedded(t testing.TB) *webtest.Page {
	t.Helper()
	return embeddedIn(t, browserOf(t))
}

func embeddedIn(t testing.TB, b *webtest.Browser) *webtest.Page {
	t.Helper()
	p := b.Open(t, webtest.ServeHandler(t, light(t, embedding(t)), "/").URL+"embedded.html")
	webtest.Eval[string](p, `(async () => (await window.golem).version)()`)
	return p
}
