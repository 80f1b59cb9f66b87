//go:build !js

package web_test

import "testing"

// TestStartTool plays scenario 17 in the page: a person starts a manual tool from the list of
// the entry's tools, with a form that is made from its schema; the call needs approval.
func TestStartTool(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "starting", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {clearance: {approval: {tools: {push: ask, discard: preApproved, defer: blocked}}}}\n---\nGo.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: push, args: {item: \"7\"}}]\n    - say: refused\n",
	})
	do(p, `await text("main is ready"); await click("Tools"); await text("Start a tool");
		const pick = document.querySelector('#tool');
		if ([...pick.options].some((o) => !o.value)) throw new Error(pick.innerHTML);
		pick.value = 'push'; pick.dispatchEvent(new Event('change', { bubbles: true }));
		await until("the form", () => document.querySelector('#arg-item') && document.querySelector('#arg-target'));
		const f = document.querySelector('#arg-item'); f.value = '7'; f.dispatchEvent(new Event('input', { bubbles: true }));
		await click("Start"); await text("push"); await until("a yes", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes'); return b && !b.disabled && (b.click(), true) });
		await text("there is no item 7")`)
}
