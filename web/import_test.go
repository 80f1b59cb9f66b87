//go:build !js

package web_test

import (
	"fmt"
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
