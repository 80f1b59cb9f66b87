package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/workspace"
	"golem/web"
)

// webCommand returns golem web, which serves the embedded page (SPEC §12, §13).
func (h *host) webCommand() *cobra.Command {
	var addr string
	var open bool
	cmd := &cobra.Command{
		Use: "web [FILE]", Short: "serve the page, golem in a browser tab", Args: words(0, 1),
		Long: `Serves the page on this machine's loopback address, until Ctrl+C. The page runs
golem in the browser tab. Projects are kept in the browser; this server only
receives requests for the page's own files. A browser keeps separate projects for
each address, so golem uses the same port each time if it is free.

FILE is a packed project: the address that golem prints opens it in the page,
which asks before it takes it.`,
		RunE: func(_ *cobra.Command, words []string) error { return h.web(addr, open, words) },
	}
	cmd.Flags().StringVar(&addr, "addr", "", "a loopback address with a port, 0 for a free one (default "+usualAddr+")")
	cmd.Flags().BoolVar(&open, "open", false, "open it in the browser")
	return cmd
}

func (h *host) web(addr string, open bool, words []string) error {
	site, built := web.Page()
	if !built {
		return fault.New(fault.Platform, "this golem was built without the page").Hinting("build golem from its source: make web build")
	}
	name := ""
	if len(words) > 0 {
		data, err := h.packBytes(words[0])
		if err == nil {
			_, err = workspace.ReadPack(data)
		}
		if err == nil {
			site, name, err = packedSite(site, words[0], data)
		}
		if err != nil {
			return err
		}
	}
	listener, err := h.listen(addr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	server := &http.Server{Handler: pages(site), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String() + "/"
	if name != "" {
		url += "#url=" + neturl.QueryEscape(url+(&neturl.URL{Path: name}).EscapedPath())
	}
	if err := h.print(url + "\n"); err != nil {
		return err
	}
	if open {
		if err := browse(url); err != nil {
			h.say("no browser could be opened: %v", err)
		}
	}
	select {
	case err := <-ended:
		return fault.Of(err, fault.Platform)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(end); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fault.Of(err, fault.Platform)
	}
	return nil
}

// usualAddr is where the page is served by default. A browser keeps separate projects
// for each address, which includes the port. SPEC §12 has a free port each time, with
// which a second start would find none of the projects.
const usualAddr = "127.0.0.1:8420"

// listen listens on the given address; without one on the usual address, or on a free
// port if that is in use.
func (h *host) listen(addr string) (net.Listener, error) {
	if addr == "" {
		if l, err := net.Listen("tcp", usualAddr); err == nil {
			return l, nil
		}
		h.say("%s is in use by another program: golem uses another port, and the browser keeps separate projects for it", usualAddr)
		addr = "127.0.0.1:0"
	}
	return listenLoopback("--addr", addr, "for example 127.0.0.1:8080; to serve other machines, put the files of web/dist on a web server with https")
}

// listenLoopback listens on the address of a flag, which must be a loopback address.
func listenLoopback(flag, addr, hint string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if ip, bad := netip.ParseAddr(host); err != nil || host != "localhost" && (bad != nil || !ip.IsLoopback()) {
		return nil, usage("%s %s is not a loopback address with a port", flag, addr).Hinting("%s", hint)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fault.New(fault.Busy, "cannot listen on %s: %w", addr, err).Hinting("choose another port with %s, or 0 for a free one", flag)
	}
	return l, nil
}

// pages returns a handler that serves the site's files to this machine only. It refuses
// requests with another host name: they come from a foreign page that tries to reach a
// local server.
func pages(site fs.FS) http.Handler {
	files := http.FileServerFS(site)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			name = host
		}
		ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
		if name != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "golem web answers to this machine's loopback names only", http.StatusForbidden)
			return
		}
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache")
		header.Set("Content-Security-Policy", "frame-ancestors 'none'")
		if kind := kinds[path.Ext(r.URL.Path)]; kind != "" {
			header.Set("Content-Type", kind)
		}
		files.ServeHTTP(w, r)
	})
}

// packedAt is the path below the page where golem web FILE serves the packed project.
const packedAt = "packed/"

// withPack is the site with a packed project as an additional file.
type withPack struct {
	fs.FS
	name string
	tree fs.FS
}

// packedSite adds a packed project to the site, and returns its path there.
func packedSite(site fs.FS, word string, data []byte) (fs.FS, string, error) {
	name := packedAt + filepath.Base(word)
	if sandbox.ValidNew(name) != nil {
		name = packedAt + "project" + workspace.PackSuffix
	}
	tree := sandbox.Memory()
	return withPack{site, name, tree}, name, tree.WriteFile(name, data)
}

// Open opens the packed project or a file of the site.
func (w withPack) Open(name string) (fs.File, error) {
	if name == w.name {
		return w.tree.Open(name)
	}
	return w.FS.Open(name)
}

// kinds are content types that the system's table may lack.
var kinds = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".wasm": "application/wasm", ".gz": "application/gzip",
	workspace.PackSuffix: "application/zip",
	".svg":               "image/svg+xml", ".webmanifest": "application/manifest+json", ".json": "application/json", ".zip": "application/zip",
}

// browse opens an address in the person's browser.
func browse(url string) error {
	program, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	go cmd.Wait() // the browser may outlive golem; this only collects its exit status
	return nil
}
