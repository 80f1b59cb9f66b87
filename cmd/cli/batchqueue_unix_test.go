//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"golem/cmd/cli/console"
	"golem/cmd/cli/natsqueue"
)

// SPEC §19: a batch on several machines, of which some are killed, has the results and files of
// a batch on one machine that nobody disturbed.
func TestBatchOnManyMachines(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "preApproved", 16)
	f.begin(f.command("alone", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "alone")).end(t, 0)
	begin := f.command("producer", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "far", "--queue", f.url, "--lease", "1s")
	begin.Env = append(begin.Env, "GOLEM_QUEUE_TOKEN=which-this-server-does-not-ask-for")
	p := f.begin(begin)
	token := joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1))
	p.until(t, "127.0.0.1 is this machine only: on another one", 1)
	if said := p.until(t, "they need GOLEM_QUEUE_TOKEN, too", 1); strings.Contains(said, "does-not-ask") {
		t.Errorf("the token of the server is shown: %s", said)
	}
	for n := range 3 {
		w := f.worker(fmt.Sprint("w", n), token)
		w.until(t, ": ok", 2)
		if err := w.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	last, other := f.worker("w8", token), f.worker("w9", token)
	p.end(t, 0)
	last.end(t, 0)
	other.end(t, 0)
	want, files := f.results("alone.out")
	got, gotFiles := f.results("far.out")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("results\n%v\nwant\n%v", got, want)
	}
	if len(files) != 32 || fmt.Sprint(gotFiles) != fmt.Sprint(files) {
		t.Errorf("files\n%v\nwant\n%v", gotFiles, files)
	}
	if out, err := f.command("producer", "trace", "show", "far/i3").CombinedOutput(); err != nil || !strings.Contains(string(out), "read_file  ok") {
		t.Errorf("the trace of an item: %v\n%s", err, out)
	}
}

// A queue that goes away and comes back, and a producer that is interrupted, killed and begins
// again, lose nothing.
func TestBatchOnManyMachinesQueueEnds(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "preApproved", 30)
	begin := f.command("producer", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "far", "--queue", f.url)
	p := f.begin(begin)
	token := joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1))
	w := f.worker("w", token)
	w.until(t, ": ok", 3)
	port := f.queue.s.Addr().(*net.TCPAddr).Port
	f.queue.stop()
	f.queue.start(port)
	w.until(t, ": ok", 3)
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.end(t, console.ExitInterrupted)
	w.until(t, ": ok", 3)
	p = f.begin(f.command("producer", "batch", "retry", "far"))
	p.until(t, "export GOLEM_JOIN=", 1)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p = f.begin(f.command("producer", begin.Args[1:]...))
	p.end(t, 0)
	w.end(t, 0)
	if out, err := f.command("producer", "batch", "remove", "far").CombinedOutput(); err != nil || string(out) != "removed: batch far\n" {
		t.Errorf("%v\n%s", err, out)
	}
	if left, err := f.queue.s.Jsz(&server.JSzOptions{}); err != nil || left.Streams != 0 {
		t.Errorf("the server has %d streams, %v", left.Streams, err)
	}
	lines, files := f.results("far.out")
	if len(lines) != 30 || len(files) != 60 {
		t.Errorf("%d results, %d files", len(lines), len(files))
	}
	for _, r := range lines {
		if r["status"] != "ok" {
			t.Errorf("%v", r)
		}
	}
}

// What asks on a worker's machine waits for the person who began the batch, also if golem batch
// has ended meanwhile. An answer that covers all of them lets the items go on, on the command line
// or on the page of golem batch attach --web.
func TestBatchOnManyMachinesAsks(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "ask", 4)
	begin := []string{"batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "far", "--queue", f.url}
	p := f.begin(f.command("producer", begin...))
	token := joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1))
	w := f.worker("w", token)
	p.end(t, console.ExitNobody)
	for n := range 3 { // calls of the worker, which all ask
		out, err := f.command("producer", "batch", "questions", "far", "--json").Output()
		var groups []struct {
			Question struct{ Key string }
			Items    []string
		}
		if err != nil || json.Unmarshal(out, &groups) != nil || len(groups) != 1 || len(groups[0].Items) != 4 {
			t.Fatalf("%v\n%s", err, out)
		}
		if n == 1 {
			f.answerOnPage("producer", "far")
		} else if out, err := f.command("producer", "batch", "questions", "far", "--question", groups[0].Question.Key, "--answer", "yes").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		p = f.begin(f.command("producer", begin[:len(begin)-2]...)) // it remembers its queue
		want := console.ExitNobody
		if n == 2 {
			want = 0
		}
		p.end(t, want)
	}
	w.end(t, 0)
	_, files := f.results("far.out")
	if len(files) != 8 {
		t.Errorf("%v", files)
	}
}

// What an item stages on a worker's machine waits in golem clearance on the machine that began the
// batch, once, and is pushed there.
func TestBatchOnManyMachinesStages(t *testing.T) {
	f := newFarm(t, "preApproved", 2)
	f.write("p/notes/old.md", "old\n")
	f.write("p/main.worker", `---
model: script:s.yaml
toolsets: {filesystem: {approval: {default: preApproved}}}
sandbox:
  mounts:
    - {target: /, source: ., mode: rw}
    - {target: /notes, source: notes, mode: staged}
---
Write.
`)
	f.write("p/s.yaml", `script: 1
workers:
  main:
    - calls: [{tool: write_file, args: {path: /notes/a.md, content: "new\n"}}, {tool: delete_file, args: {path: /notes/old.md}}, {tool: write_file, args: {path: /log.txt, content: log}}]
    - say: it is done
`)
	p := f.begin(f.command("producer", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "far", "--queue", f.url))
	w := f.worker("w", joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1)))
	p.until(t, "2 items of this batch pending clearance", 1)
	p.end(t, 0)
	w.end(t, 0)
	if _, files := f.results("far.out"); len(files) != 2 || files["i0/log.txt"] != "log" {
		t.Errorf("%v", files)
	}
	out, err := f.command("producer", "clearance", "list", "--project", "p", "--json").CombinedOutput()
	var list struct {
		Items []struct{ Item struct{ ID, Run string } }
	}
	if err != nil || json.Unmarshal(out, &list) != nil || len(list.Items) != 2 || path.Dir(list.Items[0].Item.Run) != "far" {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := f.command("producer", "clearance", "push", list.Items[0].Item.ID, "--project", "p").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(f.dir, "p/notes/a.md"))
	if _, gone := os.Stat(filepath.Join(f.dir, "p/notes/old.md")); err != nil || string(text) != "new\n" || !os.IsNotExist(gone) {
		t.Errorf("after the push: %q, %v, old.md: %v", text, err, gone)
	}
}

// A worker refuses what it does not know, before it runs anything, and says why.
func TestWorkerRefuses(t *testing.T) {
	f := newFarm(t, "preApproved", 1)
	other := natsqueue.NewInvitation("nobody", make(ed25519.PublicKey, ed25519.PublicKeySize))
	f.worker("w", "golem1.short").end(t, 2)
	f.worker("w", "").end(t, 2)
	w := f.worker("w", other.String())
	w.end(t, 2)
	if !strings.Contains(w.all.String(), "E_NOT_FOUND") {
		t.Errorf("%s", &w.all)
	}

	p := f.begin(f.command("producer", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "far", "--queue", f.url))
	token, err := natsqueue.ReadInvitation(joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*natsqueue.Invitation){
		"another secret": func(i *natsqueue.Invitation) { i.Secret[3] ^= 1 },
		"another signer": func(i *natsqueue.Invitation) { i.Signer = bytes.Clone(i.Signer); i.Signer[3] ^= 1 },
	} {
		changed := token
		change(&changed)
		w := f.worker("w", changed.String())
		w.end(t, 2)
		if !strings.Contains(w.all.String(), "E_TRUST") {
			t.Errorf("%s:\n%s", name, &w.all)
		}
	}

	// What the producer trusts is not trusted here: the address of a provider, which gets a key.
	if err := os.WriteFile(filepath.Join(f.dir, "p", "project.yaml"), []byte("providers: {openai: {base_url: \"http://127.0.0.1:9/v1\"}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p = f.begin(f.command("producer", "batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", "wide", "--model", "openai:x", "--trust", "--queue", f.url))
	w = f.worker("w", joinToken.FindString(p.until(t, "export GOLEM_JOIN=", 1)))
	w.end(t, 2)
	if !strings.Contains(w.all.String(), "E_TRUST: providers.openai.base_url") {
		t.Errorf("%s", &w.all)
	}

	// Another batch, of another version of golem.
	conn, err := nats.Connect(f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	producer, err := natsqueue.Create(context.Background(), conn, natsqueue.Options{Name: "old"}, private)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	invitation := natsqueue.NewInvitation("old", private.Public().(ed25519.PublicKey))
	if err := producer.Invite(t.Context(), invitation); err != nil {
		t.Fatal(err)
	}
	if err := producer.Describe(t.Context(), map[string]any{"golem": "v0.0.1", "pack": []byte("no pack")}); err != nil {
		t.Fatal(err)
	}
	w = f.worker("w", invitation.String())
	w.end(t, 2)
	if !strings.Contains(w.all.String(), "the batch was begun by golem v0.0.1") {
		t.Errorf("%s", &w.all)
	}
}

// --approve-all is no answer for another person's machine, and refused as wrong addresses are,
// before anything is sent.
func TestBatchQueueRefuses(t *testing.T) {
	f := newFarm(t, "ask", 1)
	for want, args := range map[string][]string{
		"waits for you":                 {"--approve-all"},
		"is between 1s and 1h":          {"--lease", "2h"},
		"is not the address of a queue": {"--queue", "http://127.0.0.1:1"},
		"there is no queue at":          {"--queue", "nats://127.0.0.1:1"},
	} {
		p := f.begin(f.command("producer", append([]string{"batch", "p", "--inputs", "in.jsonl", "--key", "id", "--queue", f.url}, args...)...))
		p.end(t, 2)
		if !strings.Contains(p.all.String(), want) {
			t.Errorf("no %q in\n%s", want, &p.all)
		}
	}
	if out, err := f.command("producer", "batch", "list", "--json").Output(); err != nil || string(out) != "[]\n" {
		t.Errorf("a batch was begun: %v\n%s", err, out)
	}
}
