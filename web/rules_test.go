//go:build !js

package web_test

import "testing"

// TestRulesThatAPersonKeeps plays scenario 59 in the page: the question offers a rule, shows
// its exact text and saves it after a second yes. Then such calls do not ask, What would
// happen? names the rule, and Settings lists and removes it.
func TestRulesThatAPersonKeeps(t *testing.T) {
	t.Parallel()
	const rule = `{tool: write_file, when: {path: "/out/**"}, decide: preApproved}`
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "keeping", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nGo.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: write_file, args: {path: /out/a.txt, content: x}}, {tool: write_file, args: {path: /out/b.txt, content: x}}]\n    - say: done\n",
	})
	do(p, `await say("go")`)
	settled(p)
	do(p, `await click("Other answers…"); await click("Keep a rule…"); await text(%[1]q); await text("all write_file under /out in this project"); await click("Do not save");
		await until("no rule", () => !document.querySelector('[aria-label="The rule"]')); await click("Other answers…"); await click("Keep a rule…"); await click("Save the rule, and yes")`, rule)
	finished(p, "ok")
	do(p, `await text("saved: Settings, Calls that do not ask"); await say("again")`)
	finished(p, "ok")
	p.Reload()
	do(p, `await text("done"); await click("new conversation"); await text("main is ready"); await click("What would happen?");
		await until("the rule", () => [...document.querySelectorAll('.described tr')].some((r) => r.innerText.includes('write_file') && r.innerText.includes('/out/**')));
		await click("Settings"); await text("Calls that do not ask in keeping"); await text(%[1]q);
		await click("Remove " + %[1]q); await until("no rules", () => !document.body.innerText.includes("Calls that do not ask in keeping"));
		await click("Run"); await say("once more"); await text("Change a file?")`, rule)
}
