//go:build !js

package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golem/web/webtest"
)

// moving is a project whose worker writes a file for each message.
var moving = map[string]string{
	"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {}}\n---\nWrite.\n",
	"s.yaml": `script: 1
workers:
  main:
    - when: {tool: write_file}
      say: written
    - when: {match: "write (\\w+)"}
      calls: [{tool: write_file, args: {path: "/$1.txt", content: "$1"}}]
`,
}

// onMachine has the project moving and commands of golem in it.
type onMachine struct {
	*testing.T
	dir, home string
}

func newOnMachine(t *testing.T) onMachine {
	m := onMachine{t, t.TempDir(), "GOLEM_HOME=" + t.TempDir()}
	for name, text := range moving {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// golem carries out a command, with the lines of a person, and returns its output.
func (m onMachine) golem(lines string, args ...string) string {
	m.Helper()
	cmd := exec.Command(cli(m.T), args...)
	cmd.Dir, cmd.Env, cmd.Stdin = m.dir, append(os.Environ(), m.home), strings.NewReader(lines)
	said, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("golem %q: %v\n%s", args, err, said)
	}
	return string(said)
}

// file returns the content of a file of the project; "" if there is none.
func (m onMachine) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(m.dir, name))
	return string(data)
}

// TestAConversationGoesToATerminalAndBack tests that a conversation that began in a page goes
// on in a terminal, with the files that it wrote, and then in the page.
func TestAConversationGoesToATerminalAndBack(t *testing.T) {
	t.Parallel()
	files, err := json.Marshal(moving)
	if err != nil {
		t.Fatal(err)
	}
	p := embedded(t)
	talked := talk(p, "%s", `await golem.create('m', `+string(files)+`);
		const run = golem.chat('m', 'write one', {approval: 'approve_all'}); run.end(); const {run: id} = await run.result;
		return id + ' ' + new TextDecoder().decode(await golem.moveConversation('m', id))`)
	id, exported, _ := strings.Cut(talked, " ")
	m := newOnMachine(t)
	if err := os.WriteFile(filepath.Join(m.dir, "moved.json"), []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := m.golem("", "conversations", "import", "moved.json", "--yes"); !strings.Contains(said, "imported: conversation "+id) || !strings.Contains(said, "(browser)") {
		t.Errorf("the import says %s", said)
	}
	m.golem("write two\n", "chat", ".", "--resume", id, "--approve-all")
	if one, two := m.file("one.txt"), m.file("two.txt"); one != "one" || two != "two" {
		t.Errorf("in the terminal the files are %q and %q", one, two)
	}
	m.golem("", "conversations", "export", id, "-o", "back.json")
	got := talk(p, "%s", `const back = new TextEncoder().encode(`+quoted(m.file("back.json"))+`), plan = await golem.importConversation('m', back);
		const wrong = await golem.importConversation('m', back, {agreed: 'sha256:00'}).catch((e) => e.code);
		const none = await golem.files('m').read('two.txt').catch((e) => e.code);
		const {id} = await golem.importConversation('m', back, {agreed: plan.digest});
		const run = golem.chat('m', 'write three', {resume: id, approval: 'approve_all'}); run.end(); await run.result;
		const {listing, said} = await golem.conversation('m', id); const text = async (name) => new TextDecoder().decode(await golem.files('m').read(name));
		return [plan.origin.platform, plan.files.map((f) => f.path + ' ' + f.action).join(';'), wrong, none, id, listing.messages, said.filter((s) => s.who === 'you').map((s) => s.text).join(';'), await text('one.txt'), await text('two.txt'), await text('three.txt')].join('|')`)
	if want := "native|one.txt same;two.txt write|E_CONFLICT|E_NOT_FOUND|" + id + "|3|write one;write two;write three|one|two|three"; got != want {
		t.Errorf("back in the page it is\n%s, want\n%s", got, want)
	}
}

// TestBringingAConversation tests the dialog of the page about a conversation that comes from
// elsewhere: what it shows, no, yes, and a file that is none.
func TestBringingAConversation(t *testing.T) {
	t.Parallel()
	m := newOnMachine(t)
	said := m.golem("", "run", ".", "write one", "--approve-all")
	m.golem("", "conversations", "export", regexp.MustCompile(`\d{8}-\d{6}-[0-9a-f]{8}`).FindString(m.golem("", "conversations")), "-o", "moved.json")
	p, _ := visit(t, "/")
	do(p, `await text("is ready")`)
	project(t, p, "m", moving)
	do(p, `await click("Run"); await text("Bring a conversation…")`)
	const field = "label.button input[accept='.json']"
	picked(p, field, map[string]string{"moved.json": "no JSON"})
	do(p, `await text("this is not a conversation that can be imported")`)
	for _, answer := range []string{"Cancel", "Bring it, and change these files"} {
		picked(p, field, map[string]string{"moved.json": m.file("moved.json")})
		do(p, `await text("Bring this conversation here?"); await text("from the project"); await text("+one"); await click(%q); await until("the end of the question", () => !document.querySelector('dialog[open]'))`, answer)
	}
	do(p, `await text("is here"); await until("the row", () => document.querySelector('section[aria-label=Conversations] tbody tr')); await text("write one")`)
	if got := webtest.Eval[int](p, `document.querySelectorAll('section[aria-label=Conversations] tbody tr').length`); got != 1 {
		t.Errorf("%d conversations\n%s", got, said)
	}
}
