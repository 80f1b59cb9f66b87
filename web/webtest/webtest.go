// Package webtest runs tests in a real browser: Chromium, Firefox or (with the build tag
// webkit) WebKit. Tests can open pages and look at what they do, and run whole Go test
// programs built for js/wasm in a dedicated worker of a page. It is test support and never
// linked into golem.
//
// The tests of a package share one browser. Each site has its own origin, with empty
// storage:
//
//	var browser webtest.Browser
//
//	func TestMain(m *testing.M) { os.Exit(webtest.Main(m, &browser)) }
package webtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// Engine is a kind of browser.
type Engine int

// The browsers that tests can drive.
const (
	Chromium Engine = iota
	Firefox
	WebKit // MiniBrowser of WebKitGTK; only with the build tag webkit
)

// String returns the browser's name.
func (e Engine) String() string { return [...]string{"Chromium", "Firefox", "WebKit"}[e] }

// Browser is one process of a browser. The zero value is a Chromium. The process starts when
// the first page is opened, and Main ends it. It is safe for concurrent use.
type Browser struct {
	Engine Engine

	// Outside answers all requests to other hosts than this machine, from a page, its
	// workers or the browser itself. nil: there is no other host. Set it before the first
	// page. For Chromium only.
	Outside http.Handler

	// Shell starts Chromium's headless shell if it is installed: the same engine, without the
	// window and the controls around a page, which a test never sees. It needs a quarter less
	// processor time. Set it before the first page. For Chromium only.
	Shell bool

	// Baseline makes V8 compile WebAssembly with its first compiler only. Pages that compute
	// little then need a quarter less processor time. Pages that compute much are slower: a
	// program that runs tests or tools all the time needs the second compiler. Set it before
	// the first page. For Chromium only.
	Baseline bool

	// Features are features of Chromium that are off by default. Set them before the first
	// page.
	Features []string

	// Private makes every window a private one. For Firefox only.
	Private bool

	once     sync.Once
	chromium context.Context // chromedp's context of the browser
	firefox  *bidi
	webkit   func(context.Context) (tab, error) // opens a browser of one tab
	err      error
	end      []func()
	dir      string
}

// Main runs a package's tests and ends its browsers. It returns the exit code.
func Main(m *testing.M, browsers ...*Browser) int {
	code := m.Run()
	for _, b := range browsers {
		if err := b.close(); err != nil {
			fmt.Fprintln(os.Stderr, b.Engine, err)
			code = max(code, 1)
		}
	}
	return code
}

// shells has the programs of Chromium's headless shell. The first is Debian's: the program by
// its name is a script, which would stay beside it.
var shells = []string{"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chrome-headless-shell"}

// programs has the names of the program of each engine, in the order of preference.
var programs = [...][]string{
	Chromium: {"chromium", "chromium-browser", "google-chrome"},
	Firefox:  {"firefox-esr", "firefox"},
	WebKit:   {"WebKitWebDriver"},
}

// missing returns the error that says how to install a program of an engine.
func (e Engine) missing(program string) error {
	return fmt.Errorf("%s is not installed here: .ci/setup.sh %s installs it", program, [...]string{"check", "check", "webkit"}[e])
}

func (b *Browser) find() (string, error) {
	names := programs[b.Engine]
	if b.Engine == Chromium && b.Shell {
		names = append(slices.Clone(shells), names...)
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", b.Engine.missing(programs[b.Engine][0])
}

// start starts the process at the first call; later calls return the same error.
func (b *Browser) start() error {
	b.once.Do(func() {
		path, err := b.find()
		if err == nil {
			b.dir, err = os.MkdirTemp(room(), "golem-browser-")
		}
		switch {
		case err != nil:
		case b.Engine == Firefox:
			b.firefox, err = b.startFirefox(path)
		case b.Engine == WebKit:
			b.webkit, err = b.startWebKit(path)
		default:
			b.chromium, err = b.startChromium(path)
		}
		b.err = err
	})
	return b.err
}

func (b *Browser) close() error {
	for i := len(b.end) - 1; i >= 0; i-- {
		b.end[i]()
	}
	if b.dir == "" {
		return nil
	}
	for end := time.Now().Add(Patience); ; time.Sleep(50 * time.Millisecond) { // a child of the browser may still write
		if err := os.RemoveAll(b.dir); err == nil || time.Now().After(end) {
			return err
		}
	}
}
