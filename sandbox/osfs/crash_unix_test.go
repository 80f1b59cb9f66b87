//go:build unix

package osfs_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"golem/sandbox/osfs"
)

// rewriting is the environment variable, with a directory as its value, that makes
// the test binary rewrite a file until it is killed.
const rewriting = "GOLEM_TEST_REWRITE"

var versions = [2][]byte{bytes.Repeat([]byte("old\n"), 30_000), bytes.Repeat([]byte("new!\n"), 50_000)}

func TestMain(m *testing.M) {
	if dir := os.Getenv(rewriting); dir != "" {
		rewrite(dir)
	}
	if dir := os.Getenv(deepening); dir != "" {
		deepProcess(dir)
	}
	os.Exit(m.Run())
}

func rewrite(dir string) {
	f, err := osfs.Open(dir)
	if err != nil {
		os.Exit(1)
	}
	for i := 0; ; i++ {
		if f.WriteFile("d/file", versions[i%2]) != nil {
			os.Exit(1)
		}
		if i == 0 {
			_, _ = os.Stdout.WriteString("x")
		}
	}
}

// SECURITY 14: a writer that is killed leaves the old file or the new one.
func TestKilledWriter(t *testing.T) {
	dir, _ := host(t)
	f := open(t, dir)
	must(t, f.WriteFile("d/file", versions[0]))
	for kill := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), rewriting+"="+dir)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if n, err := out.Read(make([]byte, 1)); n != 1 {
			t.Fatalf("the writer did not start: %v", err)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // kill it at a random moment
		must(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the writer ended by itself: %v", err)
		}
		data, err := fs.ReadFile(f, "d/file")
		if err != nil || !bytes.Equal(data, versions[0]) && !bytes.Equal(data, versions[1]) {
			t.Fatalf("kill %d left %d bytes, %v", kill, len(data), err)
		}
		entries, err := fs.ReadDir(f, "d")
		if err != nil || len(entries) != 1 {
			t.Fatalf("kill %d: list = %v, %v", kill, entries, err)
		}
		if left := unfinished(t, dir); len(left) > 0 {
			t.Fatalf("kill %d left %v", kill, left)
		}
	}
}
