//go:build unix

package disk

import (
	"bufio"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Opening a FIFO does not wait for a reader. With one, what is written arrives.
func TestOpenOutDoesNotWait(t *testing.T) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := OpenOut(name); err == nil || Cause(err) != "no program reads this FIFO" {
		t.Fatalf("%v, %v", f, err)
	}
	in, err := os.OpenFile(name, os.O_RDONLY|OpenNonblock, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f, err := OpenOut(name)
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 1<<20) // more than the kernel keeps
	text[len(text)-1] = '\n'
	ended := make(chan error, 1)
	go func() {
		_, err := f.Write(text)
		ended <- err
	}()
	if line, err := bufio.NewReader(in).ReadString('\n'); err != nil || len(line) != len(text) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
