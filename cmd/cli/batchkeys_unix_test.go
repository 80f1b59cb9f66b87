//go:build unix

package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// key returns the key of a machine.
func (f *farm) key(machine string) string {
	f.t.Helper()
	out, err := f.command(machine, "worker", "--key").Output()
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// refused runs a worker that must not work, and looks for a text in what it says.
func (f *farm) refused(want, machine string, args ...string) {
	f.t.Helper()
	w := f.begin(f.command(machine, append([]string{"worker"}, args...)...))
	w.end(f.t, 2)
	if !strings.Contains(w.all.String(), want) {
		f.t.Errorf("%v: no %q in\n%s", args, want, &w.all)
	}
}

// SPEC §19: machines that know each other by their keys need no token. A worker without one, of
// another person, or that is not named is refused before it reads anything.
func TestBatchOfNamedMachines(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "preApproved", 4)
	boss, mine := f.key("producer"), f.key("w")
	begin := func(name string, more ...string) *begun {
		return f.begin(f.command("producer", append([]string{"batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", name, "--queue", f.url}, more...)...))
	}
	f.refused("the token of the batch is missing", "w", f.url)
	f.refused("E_NOT_FOUND", "w", f.url, "--from", boss)
	p := begin("one", "--worker", mine)
	if line := p.until(t, "golem worker nats", 1); !strings.HasSuffix(line, " --from "+boss) {
		t.Errorf("%s", line)
	}
	f.refused("the token of the batch is missing", "x", f.url)
	f.refused("E_NOT_FOUND: the queue has no batch for this machine", "x", f.url, "--from", boss)
	f.refused("E_TRUST: the batch for this machine was begun by "+boss, "w", f.url, "--from", f.key("x"))
	f.begin(f.command("w", "worker", f.url, "--from", boss, "--jobs", "2")).end(t, 0)
	p.end(t, 0)
	if lines, _ := f.results("one.out"); len(lines) != 4 || lines[0]["status"] != "ok" {
		t.Errorf("%v", lines)
	}
	f.refused("that name this machine have ended", "w", f.url)

	// The second batch is found without a flag, and begun again without --worker.
	p = begin("two", "--worker", mine, "--worker", f.key("x"))
	p.until(t, "--from", 1)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p = f.begin(f.command("producer", "batch", "retry", "two"))
	p.until(t, "--from", 1)
	f.begin(f.command("w", "worker", f.url)).end(t, 0)
	p.end(t, 0)

	if out, err := f.command("w", "worker", "--list").Output(); err != nil || string(out) != boss+"\n"+f.key("x")+"\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for _, key := range []string{boss, f.key("x")} {
		if out, err := f.command("w", "worker", "--remove", key).CombinedOutput(); err != nil || string(out) != "removed: "+key+"\n" {
			t.Errorf("%v\n%s", err, out)
		}
	}
	f.refused("E_NOT_FOUND", "w", "--remove", boss)
	f.refused("this machine trusts no other by its key", "w", f.url)
}

// What is not one machine's key is neither trusted nor named, and a list of keys that somebody
// damaged trusts nobody.
func TestKeysOfMachinesAreRefused(t *testing.T) {
	f := newFarm(t, "preApproved", 1)
	mine := f.key("w")
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(mine, "golemkey1."))
	if err != nil {
		t.Fatal(err)
	}
	clear(data[:32])
	anybodys := "golemkey1." + base64.RawURLEncoding.EncodeToString(data)
	for want, args := range map[string][]string{
		"is not the key of a machine":         {f.url, "--from", "golemkey1.x"},
		"is not the key of one machine":       {f.url, "--from", anybodys},
		"exclude each other":                  {f.url, "--from", mine, "--join", "golem1.x"},
		"stand alone":                         {f.url, "--key"},
		"--key, --list and --remove":          {"--key", "--list"},
		"the address of the queue is missing": {},
		"--from is empty":                     {f.url, "--from", ""},
	} {
		f.refused(want, "w", args...)
	}
	for want, args := range map[string][]string{
		"is not the key of a machine":   {"--worker", "me", "--queue", f.url},
		"is not the key of one machine": {"--worker", anybodys, "--queue", f.url},
		"--worker needs --queue":        {"--worker", mine},
	} {
		p := f.begin(f.command("producer", append([]string{"batch", "p", "--inputs", "in.jsonl", "--key", "id"}, args...)...))
		p.end(t, 2)
		if !strings.Contains(p.all.String(), want) {
			t.Errorf("no %q in\n%s", want, &p.all)
		}
	}
	if out, _ := f.command("w", "worker", "--list").Output(); len(out) > 0 {
		t.Errorf("trusted: %s", out)
	}
	for _, text := range []string{"{", `{"golem": "signers", "v": 2}`, `{"golem": "signers", "v": 1, "signers": ["` + anybodys + `"]}`} {
		if err := os.WriteFile(filepath.Join(f.dir, "home", "w", "signers.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f.refused("signers.json in GOLEM_HOME cannot be read", "w", f.url)
	}
}
