package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golem/cmd/cli/shell"
)

// Scenario 66: golem itself, run with --json and in a chat, with commands one after the other,
// three beside each other in the background, and one in front of them, as root and as an
// ordinary user. All the while another process reads golem's threads and those of what it
// starts: none of golem carries a wall, and no command reaches golem.
func TestWallsFromOutside(t *testing.T) { wallsFromOutside(t, 1) }

// wallsFromOutside runs golem so many times in each way, for each user.
func wallsFromOutside(t *testing.T, rounds int) {
	if !shell.Confines() {
		t.Log("nothing is confined here")
		return
	}
	dir, err := os.MkdirTemp("/tmp", "golem-walls-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	attacker, golem := filepath.Join(dir, "attacker"), filepath.Join(dir, "golem")
	build := exec.Command("go", "build", "-o", attacker, "./shell/testdata/attacker")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil || os.WriteFile(golem, data, 0o755) != nil || os.Chmod(dir, 0o777) != nil {
		t.Fatal("golem cannot be copied", err)
	}
	uids := []uint32{uint32(os.Geteuid())}
	if os.Geteuid() == 0 {
		uids = append(uids, 65534)
	}
	for _, uid := range uids {
		for _, args := range [][]string{{"run", ".", "go", "--json"}, {"chat", ".", "--plain"}} {
			t.Run(fmt.Sprintf("uid %d, %s", uid, args[0]), func(t *testing.T) {
				for range rounds {
					fromOutside(t, dir, uid, args)
				}
			})
		}
	}
}

// wallScript are the turns of the worker. sh attack.sh is the attack; read_command waits for its end.
const wallScript = `script: 1
workers:
  main:
    - calls: [{tool: start_command, args: {command: "sh attack.sh first; sleep 600"}}]
    - calls: [{tool: start_command, args: {command: "sh attack.sh second; sleep 600"}}]
    - calls: [{tool: start_command, args: {command: "sh attack.sh third; sleep 600"}}]
    - calls: [{tool: run_command, args: {command: "sh attack.sh fourth"}}]
    - calls: [{tool: run_command, args: {command: "until [ -e first ] && [ -e second ] && [ -e third ]; do sleep 0.02; done"}}]
    - calls: [{tool: read_command, args: {id: "1"}}]
    - calls: [{tool: read_command, args: {id: "2"}}]
    - calls: [{tool: read_command, args: {id: "3"}}]
    - say: done
`

func fromOutside(t *testing.T, dir string, uid uint32, args []string) {
	at, err := os.MkdirTemp(dir, "p")
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(at, "project"), filepath.Join(at, "home")
	data, err := os.ReadFile(filepath.Join(dir, "attacker"))
	if err != nil || os.Mkdir(project, 0o755) != nil || os.Mkdir(home, 0o755) != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("outside-%d-%s-%d", uid, args[0], os.Getpid())
	attack := fmt.Sprintf("until [ -s pid ]; do sleep 0.01; done\n./attacker $(cat pid) $(cat pid) %s %s 2>&1 | cat > $1.txt\ntouch $1\n", home, mark)
	files := map[string]string{
		"main.worker": "---\nmodel: script:s.yaml\ntoolsets: {shell: {}}\nlimits: {tool_timeout: 2m}\n---\nGo.\n",
		"s.yaml":      wallScript,
		"attacker":    string(data),
		"attack.sh":   attack,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(project, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{at, project, home} {
		if err := os.Chown(name, int(uid), int(uid)); err != nil && os.Geteuid() == 0 {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(dir, "golem"), append(args, "--approve-all")...)
	cmd.Dir = project
	cmd.Env = []string{asGolem + "=1", "HOME=" + home, "GOLEM_HOME=" + filepath.Join(home, "golem"), "PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp", "OPENAI_API_KEY=the-key-of-the-person"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	cmd.Stdin = strings.NewReader("go\n")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o644); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	looks, walls := 0, []string(nil)
	for running := true; running; {
		select {
		case err := <-ended:
			if running = false; err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
		default:
			n, found := threadsWithWalls(cmd.Process.Pid)
			looks, walls = looks+n, append(walls, found...)
		}
	}
	if len(walls) > 0 || looks == 0 {
		t.Errorf("threads with walls in %d looks: %q", looks, walls)
	}
	for _, name := range []string{"first", "second", "third", "fourth"} {
		said, err := os.ReadFile(filepath.Join(project, name+".txt"))
		if err != nil || strings.Contains(string(said), "HIT") || !strings.Contains(string(said), "TRIED") {
			t.Errorf("%s: %s %v\n%s", name, said, err, out.String())
		}
	}
	for end := time.Now().Add(2 * time.Minute); len(marked(mark)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("survivors: %q", marked(mark))
		}
	}
}

// threadsWithWalls looks at golem's threads and at those of its supervisors.
func threadsWithWalls(pid int) (looks int, walls []string) {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range children {
		data, _ := os.ReadFile(name)
		for _, child := range strings.Fields(string(data)) {
			if line, _ := os.ReadFile("/proc/" + child + "/cmdline"); string(line) == "golem-command\x00" {
				more, _ := filepath.Glob("/proc/" + child + "/task/*/status")
				names = append(names, more...)
			}
		}
	}
	for _, name := range names {
		data, _ := os.ReadFile(name)
		if text := string(data); strings.Contains(text, "NoNewPrivs:\t1") || strings.Contains(text, "Seccomp:\t2") {
			walls = append(walls, name)
		}
	}
	return len(names), walls
}

// marked returns the processes that have the mark as an argument.
func marked(mark string) []string {
	var out []string
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if data, _ := os.ReadFile(name); strings.Contains(string(data), "\x00"+mark) {
			out = append(out, name)
		}
	}
	return out
}
