//go:build !js

package opfs_test

import (
	"os"
	"testing"

	"golem/sandbox/opfs"
	"golem/web/webtest"
)

var browser webtest.Browser

func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }

// TestInChromium runs the tests of the *_js_test.go files in a worker of a
// real browser.
func TestInChromium(t *testing.T) {
	t.Log(webtest.Suite{Package: ".", Scripts: []string{opfs.Script}}.Run(t, &browser))
}
