//go:build !js

package web_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"golem/web/webtest"
)

// serving starts golem web, perhaps with a packed project, and returns its address without the
// fragment.
func serving(t *testing.T, file ...string) string {
	t.Helper()
	cmd := exec.Command(cli(t), append([]string{"web", "--addr", "127.0.0.1:0"}, file...)...)
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+t.TempDir())
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil { // it has ended, or ends now
		t.Fatalf("golem web prints no address (%v, %v): %s", err, cmd.Wait(), said.String())
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait() // it was killed
	})
	address, _, _ := strings.Cut(strings.TrimSpace(line), "#")
	return address
}

// TestPackIsNoPage attacks golem web FILE with a file that is a page and a packed project at
// once (SECURITY 15). golem web refuses it. A packed project that it accepts, whose files are
// pages and scripts, is never a document, a script or a service worker of golem's origin,
// whatever its name is and whoever leads a browser to it.
func TestPackIsNoPage(t *testing.T) {
	t.Parallel()
	const script = "top.document.title = 'taken'; localStorage.setItem('taken', '1')"
	disk := newPacking(t, map[string]string{"demo/main.worker": "---\nmodel: script:minimal\n---\nHi.\n", "demo/index.html": "<!doctype html><script>" + script + "</script>", "demo/a.js": script})
	disk.golem("pack", "demo", "-o", "demo.golem")
	if err := os.Rename(filepath.Join(disk.home, "demo.golem"), filepath.Join(disk.home, "demo.html")); err != nil {
		t.Fatal(err)
	}
	genuine, err := os.ReadFile(filepath.Join(disk.home, "demo.html"))
	if err != nil {
		t.Fatal(err)
	}
	begin := genuine[:len(genuine)-2*sha256.Size]
	both := append([]byte("<!doctype html><script>"+script+"</script>"), begin...)
	sum := sha256.Sum256(both)
	both = append(both, hex.EncodeToString(sum[:])...)
	evil := filepath.Join(disk.home, "evil.GOLEM")
	if err := os.WriteFile(evil, both, 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(cli(t), "web", evil, "--addr", "127.0.0.1:0").CombinedOutput(); err == nil || !strings.Contains(string(said), "E_LOCK") {
		t.Errorf("golem web takes a file that is a page as well: %v, %s", err, said)
	}
	site := serving(t, filepath.Join(disk.home, "demo.html"))
	p := browserOf(t).Open(t, site)
	p.Expect("unsupported MIME type") // registering one fails
	p.Expect("frame")
	p.Expect("404")
	do(p, `await text("is ready")`)
	got := webtest.Eval[string](p, `(async () => {
		const out = [];
		for (const name of ['project.golem', 'demo.html', 'demo.GOLEM', 'demo']) {
			const r = await fetch('packed/' + name);
			out.push(name + ' ' + r.status + ' ' + (r.ok ? [...r.headers].filter(([h]) => /^content-(type|disposition|security)|^x-/.test(h)).join(' ') : ''));
		}
		out.push(await navigator.serviceWorker.register('packed/project.golem').then(() => 'registered', (e) => e.name));
		return out.join('\n')
	})()`)
	want := "project.golem 200 content-disposition,attachment; filename=\"project.golem\" content-security-policy,default-src 'none'; sandbox; frame-ancestors 'none' content-type,application/zip x-content-type-options,nosniff\ndemo.html 404 \ndemo.GOLEM 404 \ndemo 404 \nSecurityError"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	other := webtest.Serve(t, fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>other</title>")}, "favicon.ico": {}}, "/")
	q := browserOf(t).Open(t, other.URL)
	q.Expect("")
	got = webtest.Eval[string](q, fmt.Sprintf(`(async () => {
		const site = %q, out = [];
		for (const tag of ['iframe', 'script', 'embed', 'object']) for (const name of ['project.golem', 'demo.html']) {
			const e = document.createElement(tag);
			e[tag === 'object' ? 'data' : 'src'] = site + 'packed/' + name;
			document.body.append(e);
			await new Promise((next) => { e.onload = e.onerror = next; setTimeout(next, 300) });
		}
		location.href = site + 'packed/project.golem'; // saves it, and stays here
		await new Promise((next) => setTimeout(next, 300));
		return document.title + ' ' + location.href
	})()`, site))
	if got != "other "+other.URL {
		t.Errorf("a foreign page was led to %s", got)
	}
	if got := webtest.Eval[string](p, `String(localStorage.getItem('taken')) + document.title.includes('taken')`); got != "nullfalse" {
		t.Errorf("a script of the packed project ran: %s", got)
	}
}

// TestPoisonedCache tests that what a script once wrote to the caches of the page's origin
// never runs: the service worker compares each file with the digests of its build.
func TestPoisonedCache(t *testing.T) {
	t.Parallel()
	p, _ := visitFirst(t, "/")
	p.Expect("404")
	do(p, `await text("is ready"); await navigator.serviceWorker.ready; await until("the service worker", () => navigator.serviceWorker.controller)`)
	webtest.Eval[string](p, `(async () => {
		const script = 'localStorage.setItem("taken", "1"); document.title = "taken"', page = '<!doctype html><script src="app.js"></script>';
		const put = async (cache, file, text, type) => cache.put(new URL(file, location.origin + '/').href, new Response(text, {headers: {'Content-Type': type, 'Golem-Unpacked': '1'}}));
		const genuine = await caches.match('golem.wasm.gz', {cacheName: (await caches.keys())[0]}); // with the digest that golem.js looks for
		for (const name of [...await caches.keys(), 'golem ' + location.origin + '/ 0000000000000000', 'other']) {
			const cache = await caches.open(name);
			for (const request of await cache.keys()) if (request.url.endsWith('.js')) await put(cache, request.url, script, 'text/javascript');
			for (const file of ['./', 'index.html', 'evil.html', 'evil-00000000000000000000.html', 'embed.html']) await put(cache, file, page, 'text/html');
			await put(cache, 'evil.js', script, 'text/javascript');
			await put(cache, 'styles.css', page, 'text/html');
			await cache.put(new URL('golem.wasm.gz', location.origin + '/').href, new Response(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), genuine)); // an empty module
		}
		return 'done'
	})()`)
	p.Reload()
	do(p, `await text("is ready")`)
	got := webtest.Eval[string](p, `(async () => {
		const out = [localStorage.getItem('taken'), document.title.includes('taken')];
		for (const file of ['evil.html', 'evil.js', 'evil-00000000000000000000.html']) out.push((await fetch(file)).status);
		for (const file of ['styles.css', 'app.js', './']) out.push((await fetch(file)).headers.get('Content-Type').split(';')[0]);
		return out.join()
	})()`)
	if want := ",false,404,404,404,text/css,text/javascript,text/html"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// The cache has the right files again.
	kept := webtest.Eval[string](p, `(async () => { const name = (await caches.keys()).find((n) => n.startsWith('golem ' + location.origin + '/') && !n.endsWith('0000000000000000')); return (await (await caches.open(name)).match('app.js')).text() })()`)
	if strings.Contains(kept, "taken") {
		t.Error("the cache still has what the script wrote")
	}
}

// changing serves one build of the page, and after a switch another one.
type changing struct {
	now atomic.Pointer[http.Handler]
}

func (c *changing) ServeHTTP(w http.ResponseWriter, r *http.Request) { (*c.now.Load()).ServeHTTP(w, r) }

// change sets the build that is served from now on.
func (c *changing) change(files fs.FS) {
	h := http.FileServerFS(files)
	c.now.Store(&h)
}

// nextBuild returns a build of the page in which the script that runs tools is another one.
func nextBuild(t *testing.T) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	old := built(t)
	found, err := fs.Glob(old, "golem-tool-*.js")
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	digest := func(data []byte) string { sum := sha256.Sum256(data); return hex.EncodeToString(sum[:]) }
	tool := []byte("throw new Error('the tool script of another build')\n")
	name := "golem-tool-" + digest(tool)[:20] + ".js"
	files[name] = &fstest.MapFile{Data: tool}
	var worker, sw []byte
	err = fs.WalkDir(old, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || file == found[0] {
			return err
		}
		data, err := fs.ReadFile(old, file)
		switch file {
		case "golem-worker.js":
			worker = data
		case "sw.js":
			sw = data
		default:
			files[file] = &fstest.MapFile{Data: data}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	changed := []byte(strings.ReplaceAll(string(worker), found[0], name))
	oldTool, err := fs.ReadFile(old, found[0])
	if err != nil {
		t.Fatal(err)
	}
	script := strings.NewReplacer(found[0], name, digest(oldTool)[:32], digest(tool)[:32], digest(worker)[:32], digest(changed)[:32], `const version = "`, `const version = "next`).Replace(string(sw))
	files["golem-worker.js"], files["sw.js"] = &fstest.MapFile{Data: changed}, &fstest.MapFile{Data: []byte(script)}
	return files
}

// TestUpdateUnderAnOpenPage tests that a page which is open while the site gets a new build goes
// on with the files of its own build, also those that it loads only later.
func TestUpdateUnderAnOpenPage(t *testing.T) {
	t.Parallel()
	site := &changing{}
	site.change(built(t))
	p := browserOf(t).Open(t, webtest.ServeHandler(t, site, "/").URL)
	p.Expect("beforeunload")
	do(p, `await text("is ready"); await navigator.serviceWorker.ready; await until("the service worker", () => navigator.serviceWorker.controller)`)
	site.change(nextBuild(t))
	do(p, `const changed = new Promise((next) => navigator.serviceWorker.addEventListener('controllerchange', next));
		await (await navigator.serviceWorker.getRegistration()).update(); await changed;
		if ((await caches.keys()).length !== 2) throw new Error(String(await caches.keys()))`)
	data, err := os.ReadFile("../examples/calculator/tools/calculator.wasm")
	if err != nil {
		t.Fatal(err)
	}
	project(t, p, "sums", map[string]string{
		"main.worker":           "---\nmodel: script:s.yaml\ntoolsets: {custom: {tools: [multiply]}}\n---\nHi.\n",
		"tools/calculator.wasm": string(data),
		"s.yaml":                "script: 1\nworkers: {main: [{calls: [{tool: multiply, args: {a: 6, b: 7}}]}, {when: {tool: multiply, match: \"(.*)\"}, say: \"it is $1\"}]}\n",
	})
	do(p, `await say("go")`)
	yes(p)
	do(p, `await text("it is 42")`)
}
