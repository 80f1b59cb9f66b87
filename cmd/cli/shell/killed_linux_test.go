package shell

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Nothing outlives golem killed with -9: not what left its session, nor what holds the
// supervisor's pipe open.
func TestKilled(t *testing.T) {
	if mark := os.Getenv(killedVar); mark != "" {
		beKilled(t, mark)
		return
	}
	killed(t, 1, func(name string) bool {
		return name == "landlock 3, none" || name == "landlock 6, none" || strings.HasSuffix(name, "pid")
	})
}

func killed(t *testing.T, rounds int, chosen func(name string) bool) {
	attacker := builtAttacker(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range rounds {
		for name := range kernels() {
			if !chosen(name) {
				continue
			}
			mark := fmt.Sprintf("killed-%d-%d-%s", os.Getpid(), round, strings.ReplaceAll(name, " ", "-"))
			cmd := exec.Command(program, "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), killedVar+"="+mark+"="+name, attackerVar+"="+attacker, "TMPDIR="+t.TempDir()) // a killed process removes nothing
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 1)); err != nil || len(survivors(mark)) == 0 {
				t.Fatal("nothing runs that could survive", err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			for end := time.Now().Add(2 * time.Minute); len(survivors(mark)) > 0 && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			if left := survivors(mark); len(left) > 0 {
				t.Errorf("%s: survivors: %q", name, left)
			}
		}
	}
}

// beKilled is the golem that is killed. It writes a byte when its commands run.
func beKilled(t *testing.T, mark string) {
	mark, name, _ := strings.Cut(mark, "=")
	k, ok := kernels()[name]
	if !ok {
		t.Fatal(name)
	}
	attacker := os.Getenv(attackerVar)
	y := newYard(t)
	y.host.Kernel = &k
	y.host.Env["PATH"] += ":" + filepath.Dir(attacker)
	s := y.open(t, y.whole(t), options{}, false)
	for i, line := range []string{
		"setsid attacker sleep M & wait", "(setsid attacker sleep M &) ; touch 1; sleep 600", "exec 3<>/proc/$PPID/fd/0 4<>/proc/1/fd/0; attacker sleep M", "sh -c 'exec 3<>/proc/$PPID/fd/0; trap \"\" TERM; attacker sleep M'",
	} {
		if _, err := s.begun(t.Context(), startArgs{strings.ReplaceAll(line, "M", fmt.Sprintf("%s-%d", mark, i))}); err != nil {
			t.Fatal(err)
		}
	}
	for len(survivors(mark)) < 3 {
		time.Sleep(5 * time.Millisecond)
	}
	fmt.Print("x")
	select {}
}
