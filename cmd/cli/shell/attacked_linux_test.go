package shell

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"golem/cmd/cli/shell/confine"
)

// Variables of a test that starts itself again.
const (
	attackerVar = "GOLEM_TEST_ATTACKER" // the built attacker
	tallyVar    = "GOLEM_TEST_TALLY"    // print what was tried
	killedVar   = "GOLEM_TEST_KILLED"   // be a golem that is killed: a mark
)

// nobody is an ordinary user.
const nobody = 65534

// builtAttacker returns the program testdata/attacker, where every user can start it.
func builtAttacker(t *testing.T) string {
	t.Helper()
	if built := os.Getenv(attackerVar); built != "" {
		return built
	}
	out := filepath.Join(open(t), "attacker")
	cmd := exec.Command("go", "build", "-o", out, "./testdata/attacker")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// open returns a new directory that every user can read and write.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "golem-attack-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// kernels returns this kernel as it is, and as older ones would be: with each accepted
// version of Landlock, and with fewer namespaces.
func kernels() map[string]Kernel {
	best := confine.Machine()
	out := map[string]Kernel{}
	for abi := 3; abi <= max(best.ABI, 3); abi++ {
		for name, s := range map[string]confine.Spaces{"pid": best.Spaces, "mounts": {User: best.Spaces.User, Mounts: best.Spaces.Mounts, IPC: best.Spaces.IPC}, "none": {}} {
			k := best
			k.ABI, k.Spaces = abi, s
			out[fmt.Sprintf("landlock %d, %s", abi, name)] = k
		}
	}
	return out
}

// victimOf starts a victim of this user.
func victimOf(t *testing.T, attacker, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(attacker, "victim", dir)
	cmd.Env = []string{"SECRET_OF_THE_VICTIM=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(unix.SIGTERM); _ = cmd.Wait() })
	for {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			return cmd
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// watchThreads reads the threads of this process and of its supervisors until stop is
// called, which returns the walls that one of them carried, and how often it looked.
func watchThreads() (stop func() (walls []string, looks int)) {
	end, done := make(chan struct{}), make(chan struct{})
	var walls []string
	looks := 0
	look := func(pid string) {
		all, _ := filepath.Glob("/proc/" + pid + "/task/*/status")
		for _, name := range all {
			data, _ := os.ReadFile(name)
			looks++
			if text := string(data); strings.Contains(text, "NoNewPrivs:\t1") || strings.Contains(text, "Seccomp:\t2") {
				walls = append(walls, name)
			}
		}
	}
	me := strconv.Itoa(os.Getpid())
	go func() {
		defer close(done)
		for {
			look(me)
			children, _ := filepath.Glob("/proc/" + me + "/task/*/children")
			for _, name := range children {
				data, _ := os.ReadFile(name)
				for _, pid := range strings.Fields(string(data)) {
					if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); string(line) == confine.Name+"\x00" {
						look(pid)
					}
				}
			}
			select {
			case <-end:
				return
			default:
			}
		}
	}()
	return func() ([]string, int) { close(end); <-done; return walls, looks }
}

// survivors returns the processes that still have the mark in their arguments.
func survivors(mark string) []string {
	var out []string
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if data, _ := os.ReadFile(name); strings.Contains(string(data), "\x00sleep\x00"+mark) {
			out = append(out, filepath.Base(filepath.Dir(name)))
		}
	}
	return out
}

var (
	hitLine   = regexp.MustCompile(`(?m)^HIT .*$`)
	triedLine = regexp.MustCompile(`(?m)^TRIED (.*)$`)
)

// tally counts what was tried, over all commands.
type tally struct {
	mu                   sync.Mutex
	tried                map[string]int
	commands, hits, left int
}

func (c *tally) add(t *testing.T, name, output string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands++
	for _, line := range hitLine.FindAllString(output, -1) {
		c.hits++
		t.Errorf("%s: %s", name, line)
	}
	m := triedLine.FindStringSubmatch(output)
	if m == nil {
		t.Errorf("%s: the attack did not come to its end: %s", name, output)
		return
	}
	if c.tried == nil {
		c.tried = map[string]int{}
	}
	for _, f := range strings.Fields(m[1]) {
		kind, n, _ := strings.Cut(f, "=")
		count, _ := strconv.Atoi(n)
		c.tried[kind] += count
	}
}

func (c *tally) String() string {
	out := fmt.Sprintf("uid %d: %d commands, %d hits, %d survivors;", os.Geteuid(), c.commands, c.hits, c.left)
	kinds := make([]string, 0, len(c.tried))
	for kind, n := range c.tried {
		kinds = append(kinds, fmt.Sprintf(" %s %d", kind, n))
	}
	slices.Sort(kinds)
	return out + strings.Join(kinds, ",")
}

// assault runs rounds of attacks: one alone, three beside each other, and one in the
// background, from this process, which is watched all the while.
func assault(t *testing.T, name string, k Kernel, attacker string, rounds int, total *tally) {
	y := newYard(t)
	y.host.Kernel = &k
	if err := os.Chmod(filepath.Dir(y.root), 0o755); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(attacker); err != nil || os.WriteFile(filepath.Join(y.root, "attacker"), data, 0o755) != nil {
		t.Fatal("the attacker cannot be copied", err)
	}
	dir := filepath.Join(y.home, "victim")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	victim := victimOf(t, attacker, dir)
	mark := fmt.Sprintf("mark-%d-%s", os.Getpid(), strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), ",", ""))
	line := fmt.Sprintf("./attacker %d %d %s %s 2>&1", os.Getpid(), victim.Process.Pid, dir, mark)
	stop := watchThreads()
	s := y.open(t, y.whole(t), options{}, false)
	for range rounds {
		total.add(t, name, s.try(t, t.Context(), line).Output)
		var beside sync.WaitGroup
		for range 3 {
			beside.Go(func() {
				out, err := s.run(t.Context(), commandArgs{Command: line})
				if err != nil {
					t.Error(err)
				}
				var res commandResult
				_ = json.Unmarshal(out.Data, &res)
				total.add(t, name, res.Output)
			})
		}
		beside.Wait()
		total.add(t, name, s.background(t, line+"; setsid sleep 600 &"))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if walls, looks := stop(); len(walls) > 0 || looks == 0 {
		t.Errorf("%s: threads of golem or its supervisors carry walls, in %d looks: %q", name, looks, walls)
	}
	if left := survivors(mark); len(left) > 0 {
		total.left += len(left)
		t.Errorf("%s: survivors: %q", name, left)
	}
	if note, err := os.ReadFile(filepath.Join(dir, "hit")); err == nil {
		t.Errorf("%s: the victim got %s", name, note)
	}
	if err := victim.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("%s: the victim has ended: %v", name, err)
	}
}

// background runs a line in the background to its end and returns its output.
func (s *shell) background(t *testing.T, line string) (output string) {
	t.Helper()
	out, err := s.begun(t.Context(), startArgs{line})
	for err == nil {
		var b backgroundResult
		if err = json.Unmarshal(out.Data, &b); err != nil || b.ID == "" {
			break
		}
		if output += b.Output; b.Exit != nil {
			return output
		}
		out, err = s.read(t.Context(), readArgs{b.ID, maxWait})
	}
	t.Error(err)
	return output
}

// Scenario 66, SPEC §8: commands that attack golem, its supervisor and another program of
// the user reach nothing and leave nothing, no thread of golem or a supervisor carries a wall,
// with each version of Landlock and each set of namespaces, as root and as an ordinary user.
func TestAttacked(t *testing.T) {
	attacked(t, 1, func(name string) bool {
		return slices.Contains([]string{"landlock 3, none", "landlock 5, none", "landlock 6, none", "landlock 5, mounts", "landlock 4, pid"}, name) || strings.HasSuffix(name, "pid") && strings.Contains(name, strconv.Itoa(confine.Machine().ABI))
	})
}

// attacked runs the attacks with the kernels that are chosen.
func attacked(t *testing.T, rounds int, chosen func(name string) bool) {
	if !confine.Machine().Files {
		t.Log("nothing to attack: " + confine.Machine().Lacks + confine.Machine().Fails)
		return
	}
	attacker := builtAttacker(t)
	leak, err := os.Open("/etc/hostname") // a descriptor that golem has inherited
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	if _, err := unix.FcntlInt(leak.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	t.Run("as this user", func(t *testing.T) {
		var total tally
		for name, k := range kernels() {
			if !chosen(name) {
				continue
			}
			assault(t, name, k, attacker, rounds, &total)
		}
		if t.Log(total.String()); os.Getenv(tallyVar) != "" {
			fmt.Println("TALLY", total.String())
		}
	})
	if os.Geteuid() == 0 {
		t.Run("as an ordinary user", func(t *testing.T) { asNobody(t, attacker, t.Name()) })
	}
}

// Without walls the attacker succeeds, so that its silence within them means something.
func TestAttackerSucceeds(t *testing.T) {
	attacker := builtAttacker(t)
	dir := open(t)
	victim := victimOf(t, attacker, dir)
	pid := strconv.Itoa(victim.Process.Pid)
	cmd := exec.Command(attacker, pid, pid, dir, "control")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, kind := range []string{"proc", "ptrace", "process_vm", "limits", "pidfd", "signals", "shared", "inotify", "sockets"} {
		if !strings.Contains(string(out), "HIT "+kind+" ") {
			t.Errorf("no hit of the kind %s", kind)
		}
	}
}

// asNobody runs the test that called it once more, as an ordinary user.
func asNobody(t *testing.T, attacker, name string) {
	dir := open(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	copied := filepath.Join(dir, "shell.test")
	if err != nil || os.WriteFile(copied, data, 0o755) != nil {
		t.Fatal("the test cannot be copied", err)
	}
	top, _, _ := strings.Cut(name, "/")
	cmd := exec.Command(copied, "-test.run=^"+top+"$", "-test.v", "-test.timeout=30m")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), attackerVar+"="+attacker, tallyVar+"=1", "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if i := strings.Index(string(out), "TALLY"); i >= 0 {
		line, _, _ := strings.Cut(string(out)[i:], "\n")
		t.Log(line)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
