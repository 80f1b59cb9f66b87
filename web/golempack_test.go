//go:build !js

package web_test

import (
	"encoding/base64"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golem/web/webtest"
)

// packing is a directory with projects and libraries, in which the command line can pack.
type packing struct {
	t    *testing.T
	home string
}

func newPacking(t *testing.T, files map[string]string) packing {
	t.Helper()
	p := packing{t, t.TempDir()}
	for name, text := range files {
		file := filepath.Join(p.home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// golem runs the command line in the directory.
func (p packing) golem(args ...string) {
	p.t.Helper()
	cmd := exec.Command(cli(p.t), args...)
	cmd.Dir = p.home
	cmd.Env = append(os.Environ(), "GOLEM_HOME="+filepath.Join(p.home, "golemhome"), "GOLEM_LIBS="+filepath.Join(p.home, "libs"), "GOLEM_SIGN_PASSWORD=")
	if said, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("golem %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// file returns a file of the directory, in base64.
func (p packing) file(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}

var packFiles = map[string]string{
	"demo/project.yaml": "version: \"1.0.0\"\ndependencies: [utils]\n",
	"demo/main.worker":  "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}, workers: {allowed_workers: ['utils:trim']}}\n---\nHello.\n",
	"demo/s.yaml": "script: 1\nworkers:\n  main:\n    - calls: [{tool: utils__trim, args: {input: x}}]\n    - calls: [{tool: write_file, args: {path: /out.txt, content: hi}}]\n    - say: done\n" +
		"  'utils:trim':\n    - say: trimmed\n",
	"libs/utils/lib.yaml":            "name: utils\nversion: 1.0.0\n",
	"libs/utils/workers/trim.worker": "---\ndescription: Trims.\n---\nTrim.\n",
}

const fromBase64 = `const bytes = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));`

// TestPackedProjectInThePage plays scenario 54 in the page: a packed project with a library
// gives the same trace as the directory; the page packs it to the same bytes; a file with one
// changed bit is refused, and nothing is made.
func TestPackedProjectInThePage(t *testing.T) {
	t.Parallel()
	disk := newPacking(t, packFiles)
	disk.golem("pack", "demo", "-o", "demo.golem")
	disk.golem("run", "demo", "x", "--approve-all", "--trace", "dir.jsonl")
	if err := os.Remove(filepath.Join(disk.home, "demo", "out.txt")); err != nil {
		t.Fatal(err)
	}
	p := embedded(t)
	here := talk(p, fromBase64+`await golem.importPack('demo', bytes('%s'));
		const r = await golem.run('demo', 'x', {approval: 'approve_all'}).result; if (r.status !== 'ok') throw new Error(JSON.stringify(r));
		const [one] = await golem.runs('demo'); return new TextDecoder().decode(await golem.readRun('demo', one.name))`, disk.file("demo.golem"))
	there, err := os.ReadFile(filepath.Join(disk.home, "dir.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := normal(t, here), normal(t, string(there)); a != b {
		t.Errorf("in the page:\n%s\nin the directory:\n%s", a, b)
	}
	if got := talk(p, `await golem.files('demo').remove('out.txt'); const {blob, left} = await golem.exportPack('demo');
		return left + ' ' + btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())))`); got != ".golem "+disk.file("demo.golem") {
		t.Errorf("the page packs other bytes: %d, and %d from the command line", len(got), len(disk.file("demo.golem")))
	}
	if got := talk(p, fromBase64+`const out = [];
		for (const at of [0, 60, 400, -1]) { const b = bytes('%s'); b.set([b.at(at) ^ 1], (at + b.length) %% b.length); out.push(await golem.importPack('bad', b).catch((e) => e.code)) }
		const broken = await golem.create('wrong', {'main.worker': '---\nmodle: x\n---\nHi.'}).then(() => golem.exportPack('wrong')).catch((e) => e.code);
		return out + ' ' + broken + ' ' + (await golem.list()).map((p) => p.name)`, disk.file("demo.golem")); got != "E_LOCK,E_LOCK,E_LOCK,E_LOCK E_CONFIG demo,wrong" {
		t.Errorf("changed bits: %s", got)
	}
	// The question about trust says that the project has changed since it was packed.
	disk = newPacking(t, map[string]string{"w/main.worker": "---\nmodel: script:minimal\nmodel_settings: {extra: {logit_bias: {}}}\n---\nHi.\n"})
	disk.golem("pack", "w", "-o", "w.golem")
	if got := talk(p, fromBase64+`const out = []; const approve = async (r) => { out.push(r.lines.slice(0, -1).map((l) => l.value.replace(/[0-9a-f]{64}/, '…')).join('; ')); return {answer: 'no'} };
		await golem.importPack('w', bytes('%s')); await golem.run('w', 'x', {approve}).result.catch(() => 0);
		await golem.files('w').write('main.worker', '---\nmodel: script:minimal\nmodel_settings: {extra: {logit_bias: {}}}\n---\nOther.\n'); await golem.files('w').write('new.txt', 'x');
		await golem.run('w', 'x', {approve}).result.catch(() => 0);
		await golem.remove('w'); await golem.remove('wrong'); return out.join(' | ')`, disk.file("w.golem")); got != "sha256:… | sha256:…; files changed or removed: 1, added: 1" {
		t.Errorf("changed since: %s", got)
	}
	// A project of the same name that is made anew has neither its libraries nor its origin.
	if got := talk(p, `await golem.remove('demo'); await golem.create('demo', {'main.worker': '---\nmodel: script:minimal\n---\nHi.', 'project.yaml': 'dependencies: [utils]\n'});
		return (await golem.check('demo')).map((f) => f.code)`); got != "E_LIBRARY_NOT_FOUND" {
		t.Errorf("made anew: %s", got)
	}
}

// withFile is a file system with more files.
type withFile struct {
	fs.FS
	more fstest.MapFS
}

func (w withFile) Open(name string) (fs.File, error) {
	if f, err := w.more.Open(name); err == nil {
		return f, nil
	}
	return w.FS.Open(name)
}

// TestPackedProjectByHand plays scenario 54 as a person does: the page shows who signed a
// packed project before it is kept, and again in the question about trust, which also says
// what was changed since. #url= waits for a click and never runs a project.
func TestPackedProjectByHand(t *testing.T) {
	t.Parallel()
	disk := newPacking(t, map[string]string{
		"wide/main.worker": "---\nmodel: script:s.yaml\nmodel_settings: {extra: {logit_bias: {}}}\n---\nHi.\n",
		"wide/s.yaml":      "script: 1\nworkers: {main: [{say: hi there}]}\n",
	})
	disk.golem("pack", "--new-key", "my.key")
	disk.golem("pack", "wide", "--sign", "my.key", "-o", "wide.golem")
	data, err := base64.StdEncoding.DecodeString(disk.file("wide.golem"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, data...)
	flipped[len(flipped)/2] ^= 1
	site := webtest.Serve(t, withFile{built(t), fstest.MapFS{"at/wide.golem": {Data: data}, "at/bad.golem": {Data: flipped}}}, "/")
	p := browserOf(t).Open(t, site.URL)
	do(p, `await text("is ready")`)
	do(p, `const tab = await until("a tab", () => button("Settings")); location.hash = '#url=' + encodeURIComponent(%q);
		tab.click(); // the page shows another view before it reads the link
		await text("Fetch this project?"); await click("Cancel");
		await until("the view of before, with its address", () => location.hash.endsWith('/settings') && document.querySelector('.tab.settings[aria-current]'))`, site.URL+"at/wide.golem")
	do(p, `location.hash = '#url=' + encodeURIComponent(%q); await text("Fetch this project?"); await click("Fetch it"); await text("E_LOCK")`, site.URL+"at/bad.golem")
	do(p, `location.hash = '#url=' + encodeURIComponent('javascript:alert(1)'); await text("must begin with https"); await until("still that view", () => location.hash.endsWith('/settings') && document.querySelector('.tab.settings[aria-current]'))`)
	do(p, `location.hash = '#url=' + encodeURIComponent(%q); await click("Fetch it"); await text("Open this packed project?"); await text("signed with the key RW"); await text("sha256:"); await click("Open it");
		await until("the project", () => document.title.startsWith("wide"))`, site.URL+"at/wide.golem")
	do(p, `await click("Run"); await say("go"); await text("asks for more than its sandbox"); await text("signed with the key RW")`)
	settled(p)
	do(p, `[...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'No').click()`)
	finished(p, "error")
	// The same file by the button, beside the first.
	do(p, `document.querySelector('.brand').click();
		const input = await until("the field", () => document.querySelector('input[accept*=golem]'));
		const list = new DataTransfer(); list.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], 'wide.golem')); input.files = list.files;
		input.dispatchEvent(new Event('change', {bubbles: true})); await text("Open this packed project?"); await click("Open it");
		await until("the second", () => document.title.startsWith("wide-2"))`, disk.file("wide.golem"))
}

// TestLockInThePage tests that the page writes the same golem.lock as golem lib lock (scenario
// 38): a project whose library has changed is refused, and runs after the person accepts the
// change of the lock.
func TestLockInThePage(t *testing.T) {
	t.Parallel()
	disk := newPacking(t, packFiles)
	disk.golem("lib", "lock", "demo")
	p := embedded(t)
	files := map[string]string{}
	for _, name := range []string{"project.yaml", "main.worker", "s.yaml"} {
		files[name] = packFiles["demo/"+name]
	}
	library := texts{"lib.yaml": packFiles["libs/utils/lib.yaml"], "workers/trim.worker": packFiles["libs/utils/workers/trim.worker"]}
	talk(p, `const bytes = (s) => new TextEncoder().encode(s), lib = %s;
		await golem.installLibrary(Object.fromEntries(Object.entries(lib).map(([k, v]) => [k, bytes(v)]))); await golem.create('demo', %s); await golem.create('none', {'main.worker': '---\nmodel: script:minimal\n---\nHi.'}); return 1`, library.script(), texts(files).script())
	if got := talk(p, `const none = await golem.lockLibraries('none').catch((e) => e.code), look = await golem.lockLibraries('demo', {look: true}), before = (await golem.files('demo').list()).length;
		await golem.lockLibraries('demo'); const again = await golem.lockLibraries('demo');
		return none + ' ' + look.patch.includes('+    "utils": {') + ' ' + before + ' ' + again.patch.length + ' ' + btoa(String.fromCharCode(...await golem.files('demo').read('golem.lock')))`); got != "E_NOT_FOUND true 3 0 "+disk.file("demo/golem.lock") {
		t.Errorf("golem.lock: %s, and from the command line %s", got, disk.file("demo/golem.lock"))
	}
	if got := talk(p, `const bytes = (s) => new TextEncoder().encode(s), lib = %s; lib['workers/trim.worker'] += 'More.\n';
		await golem.updateLibrary(Object.fromEntries(Object.entries(lib).map(([k, v]) => [k, bytes(v)])), 'x'); const before = (await golem.check('demo')).map((f) => f.code);
		const {patch} = await golem.lockLibraries('demo', {look: true}); lib['workers/trim.worker'] += 'And more.\n';
		await golem.updateLibrary(Object.fromEntries(Object.entries(lib).map(([k, v]) => [k, bytes(v)])), 'x');
		const other = await golem.lockLibraries('demo', {agreed: patch}).catch((e) => e.code);
		await golem.lockLibraries('demo', {agreed: (await golem.lockLibraries('demo', {look: true})).patch}); return before + ' ' + other + ' ' + (await golem.check('demo')).length`, library.script()); got != "E_LOCK E_CONFLICT 0" {
		t.Errorf("after the update: %s", got)
	}
}

// TestLockByHand does the same as a person does: beside the fault of a lock that does not fit
// is a button.
func TestLockByHand(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "locked", map[string]string{"main.worker": "---\nmodel: script:minimal\n---\nHi.\n", "golem.lock": "{\n  \"golem\": \"lock\",\n  \"v\": 1,\n  \"libraries\": {\"gone\": {\"files\": {}}},\n  \"modules\": {}\n}\n"})
	do(p, `await click("Files"); await text("which the project does not use"); await click("Write golem.lock again"); await text("Write golem.lock?"); await click("Cancel"); await until("no dialog", () => !document.querySelector('dialog[open]'));
		await click("Write golem.lock again"); await text('"gone"'); await click("Write it"); await text("golem.lock is written"); await until("no fault", () => !button("Write golem.lock again"))`)
}
