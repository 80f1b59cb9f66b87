//go:build long

package natsqueue_test

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golem/cmd/cli/natsqueue"
	"golem/core/batch"
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

// process starts a nats-server as a process of its own, with its store in dir, and returns its
// address. end kills it.
func process(t *testing.T, program, dir string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(program, "-js", "-sd", dir, "-a", "127.0.0.1", "-p", "-1")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	t.Cleanup(end)
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
	return url, end
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
		url, _ := process(t, program, filepath.Join(t.TempDir(), "store"))
		r := &remote{url: url, private: private, options: natsqueue.Options{Name: "b", Signer: public, Lease: time.Hour}}
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

// The server of golem-queue goes on with the store of the oldest server, which was killed: items
// that ended have their results, and the others go on with their logs.
func TestLongStoreOfTheOldestServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	url, end := process(t, build(t, oldestServer), dir)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{url: url, private: private, options: natsqueue.Options{Name: "b", Signer: public, Lease: time.Second}}
	_, _ = rand.Read(r.options.Key[:])
	r.Open(t, "a", "b", "c")
	q := r.worker
	large := bytes.Repeat([]byte("x"), 300<<10)
	for n := range 2 {
		l, err := q.Lease(t.Context(), "old")
		if err != nil || l == nil {
			t.Fatalf("%v, %v", l, err)
		}
		digest, err := l.PutBlob(t.Context(), large)
		if err == nil {
			err = l.Append(t.Context(), 0, batch.Line(`"`+digest+`"`))
		}
		if err == nil && n == 0 {
			err = l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"old"`)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	end()
	r.url = start(t, dir, -1).ClientURL()
	q = r.another(t)
	for ended := 0; ended < 2; {
		l, err := q.Lease(t.Context(), "new")
		if err != nil {
			t.Fatal(err)
		}
		if l == nil {
			time.Sleep(50 * time.Millisecond) // until the lease of the killed worker ends
			continue
		}
		if l.Item.Key == "b" {
			if len(l.Log) != 1 {
				t.Fatalf("the log of b has %d lines", len(l.Log))
			}
			if data, err := l.Blob(t.Context(), strings.Trim(string(l.Log[0]), `"`)); err != nil || !bytes.Equal(data, large) {
				t.Errorf("the blob of b: %d bytes, %v", len(data), err)
			}
		}
		if err := l.Finish(t.Context(), batch.Result{Status: batch.OK, Output: []byte(`"new"`)}); err != nil {
			t.Fatal(err)
		}
		ended++
	}
	got := ""
	if err := q.Results(t.Context(), func(r batch.Result) error { got += r.Item + string(r.Output); return nil }); err != nil || got != `a"old"b"new"c"new"` {
		t.Errorf("%s, %v", got, err)
	}
}
