package ptytest

import (
	"io"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// Screen returns a terminal in memory with these columns and rows, after out was written to it.
func Screen(t testing.TB, out string, columns, rows int) *vt.Emulator {
	t.Helper()
	e := vt.NewEmulator(columns, rows)
	answers := make(chan struct{}) // to questions about the terminal, which nobody reads
	go func() {
		defer close(answers)
		_, _ = io.Copy(io.Discard, e)
	}()
	_, err := e.WriteString(out)
	e.InputPipe().(io.Closer).Close() // Close of the terminal is for the goroutine that reads
	<-answers
	if err != nil {
		t.Fatal(err)
	}
	return e
}
