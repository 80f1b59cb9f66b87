//go:build long

package natsqueue_test

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"golem/cmd/cli/natsqueue"
	"golem/core/batch/batchtest"
)

// oldestServer is the oldest nats-server that batches on many machines work with (SPEC §19).
const oldestServer = "github.com/nats-io/nats-server/v2@v2.11.10"

// build builds a nats-server and returns its program.
func build(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "install", version)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "nats-server")
}

var listening = regexp.MustCompile(`Listening for client connections on (\S+)`)

// process starts a nats-server as a process of its own and returns its address.
func process(t *testing.T, program string) (url string) {
	t.Helper()
	cmd := exec.Command(program, "-js", "-sd", filepath.Join(t.TempDir(), "store"), "-a", "127.0.0.1", "-p", "-1")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	lines := bufio.NewScanner(said)
	for url == "" && lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			url = "nats://" + found[1]
		}
	}
	if url == "" {
		t.Fatal("the server does not start")
	}
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	return url
}

// The oldest server that SPEC §19 names, as a process of its own, passes what the embedded one
// passes.
func TestLongOldestServer(t *testing.T) {
	program := build(t, oldestServer)
	remoteOf := func(t *testing.T) *remote {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		r := &remote{url: process(t, program), private: private, options: natsqueue.Options{Name: "b", Signer: public, Lease: time.Hour}}
		_, _ = rand.Read(r.options.Key[:])
		return r
	}
	batchtest.Run(t, func(t *testing.T) batchtest.Harness { return remoteOf(t) })
	batchtest.Purses(t, func(t *testing.T) batchtest.Spending {
		r := remoteOf(t)
		r.options.Lease = 500 * time.Millisecond
		return &spending{r: r}
	})
	batchtest.Paces(t, func(t *testing.T) batchtest.Pacing {
		r := remoteOf(t)
		r.begin(t)
		return pacing{r}
	})
}
