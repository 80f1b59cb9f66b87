package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// A screen on which nothing moves takes no processor time: golem sleeps, until the next key.
func TestScreenSleeps(t *testing.T) {
	t.Parallel()
	r := startPTY(t, screenProject(t), nil, false)
	r.sees("/help lists the commands")
	for _, text := range []string{"first", "second"} {
		if !waitFor(func() bool {
			before := switches(t, r.cmd.Process.Pid)
			time.Sleep(300 * time.Millisecond)
			return switches(t, r.cmd.Process.Pid)-before < 6 // 18 frames and more if it draws
		}) {
			t.Fatal("the screen is drawn though nothing moves")
		}
		r.typeKeys(text)
		r.sees(text)
	}
	r.typeKeys("\x15/exit\r")
	r.exit(0)
}

// switches returns how often the threads of a process began to wait.
func switches(t *testing.T, pid int) (all int) {
	t.Helper()
	names, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		n, err := strconv.Atoi(regexp.MustCompile(`(?m)^voluntary_ctxt_switches:\s*(\d+)`).FindStringSubmatch(string(data))[1])
		if err != nil {
			t.Fatal(err)
		}
		all += n
	}
	return all
}
