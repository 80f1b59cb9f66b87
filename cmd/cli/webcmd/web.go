// Package webcmd is golem web, which serves the page on this machine.
package webcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	neturl "net/url"
	"os/signal"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"golem/core/fault"
	"golem/core/jstool/embedded"
	"golem/core/workspace"
	"golem/docs/site"
	"golem/web"

	"golem/cmd/cli/console"
	"golem/cmd/cli/fetch"
	"golem/cmd/cli/target"
)

// Command returns golem web, which serves the embedded page (SPEC §12, §13).
func Command(c *console.Console) *cobra.Command {
	var addr string
	var open bool
	cmd := &cobra.Command{
		Use: "web [FILE]", Short: "serve the page, golem in a browser tab", Args: console.Words(0, 1),
		Long: `Serves the page on this machine's loopback address, until Ctrl+C. The page runs
golem in the browser tab. Projects are kept in the browser; this server only
receives requests for the page's own files. A browser keeps separate projects for
each address, so golem uses the same port each time if it is free.

The documentation is below /docs/.

FILE is a packed project: the address that golem prints opens it in the page,
which asks before it takes it.`,
		RunE: func(_ *cobra.Command, words []string) error { return serve(c, addr, open, words) },
	}
	cmd.Flags().StringVar(&addr, "addr", "", "a loopback address with a port, 0 for a free one (default "+usualAddr+")")
	cmd.Flags().BoolVar(&open, "open", false, "open it in the browser")
	return cmd
}

func serve(c *console.Console, addr string, open bool, words []string) error {
	page, built := web.Page()
	if !built {
		return fault.New(fault.Platform, "this golem was built without the page").Hinting("in golem's source, with Node: make web build; the golem of a release has the page")
	}
	var pack []byte
	if len(words) > 0 {
		var err error
		if pack, err = target.ReadPackBytes(c, words[0]); err != nil {
			return err
		}
		if _, err = workspace.ReadPack(pack); err != nil {
			return err
		}
	}
	listener, err := listen(c, addr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	defer stop()
	server := &http.Server{Handler: pages(page, pack), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	url := "http://" + listener.Addr().String() + "/"
	if pack != nil {
		url += "#url=" + neturl.QueryEscape(url+packedAt)
	}
	if err := c.Print(url + "\n"); err != nil {
		return err
	}
	if open {
		if err := console.Browse(url); err != nil {
			c.Say("no browser could be opened: %v", err)
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
func listen(c *console.Console, addr string) (net.Listener, error) {
	if addr == "" {
		if l, err := net.Listen("tcp", usualAddr); err == nil {
			return l, nil
		}
		c.Say("%s is in use by another program: golem uses another port, and the browser keeps separate projects for it", usualAddr)
		addr = "127.0.0.1:0"
	}
	return fetch.Listen("--addr", addr, "for example 127.0.0.1:8080; to serve other machines, put the files of web/dist on a web server with https")
}

// pages returns a handler that serves the files of the page, the documentation, and a packed
// project if there is one, to this machine only. It refuses requests with another host name: they come from a
// foreign page that tries to reach a local server.
func pages(page fs.FS, pack []byte) http.Handler {
	documentation := sync.OnceValues(func() (map[string][]byte, error) { return site.Files("../") })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			name = host
		}
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-cache")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Content-Security-Policy", "frame-ancestors 'none'")
		ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
		if name != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "golem web answers to this machine's loopback names only", http.StatusForbidden)
			return
		}
		if pack != nil && r.URL.Path == "/"+packedAt {
			servePack(w, r, pack)
			return
		}
		if name, ok := strings.CutPrefix(r.URL.Path, "/docs/"); ok {
			serveDocs(w, r, name, documentation)
			return
		}
		if r.URL.Path == "/docs" {
			http.Redirect(w, r, "/docs/", http.StatusMovedPermanently)
			return
		}
		if ext := path.Ext(r.URL.Path); ext != "" {
			header.Set("Content-Type", cmp.Or(kinds[ext], "application/octet-stream"))
		}
		serveFile(w, r, page)
	})
}

// serveFile serves a file of the page. It reads the file whole, because a file of the embedded
// page cannot be read at an offset.
func serveFile(w http.ResponseWriter, r *http.Request, page fs.FS) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
		w.Header().Set("Content-Type", kinds[".html"])
	}
	data, err := fs.ReadFile(page, name)
	if engine := embedded.Packed(name); err != nil && engine != nil { // the page of the binary leaves it out
		data, err = engine, nil
	}
	if err != nil {
		w.Header().Set("Content-Type", kinds[".txt"])
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	if bytes.HasPrefix(data, []byte("\x00asm")) { // a program NAME.wasm.gz is decompressed
		w.Header().Set("Content-Type", kinds[".wasm"])
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// serveDocs serves a file of the documentation. It has the origin of the page, where projects
// and keys are, so it runs nothing but its own search.
func serveDocs(w http.ResponseWriter, r *http.Request, name string, documentation func() (map[string][]byte, error)) {
	header := w.Header()
	header.Set("Content-Security-Policy", site.Policy+"; frame-ancestors 'none'")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	files, err := documentation()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	data, ok := files[name]
	if !ok {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	header.Set("Content-Type", cmp.Or(kinds[path.Ext(name)], "application/octet-stream"))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// packedAt is the path below the page where golem web FILE serves the packed project,
// whatever the file's name is.
const packedAt = "packed/project" + workspace.PackSuffix

// servePack serves a packed project as a file to be saved. Its bytes are not golem's own, and
// it has the origin of the page, where projects and keys are: as a document it has no origin,
// and can load and run nothing.
func servePack(w http.ResponseWriter, r *http.Request, pack []byte) {
	header := w.Header()
	header.Set("Content-Type", kinds[workspace.PackSuffix])
	header.Set("Content-Disposition", `attachment; filename="project`+workspace.PackSuffix+`"`)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(pack))
}

// kinds are the content types of the page's files. A file with another ending is bytes to a
// browser, whatever it begins with.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".wasm": "application/wasm", ".gz": "application/gzip",
	workspace.PackSuffix: "application/zip",
	".svg":               "image/svg+xml", ".webmanifest": "application/manifest+json", ".json": "application/json", ".zip": "application/zip",
}
