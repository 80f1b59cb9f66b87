//go:build !js

package opfs_test

import (
	_ "embed" // for plain
	"fmt"
	"os"
	"testing"
	"time"

	"golem/sandbox/opfs"
	"golem/web/webtest"
)

var browser, firefox = webtest.Browser{}, webtest.Browser{Engine: webtest.Firefox}

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser, &firefox)) }

// TestInBrowsers runs the tests of the *_js_test.go files in web workers of real
// browsers.
func TestInBrowsers(t *testing.T) {
	webtest.Suite{Package: ".", Scripts: []string{opfs.Script}, Args: []string{"-test.skip=^TestFull$"}}.Run(t, &browser, &firefox)
}

// TestFullInChromium runs TestFull, which needs a small storage quota. Only Chromium
// can be given one.
func TestFullInChromium(t *testing.T) {
	webtest.Suite{Package: ".", Scripts: []string{opfs.Script}, Args: []string{"-test.run=^TestFull$"}, Quota: 4 << 20}.Run(t, &browser)
}

//go:embed testdata/plain.js
var plain string

// BenchmarkInChromium prints the output of the benchmarks of the *_js_test.go files.
func BenchmarkInChromium(b *testing.B) {
	s := webtest.Suite{
		Package: ".", Scripts: []string{opfs.Script, plain}, Timeout: 5 * time.Minute,
		Args: []string{"-test.run=^$", "-test.bench=."},
	}
	out, code := s.Output(b, &browser)
	fmt.Println(out)
	if code != 0 {
		b.Errorf("the benchmarks ended with code %d", code)
	}
}
