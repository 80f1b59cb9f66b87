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

// A web worker that dies in the middle of a write leaves the old or the new file,
// complete (SECURITY 14). Sweeping its temporary files does not disturb a worker
// that writes.
func TestDeathWhileWriting(t *testing.T) {
	site := webtest.Serve(t, fstest.MapFS{"index.html": {Data: []byte(`<!doctype html><link rel="icon" href="data:,"><script>` + crash + `</script>`)}}, "/")
	for _, b := range []*webtest.Browser{&browser, &firefox} {
		t.Run(b.Engine.String(), func(t *testing.T) { diesWhileWriting(t, b, site.URL) })
	}
}

func diesWhileWriting(t *testing.T, b *webtest.Browser, url string) {
	t.Helper()
	p, crashes := b.Open(t, url), 0
	// wants calls a function of crash.js with golem's own script and these arguments.
	wants := func(what, function, more string) {
		t.Helper()
		got, err := webtest.Try[string](p, fmt.Sprintf("%s(%s%s)", function, strconv.Quote(opfs.Script), more), webtest.Patience)
		if err != nil && b.Engine == webtest.Firefox && crashes < 3 {
			// The thread of a worker that is terminated sometimes ends Firefox's process of
			// the page (SIGSEGV in libxul.so, Firefox 153; seen once).
			if there, _ := webtest.Try[bool](p, "'"+function+"' in window", webtest.Patience); !there {
				crashes++
				t.Logf("%s: Firefox lost the page, which is opened again: %v", what, err)
				p = b.Open(t, url)
				got, err = webtest.Try[string](p, fmt.Sprintf("%s(%s%s)", function, strconv.Quote(opfs.Script), more), webtest.Patience)
			}
		}
		if err != nil || got != "" {
			t.Errorf("%s: %s %v\nthe page said:\n%s", what, got, err, p.Console())
		}
	}
	for i := range 25 {
		wants(fmt.Sprintf("killed after %d ms", i), "dies", fmt.Sprint(", ", i))
	}
	wants("sweeping", "sweeps", "")
	wants("a file that is replaced while it is read", "replaced", ", 5")
	wants("a log", "logged", "")
	wants("a tab that outlives another one", "outlived", "")
}
