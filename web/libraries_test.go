//go:build !js

package web_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func zipOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for pair := range slices.Chunk(files, 2) {
		w, err := z.Create(pair[0])
		if err == nil {
			_, err = w.Write([]byte(pair[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLibraries installs a library in the page from a zip and from an address, updates it from
// the address after a yes to the changes, and removes it (SPEC §4, scenario 38).
func TestLibraries(t *testing.T) {
	t.Parallel()
	data := zipOf(t, "utils-1.0/lib.yaml", "name: utils\nversion: 1.0.0\ndescription: useful things\n", "utils-1.0/workers/a.worker", "---\ndescription: a\n---\nA.\n", "utils-1.0/.env", "KEY=x")
	file := filepath.Join(t.TempDir(), "utils.zip")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var newer, other atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/closed.zip" {
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		if r.URL.Path == "/away.zip" {
			http.Redirect(w, r, "/more.zip", http.StatusFound)
			return
		}
		text := "---\n---\nB.\n"
		if newer.Load() {
			text = "---\n---\nBetter.\n"
		}
		if other.Load() {
			w.Write(zipOf(t, "lib.yaml", "name: utils\nversion: 1.0.0\n", "workers/a.worker", "---\n---\nEvil.\n"))
			return
		}
		w.Write(zipOf(t, "lib.yaml", "name: more\ndependencies: [absent]\n", "workers/b.worker", text))
	}))
	t.Cleanup(server.Close)
	p, _ := visit(t, "/")
	for _, refused := range []string{"closed.zip", "more.zip", "away.zip"} {
		p.Expect(refused)
	}
	do(p, `await text("is ready"); await click("Projects"); await text("Library from a zip")`)
	p.Upload(`section[aria-labelledby=libraries] input[accept]`, file)
	do(p, `await text("utils@1.0.0 is installed; left out: .env"); await text("useful things")`)
	p.Upload(`section[aria-labelledby=libraries] input[accept]`, file)
	do(p, `await text("was installed already, with the same files");
		const from = async (address) => { if (!document.querySelector('dialog[open]')) await click("Library from an address"); const field = await until("the dialog", () => document.querySelector('dialog[open] input')); field.value = address; await click("Install"); };
		await from('[no/x.zip'); await text("this is no address"); if (document.querySelector('dialog[open] input').value !== '[no/x.zip') throw new Error("the text is gone");
		await from(%q + '/closed.zip'); await text("does not allow other pages to read it (CORS)");
		await from(%q + '/away.zip'); await text("/away.zip: "); await text("redirects, or does not allow");
		await from('http://example.com/x.zip'); await text("has to begin with https");
		await from(%q + '/more.zip?key=secret'); await text("more is installed"); await text('more cannot be used yet: the library "absent" is not installed');
		if (document.body.innerText.includes('secret')) throw new Error('the key of the address is kept')`, strings.TrimPrefix(server.URL, "http://"), server.URL, server.URL)
	do(p, `await click("update the library more"); await text("more is up to date")`)
	newer.Store(true)
	do(p, `await click("update the library more"); await text("changed workers/b.worker"); await click("Cancel"); await until("no dialog", () => !document.querySelector('dialog[open]'));
		await click("update the library more"); await text("changed workers/b.worker"); await click("Put the new files in their place"); await text("more is updated");
		await click("update the library more"); await text("more is up to date")`)
	other.Store(true)
	do(p, `await click("update the library more"); await text("the source of more now has utils@1.0.0, a library of another name");
		if (document.querySelector('dialog[open]')) throw new Error('a question is asked')`)
	do(p, `await click("remove the library more"); await text("Remove more?"); await click("Remove"); await until("it to go", () => !button("remove the library more"));
		await until("the other to stay", () => button("remove the library utils@1.0.0"))`)
}

// TestLibraryRuns tests golem.js: a project runs a worker of a library that is installed in
// this browser, as the command line does. A hostile archive installs nothing.
func TestLibraryRuns(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `const bytes = (s) => new TextEncoder().encode(s);
		const files = { 'lib.yaml': bytes('name: utils\nversion: 1.0.0\n'), 'workers/a.worker': bytes('---\ndescription: a\n---\nA.\n') };
		const bad = await golem.installLibrary({ ...files, '../evil': bytes('x') }).catch((e) => e.code);
		const none = (await golem.libraries()).libraries.length;
		const { fresh } = await golem.installLibrary(files, 'here');
		const again = (await golem.installLibrary(files, 'there')).fresh;
		const other = await golem.installLibrary({ ...files, 'x': bytes('x') }).catch((e) => e.code);
		const wrong = await golem.updateLibrary({ ...files, 'x': bytes('x') }, 'there', { dir: 'more@1.0.0' }).catch((e) => e.code);
		await golem.create('user', { 'project.yaml': 'dependencies: [utils]\n', 'main.worker': "---\nmodel: script:s.yaml\nallow_workers: ['utils:a']\n---\nHi.\n",
			's.yaml': 'script: 1\nworkers:\n  main:\n    - calls: [{tool: utils__a, args: {input: x}}]\n    - say: done\n  utils:a: [{say: hello}]\n' });
		const out = (await golem.run('user', 'x', {approval: 'approve_all'}).result).text;
		const { libraries } = await golem.libraries();
		await golem.removeLibrary('utils@1.0.0');
		const left = (await golem.libraries()).libraries.length;
		return [bad, none, fresh, again, other, wrong, out, libraries.map((l) => l.dir + ' from ' + l.origin.from), left].join('; ')`)
	if want := "E_PATH; 0; true; false; E_CONFLICT; E_CONFLICT; done; utils@1.0.0 from here; 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLibrariesBesideEachOther lists the libraries while others are changed: neither call fails
// because of the other.
func TestLibrariesBesideEachOther(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	got := talk(p, `const files = (n) => ({ 'lib.yaml': new TextEncoder().encode('name: utils\n'), 'workers/a.worker': new TextEncoder().encode('---\n---\n' + n + '\n') });
		await golem.installLibrary(files(0), 'here');
		const all = [];
		for (let n = 1; n <= 2; n++) all.push(golem.libraries(), golem.updateLibrary(files(n), 'here', {look: true}), golem.updateLibrary(files(n), 'here'));
		const said = new Set((await Promise.allSettled(all)).map((r) => r.reason?.message ?? r.status));
		return [...said].join('; ') + ' ' + (await golem.libraries()).libraries.length`)
	if want := "fulfilled 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
