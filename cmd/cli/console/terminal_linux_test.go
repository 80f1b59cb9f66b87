package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"golem/cmd/cli/ptytest"
)

// patience is how long a test waits for something that must happen.
const patience = 5 * time.Minute

// typed returns a terminal, and a function that types keys on it. After each # among
// the keys, the function waits until the terminal has received it and everything before
// it.
func typed(t *testing.T) (*Terminal, func(string)) {
	t.Helper()
	master, slave := ptytest.Open(t)
	marks := make(chan struct{}, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1024)
		for {
			n, err := master.Read(buf) // what the terminal echoes
			if err != nil {
				return
			}
			for range strings.Count(string(buf[:n]), "#") {
				marks <- struct{}{}
			}
		}
	}()
	t.Cleanup(func() { master.Close(); slave.Close(); <-done })
	return &Terminal{In: slave, Out: slave}, func(keys string) {
		t.Helper()
		if _, err := io.WriteString(master, keys); err != nil {
			t.Fatal(err)
		}
		for range strings.Count(keys, "#") {
			<-marks
		}
	}
}

// answer flushes the input, reads a line as a question does, and types keys meanwhile.
func answer(t *testing.T, tm *Terminal, ctx context.Context, keys func()) (string, error) {
	t.Helper()
	if err := flushInput(tm.In); err != nil {
		t.Fatal(err)
	}
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := tm.readLine(ctx, "")
		got <- result{line, err}
	}()
	keys()
	select {
	case r := <-got:
		return r.line, r.err
	case <-time.After(patience):
		t.Fatal("no answer was read")
		return "", nil
	}
}

// SECURITY 19, scenario 44: a question that is given up ends at once, what is typed for
// it later answers nothing, and the next question gets what is typed after it was
// asked.
func TestLateAnswersAnswerNothing(t *testing.T) {
	tm, keys := typed(t)
	for _, late := range []string{"y\n#", "y#", "y\x04#", "y\ny\ny\n#", ""} {
		ctx, cancel := context.WithCancel(t.Context())
		if line, err := answer(t, tm, ctx, func() { keys("half#"); cancel() }); !errors.Is(err, context.Canceled) {
			t.Fatalf("given up: %q, %v", line, err)
		}
		keys(late)
		if line, err := answer(t, tm, t.Context(), func() { keys("no thanks\n") }); err != nil || line != "no thanks" {
			t.Fatalf("after a late %q the next answer is %q, %v", late, line, err)
		}
	}
}

// A line may come in pieces, and end with the end of input.
func TestAnswersInPieces(t *testing.T) {
	tm, keys := typed(t)
	for _, c := range []struct{ keys, want string }{{"y\n", "y"}, {"ye\x04s\n", "yes"}, {"\n", ""}, {"n why\r\n", "n why"}, {"y\x04\x04", "y"}} {
		if line, err := answer(t, tm, t.Context(), func() { keys(c.keys) }); err != nil || line != c.want {
			t.Errorf("%q gave %q, %v", c.keys, line, err)
		}
	}
	if line, err := answer(t, tm, t.Context(), func() { keys("\x04") }); err != io.EOF {
		t.Errorf("the end of input gave %q, %v", line, err)
	}
}

// SECURITY 9: what was typed ahead, and the end of a line that was begun before, is not the
// answer to a hidden prompt either.
func TestHiddenInputTakesNothingTypedAhead(t *testing.T) {
	for _, ahead := range []string{"", "y\n#", "and also#", "one\ntwo#"} {
		tm, keys := typed(t)
		keys(ahead)
		got := make(chan string, 1)
		go func() {
			text, _ := ReadHidden(tm.In, tm.Out, "Password: ")
			got <- text
		}()
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			state, err := unix.IoctlGetTermios(int(tm.In.Fd()), getModes)
			if err == nil && state.Lflag&unix.ECHO == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the prompt shows what is typed")
			}
		}
		if begun := ahead != "" && !strings.HasSuffix(ahead, "\n"); begun {
			keys(" the rest\n")
		}
		keys("secret\n")
		if text := <-got; text != "secret" {
			t.Errorf("%q typed ahead: %q", ahead, text)
		}
	}
}
