//go:build !js

package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLargeZip imports a zip with many files: the page shows the progress, and the import can be stopped. If the person
// has opened another view meanwhile, it stays. Names that are not allowed are reported together.
func TestLargeZip(t *testing.T) {
	t.Parallel()
	files := map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nGo.\n", "s.yaml": "script: 1\nworkers: {main: [{say: done}]}\n"}
	for i := range 3000 {
		files[fmt.Sprintf("notes/%02d/%04d.txt", i%100, i)] = "x"
	}
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "small", hanging)
	give := `const give = async (name, data) => { const input = await until("the zip field", () => document.querySelector('input[accept*=zip]')), list = new DataTransfer();
			list.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name)); input.files = list.files; input.dispatchEvent(new Event('change', {bubbles: true})) };`
	do(p, give+`window.began = performance.now(); await click("Projects"); await give('many.zip', %q); await until("how far it is", () => /copying many: [1-9]\d* of 3002 files/.test(document.body.innerText));
		await click("Cancel"); await text("it was stopped; nothing was made"); if (button("delete many")) throw new Error("it is there")`, packed(t, files))
	do(p, give+`await give('many.zip', %q); await until("its begin", () => document.body.innerText.includes('copying many')); await click("Run"); await text("main is ready");
		await text("The project many is there."); if (!location.hash.startsWith('#/p/small/run')) throw new Error(location.hash); await click("Projects"); await text("3,002 files")`, packed(t, files))
	bad := map[string]string{}
	for i := range 12 {
		bad[fmt.Sprintf("a%02d?.txt", i)] = "x"
	}
	do(p, give+`await give('bad.zip', %q); await text("a00?.txt"); const said = document.querySelector('.toast').innerText; if (!said.includes('a09?.txt') || said.includes('a10?.txt')) throw new Error(said)`, packed(t, bad))
}

// TestNamesOfFiles makes projects from zip files with names that a project cannot have.
func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	zip := packed(t, map[string]string{"main.worker": "---\nmodel: script:s.yaml\n---\nGo.\n", "s.yaml": "script: 1\nworkers: {main: [{say: done}]}\n"})
	for name, want := range map[string]string{
		strings.Repeat("語", 34):           strings.Repeat("語", 30),
		strings.Repeat("a", 89) + " more": strings.Repeat("a", 89),
		strings.Repeat("a", 89) + "語":     strings.Repeat("a", 89),
		"con":                             "con-project",
		"Com1.b":                          "Com1-project.b",
		"..":                              "project",
	} {
		do(p, `document.querySelector('.brand').click(); const input = await until("the zip field", () => document.querySelector('input[accept*=zip]')), list = new DataTransfer();
			list.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q)); input.files = list.files; input.dispatchEvent(new Event('change', {bubbles: true}));
			await until("the project, or why not", () => document.title.startsWith(%[3]q) || document.querySelector('.toast')?.innerText); if (!document.title.startsWith(%[3]q)) throw new Error(document.querySelector('.toast').innerText);
			await until("it to be open", () => /is ready|cannot run/.test(document.body.innerText)); document.querySelector('.brand').click(); await click("delete " + %[3]q); await click("Delete"); await until("it to be gone", () => !button("delete " + %[3]q))`, zip, name+".zip", want)
	}
}
