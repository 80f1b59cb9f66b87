//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// queueServer is a NATS server in this process.
type queueServer struct {
	t   *testing.T
	dir string // of its store
	s   *server.Server
}

// start starts the server; at port 0 at any free one.
func (q *queueServer) start(port int) {
	q.t.Helper()
	if port == 0 {
		port = server.RANDOM_PORT
	}
	var err error
	q.s, err = server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: q.dir, NoSigs: true, NoLog: true})
	if err != nil {
		q.t.Fatal(err)
	}
	q.s.Start()
	if !q.s.ReadyForConnections(patience) {
		q.t.Fatal("the server does not start")
	}
}

func (q *queueServer) stop() {
	q.s.Shutdown()
	q.s.WaitForShutdown()
}

// farm is a directory with a project and inputs, the machine of a batch's producer.
type farm struct {
	t     *testing.T
	dir   string
	url   string
	queue *queueServer
}

func newFarm(t *testing.T, approval string, items int) *farm {
	t.Helper()
	f := &farm{t: t, dir: t.TempDir(), queue: &queueServer{t: t, dir: filepath.Join(t.TempDir(), "store")}}
	f.queue.start(0)
	t.Cleanup(func() { f.queue.stop() })
	f.url = f.queue.s.ClientURL()
	var inputs strings.Builder
	for n := range items {
		fmt.Fprintf(&inputs, "{\"id\": \"i%d\", \"text\": \"input %d\"}\n", n, n)
	}
	for name, text := range map[string]string{
		"in.jsonl":      inputs.String(),
		"p/main.worker": "---\nmodel: script:s.yaml\ntoolsets: {filesystem: {approval: {default: " + approval + "}}}\n---\nWrite.\n",
		"p/s.yaml": `script: 1
workers:
  main:
    - calls: [{tool: write_file, args: {path: /a.txt, content: one}}]
    - calls: [{tool: write_file, args: {path: /b/c.txt, content: two}}]
    - calls: [{tool: read_file, args: {path: /a.txt}}]
    - say: it is done
`,
	} {
		f.write(name, text)
	}
	return f
}

func (f *farm) write(name, text string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// command returns a golem of a machine, which has a GOLEM_HOME of its own.
func (f *farm) command(machine string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.SysProcAttr = f.dir, &syscall.SysProcAttr{Setsid: true} // no terminal: nobody is asked
	cmd.Env = append(os.Environ(), asGolem+"=1", "GOLEM_HOME="+filepath.Join(f.dir, "home", machine), "GOLEM_MODEL=", "GOLEM_APPROVAL=", "GOLEM_JOIN=", "GOLEM_QUEUE_TOKEN=", "OPENAI_API_KEY=sk-of-this-machine")
	return cmd
}

// begun is a process with what it says.
type begun struct {
	cmd   *exec.Cmd
	lines chan string
	all   bytes.Buffer
}

func (f *farm) begin(cmd *exec.Cmd) *begun {
	f.t.Helper()
	b := &begun{cmd: cmd, lines: make(chan string, 1000)}
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = cmd.Process.Kill() })
	go func() {
		defer close(b.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			b.all.WriteString(s.Text() + "\n")
			b.lines <- s.Text()
		}
	}()
	return b
}

// until waits for a line with a text, n times, and returns the last one.
func (b *begun) until(t *testing.T, text string, n int) string {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		select {
		case line, more := <-b.lines:
			if !more {
				t.Fatalf("it ended without %q:\n%s", text, &b.all)
			}
			if strings.Contains(line, text) {
				if n--; n == 0 {
					return line
				}
			}
		case <-late.C:
			t.Fatalf("no %q", text)
		}
	}
}

// end waits for the end of the process and checks its exit code.
func (b *begun) end(t *testing.T, want int) {
	t.Helper()
	stop := time.AfterFunc(patience, func() { _ = b.cmd.Process.Kill() })
	defer stop.Stop()
	for range b.lines {
		continue
	}
	_ = b.cmd.Wait()
	if got := b.cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("exit code %d, want %d:\n%s", got, want, &b.all)
	}
}

var joinToken = regexp.MustCompile(`golem1\.\S+`)

// worker begins a golem worker of another machine.
func (f *farm) worker(machine, token string, args ...string) *begun {
	f.t.Helper()
	cmd := f.command(machine, append([]string{"worker", f.url, "--jobs", "2"}, args...)...)
	cmd.Env = append(cmd.Env, "GOLEM_JOIN="+token)
	return f.begin(cmd)
}

// results returns the results of a directory of outputs without what differs between two runs,
// and the files of the items.
func (f *farm) results(out string) (lines []map[string]any, files map[string]string) {
	f.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, out, "results.jsonl"))
	if err != nil {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			f.t.Fatal(err)
		}
		delete(r, "ms")
		delete(r, "attempt")
		lines = append(lines, r)
	}
	files = map[string]string{}
	names, _ := filepath.Glob(filepath.Join(f.dir, out, "i*", "*"))
	deep, _ := filepath.Glob(filepath.Join(f.dir, out, "i*", "*", "*"))
	for _, name := range append(names, deep...) {
		if data, err := os.ReadFile(name); err == nil {
			rel, _ := filepath.Rel(filepath.Join(f.dir, out), name)
			files[rel] = string(data)
		}
	}
	return lines, files
}
