//go:build webkit

package webtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// startWebKit starts the screen that WebKit needs, and returns the function that opens a
// browser with one tab.
func (b *Browser) startWebKit(driver string) (func(context.Context) (tab, error), error) {
	display, err := b.startScreen()
	if err != nil {
		return nil, err
	}
	home := webkitHome{driver: driver, env: append(os.Environ(), "DISPLAY=:"+display, "HOME="+b.dir, "XDG_CACHE_HOME="+b.dir,
		"XDG_CONFIG_HOME="+b.dir, "XDG_DATA_HOME="+b.dir, "XDG_RUNTIME_DIR="+b.dir, "NO_AT_BRIDGE=1")}
	return home.open, nil
}

// startScreen starts the X server that WebKitGTK draws on, which has no mode without one,
// and returns the number of its display.
func (b *Browser) startScreen() (string, error) {
	xvfb, err := exec.LookPath("Xvfb")
	if err != nil {
		return "", WebKit.missing("Xvfb")
	}
	read, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer read.Close()
	cmd := exec.Command(xvfb, "-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{write}
	diesWithUs(cmd) // and the programs that draw on it die with it
	err = cmd.Start()
	write.Close()
	if err != nil {
		return "", err
	}
	b.end = append(b.end, func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	number, err := io.ReadAll(io.LimitReader(read, 16)) // Xvfb writes one line and closes the pipe
	if err != nil || len(bytes.TrimSpace(number)) == 0 {
		return "", errors.Join(errors.New("no display from Xvfb"), err)
	}
	return string(bytes.TrimSpace(number)), nil
}

// webkitHome has the driver and the environment with which each WebKit is started.
type webkitHome struct {
	driver string
	env    []string
}

// webkitTab is a MiniBrowser with one window, and its driver, which speaks WebDriver
// (https://www.w3.org/TR/webdriver2/) and has one session at a time. The driver cannot
// tell what a page says on its console and asks of the network.
type webkitTab struct {
	driver  *exec.Cmd
	ended   chan struct{}
	session string // the URL of the session
}

// miniBrowsers has the paths at which Debian and other systems install WebKitGTK's browser.
var miniBrowsers = []string{"/usr/lib/*/webkit2gtk-4.*/MiniBrowser", "/usr/lib*/webkit2gtk-4.*/MiniBrowser", "/usr/libexec/webkit2gtk-4.*/MiniBrowser"}

func (home *webkitHome) open(ctx context.Context) (tab, error) {
	var program string
	for _, at := range miniBrowsers {
		if found, _ := filepath.Glob(at); len(found) > 0 {
			program = found[len(found)-1]
			break
		}
	}
	if program == "" {
		return nil, WebKit.missing("MiniBrowser, WebKitGTK's browser,")
	}
	w, err := home.startDriver(ctx)
	if err != nil {
		return nil, err
	}
	var made struct{ SessionID string }
	err = w.call(ctx, http.MethodPost, "", object{"capabilities": object{"alwaysMatch": object{
		"webkitgtk:browserOptions": object{"binary": program, "args": []string{"--automation"}},
		"timeouts":                 object{"script": Patience.Milliseconds(), "pageLoad": Patience.Milliseconds()},
		"unhandledPromptBehavior":  "accept",
	}}}, &made)
	if err != nil {
		w.close()
		return nil, err
	}
	w.session += "/" + made.SessionID
	return w, nil
}

// startDriver starts a driver on a port that was free a moment ago. Another program may
// have got the port since: then the driver ends, and another one is tried.
func (home *webkitHome) startDriver(ctx context.Context) (*webkitTab, error) {
	for {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err = errors.Join(err, l.Close()); err != nil {
			return nil, err
		}
		w := &webkitTab{driver: exec.Command(home.driver, "--port="+port, "--host=127.0.0.1"), ended: make(chan struct{}), session: "http://127.0.0.1:" + port + "/session"}
		w.driver.Env = home.env
		diesWithUs(w.driver)
		if err := w.driver.Start(); err != nil {
			return nil, err
		}
		go func() {
			defer close(w.ended)
			_ = w.driver.Wait()
		}()
		ready, err := w.ready(ctx)
		if ready || err != nil {
			return w, err
		}
	}
}

// ready waits until the driver answers. It returns false if the driver has ended.
func (w *webkitTab) ready(ctx context.Context) (bool, error) {
	for {
		var status struct{ Ready bool }
		at := webkitTab{session: strings.TrimSuffix(w.session, "session") + "status"}
		if at.call(ctx, http.MethodGet, "", nil, &status) == nil && status.Ready {
			return true, nil
		}
		select {
		case <-w.ended:
			return false, nil
		case <-ctx.Done():
			w.close()
			return false, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// call sends a command to the driver and decodes its value.
func (w *webkitTab) call(ctx context.Context, method, command string, body, value any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, w.session+command, bytes.NewReader(data))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var said struct{ Value json.RawMessage }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return fmt.Errorf("WebKit's driver, %s %s: %w", method, command, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("WebKit's driver, %s %s: %s", method, command, said.Value)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(said.Value, value)
}

func (w *webkitTab) close() {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_ = w.call(ctx, http.MethodDelete, "", nil, nil) // it may be gone already
	_ = w.driver.Process.Kill()
	<-w.ended
}

func (w *webkitTab) navigate(ctx context.Context, url string) error {
	return w.call(ctx, http.MethodPost, "/url", object{"url": url}, nil)
}

func (w *webkitTab) reload(ctx context.Context) error {
	return w.call(ctx, http.MethodPost, "/refresh", object{}, nil)
}

// eval inserts the script into the text of the script that the driver runs, because the
// page's content security policy forbids JavaScript's eval.
func (w *webkitTab) eval(ctx context.Context, script string) (json.RawMessage, error) {
	var got struct {
		Value json.RawMessage
		Error string
	}
	err := w.call(ctx, http.MethodPost, "/execute/async", object{"args": []any{}, "script": "const end = arguments[arguments.length - 1]; (async () => (" + script +
		"\n))().then((value) => end({ value }), (error) => end({ error: String(error) }))"}, &got)
	if err == nil && got.Error != "" {
		err = errors.New(got.Error)
	}
	return got.Value, err
}

var errNoHands = errors.New("the driver of WebKit neither types nor chooses files: click by script")

func (w *webkitTab) press(context.Context, string) error { return errNoHands }

func (w *webkitTab) upload(context.Context, string, []string) error { return errNoHands }
