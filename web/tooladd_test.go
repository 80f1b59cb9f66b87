//go:build !js

package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golem/web/webtest"
)

// adder is a page in which tool modules are added, and a project of the command line with the
// same files.
type adder struct {
	*testing.T
	page *webtest.Page
	disk packing
}

// adds opens the dialog, fetches the module of an address, and runs the statements then.
func (a adder) adds(address, then string) {
	a.Helper()
	do(a.page, `await click("Add a tool…"); const field = await until("the dialog", () => document.querySelector('#tool-address')); field.value = %q;
		field.dispatchEvent(new Event('input', {bubbles: true})); await click("Fetch it"); %s`, address, then)
}

// updates opens the dialog, clicks Update beside the module, and runs the statements then.
func (a adder) updates(then string) {
	a.Helper()
	do(a.page, `await click("Add a tool…"); await click("update tools/calc.wasm"); %s`, then)
}

const (
	left    = `await click("Cancel"); await until("no dialog", () => !document.querySelector('dialog[open]'));`
	alerted = `await until("the fault " + %[1]q, () => [...document.querySelectorAll('dialog[open] [role=alert]')].some((e) => e.innerText.includes(%[1]q)));`
)

// another returns statements that change a file of the project with another golem; in change,
// lock is the text of tools.lock. They wait for the project's lock, which the browser releases
// some time after a call has ended.
func another(change string) string {
	return `const {createGolem} = await import('./golem.js'), other = await createGolem(), disk = other.files('p');
		const free = () => until("nobody to hold the project", async () => !(await navigator.locks.query()).held.some((l) => l.name === 'golem:/projects/p'));
		const lock = new TextDecoder().decode(await disk.read('tools.lock'));
		await free(); await ` + change + `; await free(); other.close(); `
}

// stored returns a file of the project in the browser, in base64; "" if it does not exist.
func (a adder) stored(name string) string {
	a.Helper()
	return webtest.Eval[string](a.page, fmt.Sprintf(`(async () => {
		let dir = await navigator.storage.getDirectory();
		const way = ['projects', 'p', ...%q.split('/')], last = way.pop();
		for (const d of way) if (!(dir = await dir.getDirectoryHandle(d).catch(() => null))) return '';
		const file = await dir.getFileHandle(last).catch(() => null);
		return file ? btoa([...new Uint8Array(await (await file.getFile()).arrayBuffer())].map((c) => String.fromCharCode(c)).join('')) : '' })()`, name))
}

// holds fails unless the page and the command line have the same tools.lock.
func (a adder) holds(when string) {
	a.Helper()
	if got, want := a.stored("tools.lock"), a.disk.file("p/tools.lock"); got != want {
		a.Errorf("%s: tools.lock is %s, of the command line %s", when, got, want)
	}
}

// modules starts a server with a good module, which is another one when newer is true, and with
// all kinds of files that golem refuses.
func modules(t *testing.T, newer *atomic.Bool) *httptest.Server {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	calculator, fetch := read("../examples/calculator/tools/calculator.wasm"), read("../cmd/cli/testdata/modules/fetch.wasm")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/private.wasm" {
			w.Header().Set("Access-Control-Allow-Origin", "*")
		}
		switch r.URL.Path {
		case "/page.wasm":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<html>"))
		case "/zipped.wasm":
			w.Header().Set("Content-Type", "application/gzip")
			w.Write([]byte("\x1f\x8b\x08\x00"))
		case "/component.wasm":
			w.Write([]byte("\x00asm\x0d\x00\x01\x00"))
		case "/large.wasm":
			w.Write(append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Repeat([]byte{0}, 32<<20)...))
		case "/moved.wasm":
			http.Redirect(w, r, "http://example.org/calc.wasm", http.StatusFound)
		case "/none.wasm":
			w.WriteHeader(http.StatusNotFound)
		default:
			if newer.Load() {
				w.Write(fetch)
			} else {
				w.Write(calculator)
			}
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// TestToolAddedInThePage adds a tool module in the page from an address and from a file, after a
// yes to its description. tools.lock gets the same bytes as from golem tool add, and a worker
// calls the tool. A no writes nothing; an update shows what changes, and writes nothing if the
// project has changed meanwhile; a module that golem would not run is refused.
func TestToolAddedInThePage(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatalf("%v: make web installs it", err)
	}
	var newer atomic.Bool
	server := modules(t, &newer)
	address := server.URL + "/calc.wasm"
	files := map[string]string{
		"p/main.worker": "---\nmodel: script:s.yaml\ntoolsets: {custom: {approval: {default: preApproved}}}\n---\nCalculate.\n",
		"p/s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: multiply, args: {a: 6, b: 7}}]\n    - when: {tool: multiply, match: '42'}\n      say: calculated\n",
	}
	p, _ := visit(t, "/")
	p.Expect("/private.wasm") // the browser complains of what it does not let the page read
	p.Expect("/none.wasm")
	do(p, `await text("is ready")`) // the welcome opens; it would take the place of the project
	here := map[string]string{}
	for name, text := range files {
		here[filepath.Base(name)] = text
	}
	project(t, p, "p", here)
	a := adder{t, p, newPacking(t, files)}
	if _, err := webtest.Try[map[string]any](p, string(axe)+";({})", webtest.Patience); err != nil {
		t.Fatal(err)
	}
	do(p, `await click("Files")`)
	const asked = `await text("Add tools/calc.wasm?"); `
	a.adds(address, asked+`await text("multiply: "); await text("nothing but its arguments"); await text("described in the module"); `+left)
	if lock, module := a.stored("tools.lock"), a.stored("tools/calc.wasm"); lock+module != "" {
		t.Errorf("after a no there are tools.lock %q and a module %q", lock, module)
	}
	a.adds(address, asked)
	a.seen("tool-add")
	do(p, `await click("Add it"); await text("added tools/calc.wasm, pinned in tools.lock")`)
	a.disk.golem("tool", "add", address, "--project", "p", "--yes")
	a.holds("after add")
	do(p, `await click("Run"); await say("six times seven"); await text("calculated")`)
	finished(p, "ok")

	do(p, `await click("Files")`)
	a.renewed(&newer, address)
	a.chosen()
	a.sourced()
	a.refuses(server.URL)
}

// renewed updates the module: first with a no, then with a change of the project meanwhile,
// then with a yes.
func (a adder) renewed(newer *atomic.Bool, address string) {
	a.Helper()
	a.updates(`await text("tools/calc.wasm is unchanged: sha256 ")`)
	a.seen("tool-source")
	do(a.page, left)
	newer.Store(true)
	const changed = `await text("Update tools/calc.wasm?"); await text("tools - multiply"); await text("network: it can make HTTP requests"); `
	a.updates(changed + left)
	a.holds("after a no to an update")
	a.updates(changed + another("disk.write('tools.lock', lock + '# another tab\\n')") + `await click("Update it"); ` + fmt.Sprintf(alerted, "E_CONFLICT") + left)
	a.updates(changed + `await click("Update it"); await text("updated tools/calc.wasm, pinned in tools.lock")`)
	a.disk.golem("tool", "add", address, "--project", "p", "--yes") // tool update asks public addresses only
	a.holds("after update")
}

// chosen adds a module from a file, with its description.
func (a adder) chosen() {
	a.Helper()
	do(a.page, `await click("Add a tool…"); await until("the dialog", () => document.querySelector('#tool-name'))`)
	mul, err := filepath.Abs("../core/coretest/testdata/tools/mul")
	if err != nil {
		a.Fatal(err)
	}
	a.page.Upload("dialog input[type=file]", mul+".wasm", mul+".tools.yaml")
	do(a.page, `await text("Add tools/mul.wasm?"); await text("described beside the module"); await text("a file of this computer"); await click("Add it"); await text("added tools/mul.wasm, pinned in tools.lock")`)
	a.disk.golem("tool", "add", mul+".wasm", "--project", "p", "--yes")
	a.holds("after a file")
	for _, name := range []string{"tools/mul.wasm", "tools/mul.tools.yaml", "tools/calc.wasm"} {
		if a.stored(name) != a.disk.file("p/"+name) {
			a.Errorf("%s is another one than that of the command line", name)
		}
	}
	a.replaced(mul)
}

// sourced adds the module of a source: of one that imports a file beside it, of one with a
// mistake, and of files of which none is the tool.
func (a adder) sourced() {
	a.Helper()
	dir := a.TempDir()
	for name, text := range map[string]string{
		"extra.ts": "import {mark} from './mark'\n/** Says it. */\nexport const extra = (): string => 'extra' + mark\n",
		"mark.ts":  "export const mark: string = '!'\n", "bad.js": "export const = 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			a.Fatal(err)
		}
	}
	const open = `await click("Add a tool…"); const name = await until("the dialog", () => document.querySelector('#tool-name')); name.value = %q; name.dispatchEvent(new Event('input', {bubbles: true}))`
	extra, mark := filepath.Join(dir, "extra.ts"), filepath.Join(dir, "mark.ts")
	do(a.page, open, "")
	a.page.Upload("dialog input[type=file]", extra, mark)
	do(a.page, alerted+left, "E_USAGE: several sources are chosen")
	do(a.page, open, "")
	a.page.Upload("dialog input[type=file]", filepath.Join(dir, "bad.js"))
	do(a.page, alerted+left, "bad.js:1: E_TOOL_MODULE: the source cannot be parsed")
	do(a.page, open, "")
	a.page.Upload("dialog input[type=file]", extra)
	do(a.page, alerted+left, `import "./mark": there is no such file`)
	do(a.page, open, "extra")
	a.page.Upload("dialog input[type=file]", extra, mark)
	do(a.page, `await text("Add tools/extra.wasm?"); await text("extra: Says it."); await text("network: it can make HTTP requests"); await click("Add it"); await text("added tools/extra.wasm, pinned in tools.lock")`)
	a.disk.golem("tool", "add", extra, "--project", "p", "--yes")
	a.holds("after a source")
	if a.stored("tools/extra.wasm") != a.disk.file("p/tools/extra.wasm") {
		a.Error("tools/extra.wasm is another one than that of the command line")
	}
	a.foldered(open)
}

// foldered adds the module of a source that imports files of folders beside it.
func (a adder) foldered(open string) {
	a.Helper()
	dir := filepath.Join(a.TempDir(), "whole")
	for name, text := range map[string]string{
		"whole.ts": "import {mark} from './lib/mark'\n/** Says all. */\nexport const whole = (): string => 'whole' + mark\n", "whole.test.js": "throw 1",
		"lib/mark.ts": "import {sign} from '../signs/one.js'\nexport const mark: string = sign\n", "signs/one.ts": "export const sign = '?'\n",
		"notes.md": "# no source\n", "node_modules/x/x.js": "export const x = 1\n", "empty/notes.txt": "none\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(text), 0o600)
		}
		if err != nil {
			a.Fatal(err)
		}
	}
	do(a.page, open, "")
	a.page.Upload("dialog input[webkitdirectory]", filepath.Join(dir, "empty"))
	do(a.page, alerted+left, "E_USAGE: no source lies directly in this folder")
	do(a.page, open, "")
	a.page.Upload("dialog input[webkitdirectory]", dir)
	do(a.page, `await text("Add tools/whole.wasm?"); await text("whole: Says all."); await click("Add it"); await text("added tools/whole.wasm, pinned in tools.lock")`)
	a.disk.golem("tool", "add", filepath.Join(dir, "whole.ts"), "--project", "p", "--yes")
	a.holds("after a folder")
	if a.stored("tools/whole.wasm") != a.disk.file("p/tools/whole.wasm") {
		a.Error("tools/whole.wasm is another one than that of the command line")
	}
}

// replaced looks at the same module without its description, with another description, and
// with another digest in tools.lock.
func (a adder) replaced(mul string) {
	a.Helper()
	const open = `await click("Add a tool…"); await until("the dialog", () => document.querySelector('#tool-name'));`
	do(a.page, open)
	a.page.Upload("dialog input[type=file]", mul+".wasm")
	do(a.page, `await text("Add tools/mul.wasm?"); await text("a file that the project has already: tools/mul.tools.yaml"); await text("this is the module that tools.lock has"); `+left)

	dir := a.TempDir()
	for _, ext := range []string{".wasm", ".tools.yaml"} {
		data, err := os.ReadFile(mul + ext)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "mul"+ext), bytes.ReplaceAll(data, []byte("description: "), []byte("description: newly ")), 0o600)
		}
		if err != nil {
			a.Fatal(err)
		}
	}
	do(a.page, open)
	a.page.Upload("dialog input[type=file]", filepath.Join(dir, "mul.wasm"), filepath.Join(dir, "mul.tools.yaml"))
	do(a.page, `await text("Replace tools/mul.wasm?"); await text("tools ~ mul: "); `+left)

	do(a.page, "%s", another("disk.write('tools.lock', (window.before = lock).replace(/[0-9a-f]{64}/g, 'a'.repeat(64)))")+open)
	a.page.Upload("dialog input[type=file]", mul+".wasm")
	do(a.page, `await text("Replace tools/mul.wasm?"); await text("tools.lock has"); await text("a".repeat(64)); `+left+"%s", another("disk.write('tools.lock', window.before)"))
	a.holds("after replacing was looked at")
}

// refuses tests modules that are refused, and that nothing is written.
func (a adder) refuses(site string) {
	a.Helper()
	var steps strings.Builder
	for _, s := range []struct{ address, says string }{
		{"oci://ghcr.io/owner/count:1.0", "E_PLATFORM: a web page cannot ask a registry for a module"},
		{"http://example.org/x.wasm", "E_NETWORK: example.org: golem fetches modules over https only"},
		{"https://me:pw@example.org/x.wasm", "E_NETWORK: the address has no host, or a name or password in it"},
		{"example.org/y.wasm", "for example https://example.org/tool.wasm"},
		{site + "/page.wasm", "(text/html) is not a WebAssembly module"},
		{site + "/zipped.wasm", "(application/gzip) is not a WebAssembly module"},
		{site + "/large.wasm", "has more than 33554432 bytes"},
		{site + "/moved.wasm", "E_NETWORK: " + strings.TrimPrefix(site, "http://") + " redirects"},
		{site + "/private.wasm", "does not let other pages read the file (CORS)"},
		{site + "/none.wasm", "answers 404"},
		{site + "/-.wasm", `E_USAGE: "-" cannot be the name of a module`},
	} {
		fmt.Fprintf(&steps, `field.value = %q; field.dispatchEvent(new Event('input', {bubbles: true})); await click("Fetch it"); `+"%s\n", s.address, fmt.Sprintf(alerted, s.says))
	}
	do(a.page, `await click("Add a tool…"); const field = await until("the dialog", () => document.querySelector('#tool-address')); `+"%s", steps.String()+left)
	a.adds(site+"/component.wasm", `await text("tools/component.wasm cannot be used"); `+fmt.Sprintf(alerted, "E_TOOL_CONTRACT")+
		`if (document.querySelector('dialog[open] .primary, dialog[open] .danger')) throw new Error('what golem refuses can be added'); await click("Close")`)
	a.holds("after what was refused")
}

// seen checks the dialog with axe-core, in light and dark, on a phone and a desktop.
func (a adder) seen(name string) {
	a.Helper()
	for _, theme := range []string{"light", "dark"} {
		webtest.Eval[string](a.page, fmt.Sprintf(`(document.documentElement.dataset.theme = %q)`, theme))
		for _, w := range widths {
			look(a.T, a.page, name+"-"+w.name+"-"+theme, w.width, w.height)
		}
	}
}
