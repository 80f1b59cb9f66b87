package githost

import (
	"context"
	"crypto/tls"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"golem/core"
	"golem/core/gitrepo"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/core/ui"
	"golem/core/wasmtool"
)

// gitSite is a git server on this machine that a test finds at the name example.com.
type gitSite struct {
	*httptest.Server
	commit string
	pack   []byte
	before http.Handler  // answers instead of the site; nil: none
	half   chan struct{} // not nil: closed when half of the pack is sent, and no more comes

	mu    sync.Mutex
	asked []string // method and path
	key   bool     // a request had a key
}

func newGitSite(t *testing.T, r *repo, tree string) *gitSite {
	t.Helper()
	s := &gitSite{commit: r.Tag("v1", tree)}
	s.pack = packOf(r.All)
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers as a git server does over HTTP.
func (s *gitSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	s.key = s.key || r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != ""
	s.mu.Unlock()
	switch {
	case s.before != nil && !strings.HasPrefix(r.URL.Path, "/moved/"):
		s.before.ServeHTTP(w, r)
	case strings.HasSuffix(r.URL.Path, "/info/refs"):
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = io.WriteString(w, pkt("# service=git-upload-pack\n")+"0000"+
			pkt(s.commit+" HEAD\x00side-band-64k shallow ofs-delta agent=x\n")+pkt(s.commit+" refs/heads/main\n")+pkt(s.commit+" refs/tags/v1\n")+"0000")
	default:
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, pkt("shallow "+s.commit+"\n")+"0000"+pkt("NAK\n"))
		if s.half != nil {
			_, _ = io.WriteString(w, pkt("\x01"+string(s.pack[:len(s.pack)/2])))
			_ = http.NewResponseController(w).Flush()
			close(s.half)
			<-r.Context().Done()
			return
		}
		_, _ = io.WriteString(w, pkt("\x01"+string(s.pack))+"0000")
	}
}

// reach connects to the site as example.com, and to nothing else.
func (s *gitSite) reach(t *testing.T) func(wasmtool.Policy) *http.Transport {
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	return func(p wasmtool.Policy) *http.Transport {
		if !slices.Equal(p.Hosts, []string{"example.com"}) {
			t.Errorf("%v may be reached", p.Hosts)
		}
		return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		}}
	}
}

// cloned runs the worker of cloneProject. It returns the result, and the files after
// the run.
func cloned(ctx context.Context, t *testing.T, s *gitSite, input string, person *ui.Script) (run.Result, map[string]string) {
	t.Helper()
	tree := sandbox.Memory()
	for name, text := range cloneProject {
		if err := tree.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	inst, err := core.Open(core.Platform{
		Name: "native", Version: "test", Site: core.Site{Files: core.Tree{FS: tree}}, ToolSources: core.ToolSources{Toolsets: []toolset.Factory{gitset.Toolset(git{tree, gitrepo.Machine{}, s.reach(t)}, "")}},
	}, core.Options{Files: tree, Name: "p"})
	if err != nil {
		t.Fatal(err)
	}
	res := inst.Run(ctx, run.Input{Text: input}, person, core.RunOptions{})
	files := map[string]string{}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if _, own := cloneProject[name]; err != nil || own {
			return err
		}
		if d.IsDir() {
			if !slices.Contains([]string{".", "out", "out/full", "yaml", "fixed"}, name) {
				files[name+"/"] = ""
			}
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		files[name] = string(data)
		return err
	})
	if data, _ := fs.ReadFile(tree, "out/full/mine.txt"); err != nil || string(data) != "mine" {
		t.Errorf("%v; the person's file is %q", err, data)
	}
	return res, files
}
