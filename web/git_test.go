//go:build !js

package web_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withHistory returns a project as a zip, with the repository of the case x-git-tools.
func withHistory(t *testing.T, files map[string]string) string {
	t.Helper()
	from, err := zip.OpenReader("../core/coretest/testdata/git/history.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range from.File {
		if _, other := files[f.Name]; other {
			continue
		}
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// TestGitGoesHome imports a zip with a repository, a worker stages a commit, and a person
// pushes it. git finds no fault in the repository of the exported zip: the commit is on its
// branch and the files are clean. The import, from a zip and from a folder, leaves out
// everything in .git that would start a program.
func TestGitGoesHome(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	given := withHistory(t, map[string]string{
		".git/hooks/post-commit": "#!/bin/sh\nexit 1\n",
		".git/config":            "[core]\n\tbare = false\n\tfsmonitor = touch EVIL\n[user]\n\tname = Ann\n\temail = ann@example.com\n[alias]\n\tlog = !touch EVIL\n",
		"src/a.txt":              "one\ntwo\nthree\n",
		"project.yaml":           "clearance: {targets: {main: {git: ., branch: main}}}\n",
		"main.worker": "---\nmodel: script:s.yaml\nsandbox: {paths: {tree: {root: ., mode: staged}}}\n" +
			"toolsets: {git: {target: main}, filesystem: {approval: {default: preApproved}}, clearance: {}}\n---\nWrite.\n",
		"s.yaml": "script: 1\nworkers:\n  main:\n" +
			"    - calls: [{tool: write_file, args: {path: /tree/src/a.txt, content: \"one\\ntwo\\nfour\\n\"}}, {tool: write_file, args: {path: /tree/src/deep/er.txt, content: \"new\\n\"}}]\n" +
			"    - calls: [{tool: git_commit, args: {paths: [/tree/src/a.txt, /tree/src/deep/er.txt], message: fourth}}, {tool: git_clone, args: {url: \"https://example.com/x\", path: /tree/x}}]\n" +
			"    - say: staged\n",
	})
	got := talk(p, `
		const zip = Uint8Array.from(atob('%s'), (c) => c.charCodeAt(0))
		await golem.importZip('plain', zip)
		await golem.importZip('git', zip, { repository: true })
		const config = '.git/config'
		await golem.create('folder', { 'main.worker': 'x', '.git/HEAD': 'ref: refs/heads/main', [config]: '[core]\n\tbare = false\n\tfsmonitor = touch EVIL\n', '.git/hooks/a': 'x' })
		const held = await golem.files('folder').write(config, 'x').catch((e) => e.code)
		if (held !== 'E_PROTECTED') throw new Error('.git was written: ' + held)
		const listed = (await golem.files('git').list()).map((f) => f.path)
		if (listed.some((name) => name.startsWith('.git'))) throw new Error('the list shows .git: ' + listed)
		const res = await golem.run('git', 'go', { approval: 'approve_all' }).result
		if (res.status !== 'ok') throw new Error(JSON.stringify(res))
		const items = await golem.clearance('git').list()
		const item = items.map((i) => i.item).find((i) => i.message === "fourth")
		if (!item) throw new Error(JSON.stringify(items))
		const diff = await golem.clearance('git').diff(item.id)
		if (!JSON.stringify(diff).includes('+four')) throw new Error(JSON.stringify(diff))
		await golem.clearance('git').push(item.id, { digest: diff.digest })
		const sizes = [await golem.exportZip('git'), await golem.exportZip('plain', { repository: true })].map((b) => b.size)
		if (Math.max(...sizes) > 3000) throw new Error('a zip has .git: ' + sizes)
		const home = async (name) => btoa(String.fromCharCode(...new Uint8Array(await (await golem.exportZip(name, { repository: true })).arrayBuffer())))
		return await home('git') + ' ' + await home('folder')`, given)
	zipped, folder, _ := strings.Cut(got, " ")
	dir := filepath.Join(t.TempDir(), "p")
	for where, data := range map[string]string{dir: zipped, filepath.Join(t.TempDir(), "f"): folder} {
		unzip(t, data, where)
		if _, err := os.Stat(filepath.Join(where, ".git", "hooks")); err == nil {
			t.Error("hooks went along")
		}
		if config, err := os.ReadFile(filepath.Join(where, ".git", "config")); err != nil || strings.Contains(string(config), "EVIL") || !strings.Contains(string(config), "bare") {
			t.Errorf("%v: the configuration is\n%s", err, config)
		}
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
		return strings.TrimSpace(string(said))
	}
	git("fsck", "--strict")
	for _, c := range []struct{ args, want string }{
		{"log -1 --format=%s/%an/%ae main", "fourth/Ann/ann@example.com"},
		{"show main:src/deep/er.txt", "new"},
		{"show --format= --name-only main", "src/a.txt\nsrc/deep/er.txt"},
		{"status --porcelain -- src/a.txt src/deep", ""},
	} {
		if said := git(strings.Fields(c.args)...); said != c.want {
			t.Errorf("git %s says %q, want %q", c.args, said, c.want)
		}
	}
}
