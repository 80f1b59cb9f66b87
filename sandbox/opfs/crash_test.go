//go:build !js

package opfs_test

import (
	_ "embed" // for the script
	"fmt"
	"strconv"
	"testing"
	"testing/fstest"

	"golem/sandbox/opfs"
	"golem/web/webtest"
)

//go:embed testdata/crash.js
var crash string

// A worker that dies in the middle of a write leaves the old file or the new
// one, whole (SECURITY 14). What it left behind is swept beside a worker that
// writes, which is not disturbed.
func TestDeathWhileWriting(t *testing.T) {
	site := webtest.Serve(t, fstest.MapFS{"index.html": {Data: []byte(`<!doctype html><link rel="icon" href="data:,"><script>` + crash + `</script>`)}}, "/")
	for _, b := range []*webtest.Browser{&browser, &firefox} {
		t.Run(b.Engine.String(), func(t *testing.T) { diesWhileWriting(t, b.Open(t, site.URL)) })
	}
}

func diesWhileWriting(t *testing.T, p *webtest.Page) {
	t.Helper()
	for i := range 25 {
		if got := webtest.Eval[string](p, fmt.Sprintf("dies(%s, %d)", strconv.Quote(opfs.Script), i)); got != "" {
			t.Errorf("killed after %d ms: %s", i, got)
		}
	}
	if got := webtest.Eval[string](p, fmt.Sprintf("sweeps(%s)", strconv.Quote(opfs.Script))); got != "" {
		t.Errorf("sweeping: %s", got)
	}
	if got := webtest.Eval[string](p, fmt.Sprintf("replaced(%s, 5)", strconv.Quote(opfs.Script))); got != "" {
		t.Errorf("a file that is replaced while it is read: %s", got)
	}
	if got := webtest.Eval[string](p, fmt.Sprintf("logged(%s)", strconv.Quote(opfs.Script))); got != "" {
		t.Errorf("a log: %s", got)
	}
	if got := webtest.Eval[string](p, fmt.Sprintf("outlived(%s)", strconv.Quote(opfs.Script))); got != "" {
		t.Errorf("a tab that outlives another one: %s", got)
	}
}
