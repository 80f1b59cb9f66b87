//go:build !js

package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestSearchSettings chooses the search provider in Settings, with an address and a key: a
// worker's web_search sends its request there with the key, and no trace has the key (SPEC §6).
func TestSearchSettings(t *testing.T) {
	t.Parallel()
	p, _ := visit(t, "/")
	const key = "tvly-0123456789"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "authorization, content-type")
		if r.Method != http.MethodPost {
			return
		}
		title := "no key"
		if r.Header.Get("Authorization") == "Bearer "+key && r.URL.Path == "/search" {
			title = "The barn owl"
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"results": [{"title": %q, "url": "https://example.com/owl", "content": "white"}]}`, title)
	}))
	t.Cleanup(server.Close)
	do(p, `await text("is ready")`)
	project(t, p, "owls", map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {web: {search: {results: 2}}}\nsandbox: {network_enabled: true}\n---\nSearch.\n",
		"s.yaml":      "script: 1\nworkers:\n  main:\n    - calls: [{tool: web_search, args: {query: owls}}]\n    - when: {tool: web_search, match: '(The barn owl|no key)'}\n      say: \"found: $1\"\n    - say: nothing\n",
	})
	do(p, `await click("Settings"); const choice = await until("the choice", () => document.querySelector('[aria-label="search provider"]'));
		const listed = [...choice.options].map((o) => o.value).join(); if (listed !== ',brave,searxng,tavily') throw new Error(listed);
		const set = async (label, value, event) => { const field = await until(label, () => document.querySelector('[aria-label^="' + label + '"]')); field.value = value; field.dispatchEvent(new Event(event, {bubbles: true})); };
		await set('search provider', 'searxng', 'change'); await text("has no address of its own");
		await set('search provider', 'tavily', 'change'); await set('address of tavily', %q, 'change'); await set('key of tavily, TAVILY_API_KEY', %q, 'change');
		const labels = [...document.querySelectorAll('form[aria-label="Search"] label .label, form[aria-label="A secret"] label .label')].map((e) => e.innerText).join(); if (labels !== 'Name,Value,Provider,Address,Key') throw new Error('labels: ' + labels);
		await until("it to be kept", () => JSON.parse(localStorage.getItem('golem.settings')).search.url === %[1]q && JSON.parse(localStorage.getItem('golem.keys')).TAVILY_API_KEY);
		await click("Run"); await say("find owls"); await text("Allow this call?"); await until("a yes", () => { const b = [...document.querySelectorAll('dialog[open] button')].find((b) => b.innerText === 'Yes'); return b && !b.disabled && (b.click(), true) }); await text("found: The barn owl")`, server.URL, key)
	do(p, `await click("Settings"); const own = await until("the configuration", () => document.querySelector('[aria-label="config.yaml"]')); own.value = 'web: {private_hosts: []}\n'; own.dispatchEvent(new Event('input', {bubbles: true}));
		await until("it to be taken", () => own.value.startsWith('web:')); const save = [...own.closest('section').querySelectorAll('button')].find((b) => b.innerText === 'Save'); save.click();
		await text("your configuration is saved"); await click("Projects"); await text("owls"); await click("Settings"); await text("and so decides"); if (document.querySelector('[aria-label="search provider"]')) throw new Error('two places say it')`)
}
