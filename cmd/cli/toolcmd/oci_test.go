package toolcmd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/wasmtool/guard"

	"golem/cmd/cli/console"
	"golem/cmd/cli/home"
)

// fakeRegistry is a registry with one image that gives anybody a token.
type fakeRegistry struct {
	manifest, blob string
	realm          string // the realm of the challenge; "": the registry itself
	seen           []string
}

func (f *fakeRegistry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.seen = append(f.seen, r.URL.Path)
	switch {
	case r.URL.Path == "/token":
		if r.URL.Query().Get("scope") != "repository:owner/tool:pull" {
			http.Error(w, "scope", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"token":"everybodys"}`)
	case r.Header.Get("Authorization") != "Bearer everybodys":
		realm := f.realm
		if realm == "" {
			realm = "http://" + r.Host + "/token"
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+realm+`",service="s",scope="repository:owner/other:push"`)
		w.WriteHeader(http.StatusUnauthorized)
	case strings.HasPrefix(r.URL.Path, "/v2/owner/tool/manifests/"):
		fmt.Fprint(w, f.manifest)
	case strings.HasPrefix(r.URL.Path, "/v2/owner/tool/blobs/"):
		fmt.Fprint(w, f.blob)
	default:
		http.NotFound(w, r)
	}
}

func imageOf(kind, blob string) string {
	return fmt.Sprintf(`{"layers":[{"mediaType":%q,"digest":%q,"size":%d}]}`, kind, digestOf([]byte(blob)), len(blob))
}

// archived returns a zipped tar archive of files.
func archived(t *testing.T, files map[string]string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	a := tar.NewWriter(z)
	for name, text := range files {
		if err := a.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if a.Close() != nil || z.Close() != nil {
		t.Fatal("archive")
	}
	return out.String()
}

// A module is pulled from a registry with the token that everybody gets, and its
// digests are checked. A registry that lies, or leads to another host, is refused.
func TestPullFromARegistry(t *testing.T) {
	data, err := os.ReadFile("../../../core/coretest/testdata/tools/fib.wasm")
	if err != nil {
		t.Fatal(err)
	}
	wasm := string(data)
	packed := archived(t, map[string]string{"plugin.wasm": wasm, "README": "x"})
	two := archived(t, map[string]string{"a.wasm": wasm, "b.wasm": wasm})
	good := imageOf("application/wasm", wasm)
	for name, c := range map[string]struct {
		registry fakeRegistry
		ref      string
		code     fault.Code // "": it is pulled
		says     string
	}{
		"a module":             {registry: fakeRegistry{manifest: good, blob: wasm}},
		"by its digest":        {registry: fakeRegistry{manifest: good, blob: wasm}, ref: "@" + digestOf([]byte(good))},
		"the compute type":     {registry: fakeRegistry{manifest: imageOf("application/vnd.wasm.content.layer.v1+wasm", wasm), blob: wasm}},
		"an archive":           {registry: fakeRegistry{manifest: imageOf("application/vnd.oci.image.layer.v1.tar+gzip", packed), blob: packed}},
		"another manifest":     {fakeRegistry{manifest: good, blob: wasm}, "@" + digestOf([]byte("x")), fault.Lock, "something else than was asked for"},
		"another blob":         {fakeRegistry{manifest: good, blob: wasm + "x"}, "", fault.Lock, "something else than was asked for"},
		"no module":            {fakeRegistry{manifest: imageOf("application/wasm", "<html>"), blob: "<html>"}, "", fault.ToolModule, "not a WebAssembly module"},
		"a path for a digest":  {fakeRegistry{manifest: `{"layers":[{"mediaType":"application/wasm","digest":"../../x"}]}`}, "", fault.ToolModule, "not exactly one"},
		"two modules":          {fakeRegistry{manifest: `{"layers":[{"mediaType":"a/wasm"},{"mediaType":"b/wasm"}]}`}, "", fault.ToolModule, "2 layers"},
		"no layers":            {fakeRegistry{manifest: `{}`}, "", fault.ToolModule, "0 layers"},
		"not JSON":             {fakeRegistry{manifest: `<html>`}, "", fault.Network, "not JSON"},
		"a list without wasm":  {fakeRegistry{manifest: `{"manifests":[{"digest":"x"},{"digest":"y"}]}`}, "", fault.ToolModule, "several platforms"},
		"a list of itself":     {fakeRegistry{manifest: `{"manifests":[{"digest":"` + digestOf([]byte("x")) + `"}]}`}, "", fault.Lock, "something else"},
		"a size beyond bounds": {fakeRegistry{manifest: fmt.Sprintf(`{"layers":[{"mediaType":"a/wasm","digest":%q,"size":%d}]}`, digestOf(nil), guard.MaxSize+1)}, "", fault.ToolModule, "more than"},
		"an endless manifest":  {fakeRegistry{manifest: strings.Repeat(" ", maxManifest+1)}, "", fault.Network, "more than"},
		"a private realm":      {fakeRegistry{realm: "https://10.0.0.1/token"}, "", fault.Network, "private or local"},
		"a realm without TLS":  {fakeRegistry{realm: "http://example.org/token"}, "", fault.Network, "https only"},
		"a realm at a file":    {fakeRegistry{realm: "file:///etc/passwd"}, "", fault.Network, "a login that golem does not have"},
		"a cut archive":        {fakeRegistry{manifest: imageOf("x/tar+gzip", packed[:len(packed)/2]), blob: packed[:len(packed)/2]}, "", fault.ToolModule, "not a tar archive"},
		"two in an archive":    {fakeRegistry{manifest: imageOf("x/tar+gzip", two), blob: two}, "", fault.ToolModule, "more than one"},
	} {
		server := httptest.NewServer(&c.registry)
		got, err := fetchOCI(t.Context(), "oci://"+strings.TrimPrefix(server.URL, "http://")+"/owner/tool"+c.ref, true)
		server.Close()
		switch {
		case c.code == "" && (err != nil || string(got.data) != wasm || !strings.Contains(got.from, "manifest sha256:")):
			t.Errorf("%s: %v %q", name, err, got.from)
		case c.code != "" && (fault.Of(err, "").Code != c.code || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An address that a person named may redirect only to a public host over https.
func TestModuleAddressesThatLeadElsewhere(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a private address was asked")
	}))
	defer inner.Close()
	var to string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large.wasm":
			w.Write(make([]byte, guard.MaxSize+1))
		case "/loop.wasm":
			http.Redirect(w, r, "/loop.wasm", http.StatusFound)
		default:
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	defer server.Close()
	h := console.New(home.ReadEnv(os.Environ()), console.WorkingDir())
	for path, c := range map[string]struct{ to, says string }{
		"/a.wasm": {inner.URL, "https only"}, "/b.wasm": {strings.Replace(inner.URL, "http:", "https:", 1), "private or local"},
		"/c.wasm": {"https://169.254.169.254/latest", "private or local"}, "/d.wasm": {"https://localhost/x", "private or local"},
		"/e.wasm": {"file:///etc/passwd", "no host"}, "/f.wasm": {"https://me:pw@example.org/", "name or password"},
		"/large.wasm": {"", "more than"}, "/loop.wasm": {"", "more than 5 times"},
	} {
		to = c.to
		if _, err := fetchModule(t.Context(), h, server.URL+path, true); fault.Of(err, "").Code != fault.Network || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, host := range []string{"https://" + strings.TrimPrefix(inner.URL, "http://") + "/x", "https://10.0.0.1/x"} { // named by a project
		if _, err := fetchModule(t.Context(), h, host, false); fault.Of(err, "").Code != fault.Network || !strings.Contains(err.Error(), "private or local") {
			t.Errorf("%s: %v", host, err)
		}
	}
}
