// Package webtest runs tests in a real Chromium: pages with what they say on
// their console, and whole Go test programs built for js/wasm, which run in a
// dedicated worker of a page. It is test support and never linked into golem.
//
// A package's tests share one browser; each site has an origin of its own,
// with empty storage:
//
//	var browser webtest.Browser
//
//	func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }
package webtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// Browser is one Chromium process. The zero value starts it at the first page;
// Main ends it. It is safe for concurrent use.
type Browser struct {
	// Outside answers whatever is asked of any host but this machine,
	// by a page, its workers or the browser itself. nil: there is no other host.
	// Set it before the first page.
	Outside http.Handler

	once sync.Once
	ctx  context.Context // of the browser, which lives as long
	err  error
	end  []context.CancelFunc
	dir  string
}

// Main runs a package's tests and ends its browsers. It returns the exit code.
func Main(m *testing.M, browsers ...*Browser) int {
	code := m.Run()
	for _, b := range browsers {
		if err := b.close(); err != nil {
			fmt.Fprintln(os.Stderr, "chromium:", err)
			code = max(code, 1)
		}
	}
	return code
}

// programs are the names Chromium goes by.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

var errMissing = errors.New("no chromium here: apt-get install chromium (make setup does it)")

func find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errMissing
}

// start starts the process, once. Nothing it would fetch for itself is fetched.
func (b *Browser) start() (context.Context, error) {
	b.once.Do(func() {
		path, err := find()
		if err != nil {
			b.err = err
			return
		}
		if b.dir, b.err = os.MkdirTemp("", "golem-chromium-"); b.err != nil {
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.UserDataDir(b.dir), chromedp.WindowSize(1280, 800),
			chromedp.Flag("disable-component-update", true),
			chromedp.Flag("disable-domain-reliability", true),
			chromedp.Flag("disable-gpu", true),
			chromedp.Flag("no-pings", true),
			// Without a graphics card each frame of an animation costs a processor's time.
			chromedp.Flag("force-prefers-reduced-motion", true),
			chromedp.Flag("host-resolver-rules", "MAP * "+b.outside()+", EXCLUDE localhost, EXCLUDE 127.0.0.1"),
			chromedp.Flag("ignore-certificate-errors", b.Outside != nil),
		)
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
		b.end = append(b.end, end)
		ctx, end = chromedp.NewContext(ctx)
		b.end = append(b.end, end)
		b.ctx, b.err = ctx, chromedp.Do(ctx)
	})
	return b.ctx, b.err
}

func (b *Browser) close() error {
	for i := len(b.end) - 1; i >= 0; i-- {
		b.end[i]()
	}
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}
