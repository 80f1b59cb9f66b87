package githost

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/gitrepo"
	"golem/core/run"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
	"golem/core/toolset/gitset"
	"golem/core/trace"
	"golem/core/ui"
)

// cloneProject is a project whose worker calls git_clone with the URL and the path in
// its input.
var cloneProject = map[string]string{
	"project.yaml": "sandbox: {network_enabled: true, paths: {out: {root: ./out, mode: rw}, yaml: {root: ./yaml, mode: rw, suffixes: [.yaml]}, fixed: {root: ./fixed, mode: ro}}}\n",
	"main.worker":  "---\nmodel: script:script.yaml\ntoolsets: {git: {}}\n---\nClone.\n",
	"script.yaml": `script: 1
workers:
  main:
    - {when: {tool: git_clone, match: '(?s)^(?P<said>.*)$'}, say: '${said}'}
    - {when: {match: '^(?P<url>\S+) (?P<to>\S+)$'}, calls: [{tool: git_clone, args: {url: '${url}', path: '${to}'}}]}
`,
	"out/full/mine.txt": "mine", "yaml/a.yaml": "a: 1\n", "fixed/b.txt": "b",
}

// plainFiles returns the entries of a small repository.
func plainFiles(r *repo) []string {
	return []string{
		Entry("100644", "README.md", r.Object("blob", "# Hello\n")),
		Entry("40000", "src", r.Tree(Entry("100644", "a.txt", r.Object("blob", "a")), Entry("100755", "b.sh", r.Object("blob", "b")))),
	}
}

// yes returns a person who says yes to every question.
func yes() *ui.Script {
	return &ui.Script{Answers: []approval.Decision{{Answer: approval.Yes}, {Answer: approval.Yes}}}
}

// git_clone writes only the files of one commit, and only after a yes. Its result is
// untrusted, and no key is sent.
func TestGitClone(t *testing.T) {
	t.Parallel()
	r, _ := memoryRepo(t)
	s := newGitSite(t, r, r.Tree(plainFiles(r)...))
	for _, input := range []string{"https://example.com/r@v1 /out/copy", "https://example.com/r@main /out/copy", "https://example.com/r out/copy"} {
		person := yes()
		res, files := cloned(t.Context(), t, s, input, person)
		if res.Error != nil || !strings.Contains(res.Output.String(), "3 files of commit "+s.commit[:10]+" are in /out/copy") {
			t.Fatalf("%s: %v %s", input, res.Error, res.Output)
		}
		want := map[string]string{"out/copy/": "", "out/copy/src/": "", "out/copy/README.md": "# Hello\n", "out/copy/src/a.txt": "a", "out/copy/src/b.sh": "b"}
		if !maps.Equal(files, want) {
			t.Errorf("%s: %v", input, files)
		}
		asked := person.Asked()
		if len(asked) != 1 || asked[0].Tool != "git_clone" || !strings.Contains(string(asked[0].Args), "https://example.com/r") ||
			!slices.Equal(asked[0].Paths, []tool.PathUse{{Op: "write", Mount: "out", Path: "/out/copy"}}) || asked[0].Type != "tool_call" {
			t.Errorf("%s: asked %+v", input, asked)
		}
		if !slices.ContainsFunc(person.Events(), func(e trace.Event) bool {
			w, ok := e.Body.(trace.Warning)
			return ok && strings.Contains(w.Message, "untrusted content")
		}) {
			t.Errorf("%s: what was downloaded counts as trusted", input)
		}
	}
	if s.key {
		t.Error("a request had a key")
	}
}

// seeing is a Caller with a view.
type seeing struct {
	approval.Outside
	view sandbox.FS
}

func (s seeing) SourceOf(mount string) string { return sandbox.SourceIn(s.view, mount) }

// An approval of a clone is remembered for the real directory that it writes, and every
// mount that it could write is judged: another worker's mount of the same name asks
// again.
func TestGitCloneByPlace(t *testing.T) {
	t.Parallel()
	view := func(source string) sandbox.FS {
		v, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{
			{FS: sandbox.Memory(), At: "out", Name: "out", Source: source, Mode: sandbox.ReadWrite},
			{FS: sandbox.Memory(), At: "out/deep/in", Name: "in", Source: "/in", Mode: sandbox.ReadWrite},
		}})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	person := &ui.Script{Answers: []approval.Decision{{Answer: approval.Session}, {Answer: approval.Session}}}
	gate := approval.NewGate(approval.Interactive, person)
	call := func(files sandbox.FS, policy approval.Policy, to string) error {
		git := gitset.Toolset(noClone{git{root: files}}, "")
		set, err := toolset.NewRegistry(git).Open(t.Context(), "git", nil, toolset.Env{Files: files})
		if err != nil {
			t.Fatal(err)
		}
		n := slices.IndexFunc(set.Tools(), func(tl tool.Tool) bool { return tl.Spec().Name == "git_clone" })
		_, err = gate.Call(t.Context(), approval.Item{
			Tool: set.Tools()[n], FromModel: true, Policy: policy, Call: tool.Call{Name: "git_clone", Args: tool.ReadArguments([]byte(`{"url":"https://example.com/r","path":"` + to + `"}`))},
			By: seeing{view: files},
		})
		return err
	}
	for n, c := range []struct {
		files sandbox.FS
		to    string
		asked int
	}{{view("/one"), "/out/a", 1}, {view("/one"), "out/./a", 1}, {view("/two"), "/out/a", 2}} {
		if err := call(c.files, approval.Policy{}, c.to); err != nil || len(person.Asked()) != c.asked {
			t.Errorf("%d: %v, asked %d times, want %d", n, err, len(person.Asked()), c.asked)
		}
	}
	inner := approval.Policy{Mounts: map[string]approval.MountPolicy{"in": {"write": approval.Blocked}}}
	if err := call(view("/one"), inner, "/out/deep"); !errors.Is(err, fault.Denied) || !strings.Contains(err.Error(), "mount in: write") {
		t.Errorf("a mount below the directory is blocked: %v", err)
	}
	if err := call(view("/one"), inner, "/out/a"); err != nil {
		t.Errorf("a blocked mount elsewhere: %v", err)
	}
}

// git_clone refuses directories that are not empty, read-only or limited places,
// addresses that are not public, a commit that does not exist, and calls that nobody
// approved. The files stay as they were, and only valid calls reach the server.
func TestGitCloneRefuses(t *testing.T) {
	t.Parallel()
	r, _ := memoryRepo(t)
	s := newGitSite(t, r, r.Tree(plainFiles(r)...))
	for _, c := range []struct {
		input, want string
		reaches     bool
	}{
		{"https://example.com/r@v1 /out/full", "E_CONFLICT", false},
		{"https://example.com/r@v1 /out/full/mine.txt", "E_", false},
		{"https://example.com/r@v1 ../copy", "E_PATH", false},
		{"https://example.com/r@v1 /out/copy/.git", "E_PROTECTED", true},
		{"https://example.com/r@v1 /fixed/copy", "E_READONLY", true},
		{"https://example.com/r@v1 /yaml/copy", "E_", true},
		{"https://example.com/r@v2 /out/copy", `no tag or branch`, true},
		{"https://127.0.0.1/r /out/copy", "not a host of the public network", false},
		{"https://localhost:8080/r /out/copy", "not a host of the public network", false},
		{"https://10.0.0.1/r /out/copy", "not a host of the public network", false},
		{"https://[::1]/r /out/copy", "not a host of the public network", false},
		{"https://169.254.169.254/r /out/copy", "not a host of the public network", false},
		{"https://ann:key@example.com/r /out/copy", "E_TOOL_INPUT", false},
		{"http://example.com/r /out/copy", "E_TOOL_INPUT", false},
		{"ssh://example.com/r /out/copy", "E_TOOL_INPUT", false},
		{"file:///etc /out/copy", "E_TOOL_INPUT", false},
		{"https://example.com/r?x=1 /out/copy", "E_TOOL_INPUT", false},
		{"https://example.com/r@--upload-pack=x /out/copy", "E_", true},
	} {
		s.asked = nil
		res, files := cloned(t.Context(), t, s, c.input, yes())
		if !strings.Contains(res.Output.String(), c.want) || !strings.Contains(res.Output.String(), `"error"`) || len(files) > 0 {
			t.Errorf("%s: want %s: %s %v", c.input, c.want, res.Output, files)
		}
		if len(s.asked) > 0 && !c.reaches {
			t.Errorf("%s: the server was asked %v", c.input, s.asked)
		}
	}
	s.asked = nil
	if res, files := cloned(t.Context(), t, s, "https://example.com/r@v1 /out/copy", &ui.Script{}); res.Exit() != 3 || len(files) > 0 || len(s.asked) > 0 {
		t.Errorf("nobody approved it: exit %d, %v, asked %v", res.Exit(), files, s.asked)
	}
}

// Servers that lie, ask for a key, redirect to another host or send files that must not
// be written: each clone ends in a fault, and nothing is written.
func TestGitCloneOfHostileServers(t *testing.T) {
	t.Parallel()
	status := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(code)
		})
	}
	text := func(s string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) })
	}
	for name, c := range map[string]struct {
		want   string
		before http.Handler
		pack   []byte
		tree   func(*repo) string
	}{
		"wants a login":   {want: "without a login", before: status(401)},
		"forbids":         {want: "E_", before: status(403)},
		"is not there":    {want: "E_NOT_FOUND", before: status(404)},
		"fails":           {want: "E_NETWORK", before: status(500)},
		"another host":    {want: "redirects to another host, elsewhere.example", before: http.RedirectHandler("https://elsewhere.example/r/info/refs?service=git-upload-pack", http.StatusFound)},
		"its hint":        {want: "if you trust that host, use its address", before: http.RedirectHandler("https://elsewhere.example/r/info/refs?service=git-upload-pack", http.StatusFound)},
		"to this machine": {want: "redirects to another host, 127.0.0.1", before: http.RedirectHandler("https://127.0.0.1/r/info/refs?service=git-upload-pack", http.StatusFound)},
		"to http":         {want: "changes scheme", before: http.RedirectHandler("http://example.com/r/info/refs?service=git-upload-pack", http.StatusFound)},
		"a circle":        {want: "redirects too often", before: http.RedirectHandler("/r/info/refs?service=git-upload-pack", http.StatusFound)},
		"not git":         {want: "E_", before: text("<html>hello</html>")},
		"a line too long": {want: "E_", before: text("ffff" + strings.Repeat("x", 100))},
		"a bomb":          {want: "E_PATH", pack: append([]byte("PACK\x00\x00\x00\x02\xff\xff\xff\xff"), make([]byte, 100)...)},
		"not a pack":      {want: "E_", pack: []byte("hello")},
		"an empty pack":   {want: "E_", pack: packBytes()},
		"leads out":       {want: "leads to another directory", tree: func(r *repo) string { return r.Tree(Entry(gitrepo.Plain, "..", r.Object("blob", "x"))) }},
		"a repository": {want: "E_", tree: func(r *repo) string {
			return r.Tree(Entry(gitrepo.Plain, "a", r.Object("blob", "x")), Entry(gitrepo.Dir, ".git", r.Tree(Entry(gitrepo.Plain, "config", r.Object("blob", "x")))))
		}},
		"a link": {want: "E_PATH", tree: func(r *repo) string { return r.Tree(Entry(gitrepo.Link, "a", r.Object("blob", "/etc/passwd"))) }},
		"names that differ in case": {want: "same file on systems that ignore case", tree: func(r *repo) string {
			return r.Tree(Entry(gitrepo.Plain, "A", r.Object("blob", "x")), Entry(gitrepo.Plain, "a", r.Object("blob", "y")))
		}},
		"a worker": {want: "E_PROTECTED", tree: func(r *repo) string {
			return r.Tree(append(lib(r), Entry("100644", "x.worker", r.Object("blob", "x")))...)
		}},
		"a device": {want: "E_PATH", tree: func(r *repo) string {
			return r.Tree(Entry(gitrepo.Plain, "a", r.Object("blob", "x")), Entry(gitrepo.Plain, "nul.txt", r.Object("blob", "x")))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := memoryRepo(t)
			if c.tree == nil {
				c.tree = func(r *repo) string { return r.Tree(plainFiles(r)...) }
			}
			s := newGitSite(t, r, c.tree(r))
			if s.before = c.before; c.pack != nil {
				s.pack = c.pack
			}
			res, files := cloned(t.Context(), t, s, "https://example.com/r@v1 /out/copy", yes())
			if !strings.Contains(res.Output.String(), c.want) || !strings.Contains(res.Output.String(), `"error"`) || len(files) > 0 || s.key {
				t.Errorf("want %s: %s %v; a key: %v", c.want, res.Output, files, s.key)
			}
		})
	}
}

// A redirect within the host is followed.
func TestGitCloneWithinOneHost(t *testing.T) {
	t.Parallel()
	r, _ := memoryRepo(t)
	s := newGitSite(t, r, r.Tree(plainFiles(r)...))
	s.before = http.RedirectHandler("/moved/r/info/refs?service=git-upload-pack", http.StatusMovedPermanently)
	if res, files := cloned(t.Context(), t, s, "https://example.com/r@v1 /out/copy", yes()); len(files) != 5 {
		t.Errorf("%s %v, asked %v", res.Output, files, s.asked)
	}
}

// A run that is stopped during the download ends, and has written nothing.
func TestGitCloneStopped(t *testing.T) {
	t.Parallel()
	r, _ := memoryRepo(t)
	s := newGitSite(t, r, r.Tree(plainFiles(r)...))
	s.half = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-s.half
		stop()
	}()
	res, files := cloned(ctx, t, s, "https://example.com/r@v1 /out/copy", yes())
	if res.Status != run.Interrupted || len(files) > 0 {
		t.Errorf("%s %v %v", res.Status, res.Error, files)
	}
}

// If the disk is full or the run is stopped while files are written, the files written
// before are removed again.
func TestGitCloneTakesBack(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{"a": []byte("1"), "d/e/b": []byte("2"), "d/f": []byte("3"), "z": []byte("4")}
	for _, there := range []string{".", "a", "a/b", "a/b/to"} {
		for n := range len(files) {
			tree := &fullDisk{FS: sandbox.Memory(), left: n}
			if err := sandbox.MkdirAll(tree, there, 0o755); err != nil {
				t.Fatal(err)
			}
			err := writeAll(t.Context(), tree, "a/b/to", files)
			if !errors.Is(err, fault.Limit) || !strings.Contains(err.Error(), "nothing of the repository was kept") {
				t.Errorf("after %d files: %v", n, err)
			}
			deepest := "."
			if err := fs.WalkDir(tree, ".", func(name string, _ fs.DirEntry, err error) error {
				deepest = name
				return err
			}); err != nil || deepest != there {
				t.Errorf("after %d files, %s was there: %s is now, %v", n, there, deepest, err)
			}
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	tree := sandbox.Memory()
	if err := writeAll(stopped, tree, "to", files); err == nil {
		t.Error("a stopped run writes")
	}
}

// fullDisk is a file system that has room for left more files.
type fullDisk struct {
	sandbox.FS
	left int
}

// WriteFile fails when the disk is full, after it has made the directories.
func (d *fullDisk) WriteFile(name string, data []byte) error {
	if d.left--; d.left < 0 {
		if err := sandbox.MkdirAll(d.FS, path.Dir(name), 0o755); err != nil {
			return err
		}
		return fault.New(fault.Limit, "the disk is full")
	}
	return d.FS.WriteFile(name, data)
}

// noClone is git whose clones do nothing.
type noClone struct{ git }

func (noClone) Clone(context.Context, sandbox.FS, string, string) (tool.Output, error) {
	return tool.Output{}, nil
}
