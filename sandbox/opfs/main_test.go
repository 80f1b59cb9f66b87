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

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

// TestInChromium runs the tests of the *_js_test.go files in a worker of a
// real browser.
func TestInChromium(t *testing.T) {
	webtest.Suite{Package: ".", Scripts: []string{opfs.Script}, Args: []string{"-test.skip=^TestFull$"}}.Run(t, &browser)
}

// TestFullInChromium runs the one that needs little room.
func TestFullInChromium(t *testing.T) {
	webtest.Suite{Package: ".", Scripts: []string{opfs.Script}, Args: []string{"-test.run=^TestFull$"}, Quota: 4 << 20}.Run(t, &browser)
}

//go:embed testdata/plain.js
var plain string

// BenchmarkInChromium prints what the benchmarks of the *_js_test.go files say.
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
