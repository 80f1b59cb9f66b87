//go:build unix

package faults

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// machinesWorker asks nobody: what asks on another machine would wait for an answer.
const machinesWorker = `---
model: openai:mock
toolsets: {filesystem: {approval: {default: preApproved}}}
limits: {turns: 100}
---
Do as you are told.
`

// machines plays the batch with several golem workers, which are killed together, and with a
// server that is killed now and then. Without kills it measures how long the workers need.
func machines(p Plan) (string, error) {
	p.Remote = true
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	q := &queue{dir: filepath.Join(p.Dir, "queue"), program: filepath.Join(p.Dir, "golem-queue")}
	if said, err := exec.Command("go", "build", "-o", q.program, "golem/cmd/golem-queue").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	if err := q.start(0); err != nil {
		return "", err
	}
	defer func() { q.stop() }()
	began := time.Now()
	token, ended, err := begun(p.producer(m, q))
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.url, random: rand.New(rand.NewPCG(p.Seed, 0)), ended: ended}
	var r Report
	queueKills := 0
	for ; r.Kills < p.Kills && !f.done; r.Kills++ {
		if err := f.round(); err != nil {
			return "", err
		}
		if r.Kills%queueLives == queueLives-1 {
			queueKills++
			q.stop()
			if err := q.start(0); err != nil {
				return "", err
			}
		}
	}
	if err := f.toEnd(); err != nil {
		return "", err
	}
	r.Took = time.Since(began)
	r.Requests, r.Twice = m.counts()
	if err := p.compare(&r); err != nil {
		return "", err
	}
	r.Kills *= p.Machines // golems that were killed
	seen := fmt.Sprintf("%d workers, the server killed %d times: %s", p.Machines, queueKills, strings.TrimSuffix(r.Text(p), "\n"))
	if !r.Good(p) {
		err = errors.New(seen)
	}
	return seen, err
}

// queueLives is after how many rounds of kills the server is killed.
const queueLives = 6

// producer returns the command that begins the batch on a server, with more words.
func (p Plan) producer(m *model, q *queue, more ...string) *exec.Cmd {
	cmd := p.command(append([]string{"batch", "p", "--inputs", "in.jsonl", "--key", "id", "--name", hardBatch, "--queue", q.url, "--lease", "1s", "--quiet"}, more...)...)
	cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+m.url, "OPENAI_API_KEY=mock-key-of-no-use")
	setClock(cmd, p.clocks.producer)
	return cmd
}

// queue is a NATS server, in this process or a program of its own.
type queue struct {
	dir  string
	host string // "": 127.0.0.1
	most int64  // bytes of its store; 0: three quarters of the disk
	s    *server.Server
	url  string
	// program is golem-queue, if the server is a process of its own; clock is by how many seconds
	// its clock is off.
	program string
	clock   int
	process *exec.Cmd
}

func (q *queue) port() int { return q.s.Addr().(*net.TCPAddr).Port }

// start starts the server at a port; a program starts at any free one, and later at the same.
func (q *queue) start(port int) (err error) {
	if q.program != "" {
		return q.startProgram()
	}
	q.s, err = server.NewServer(&server.Options{Host: cmp.Or(q.host, "127.0.0.1"), Port: port, JetStream: true, StoreDir: q.dir, JetStreamMaxStore: q.most, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	q.s.Start()
	if !q.s.ReadyForConnections(time.Minute) {
		return errors.New("the server does not start")
	}
	q.url = q.s.ClientURL()
	return nil
}

func (q *queue) stop() {
	if q.process != nil {
		_ = q.process.Process.Kill()
		_ = q.process.Wait() // it was killed
		return
	}
	q.s.Shutdown()
	q.s.WaitForShutdown()
}

var joinToken = regexp.MustCompile(`GOLEM_JOIN=(\S+)`)

// begun starts the producer and returns the token of its batch. ended gets how it ended; an error
// has what it said at last.
func begun(cmd *exec.Cmd) (token string, ended <-chan error, err error) {
	cmd.Stderr = nil
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	lines := bufio.NewScanner(said)
	for token == "" && lines.Scan() {
		if found := joinToken.FindStringSubmatch(lines.Text()); found != nil {
			token = found[1]
		}
	}
	all := make(chan error, 1)
	go func() {
		var last []string
		for lines.Scan() {
			last = append(last[max(0, len(last)-9):], lines.Text())
		}
		err := cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%w, and said at last:\n%s", err, strings.Join(last, "\n"))
		}
		all <- err
	}()
	if token == "" {
		return "", nil, fmt.Errorf("golem batch --queue ended: %w", <-all)
	}
	return token, all, nil
}

// farm has the workers of a batch.
type farm struct {
	plan       Plan
	model      *model
	token, url string
	random     *rand.Rand
	ended      <-chan error // of the producer
	done       bool         // the producer has ended
	hosts      *network     // where the workers are, behind the producer; nil: all on one
	twins      []*exec.Cmd  // workers beside those of the plan
	said       heard        // by the workers
}

// start starts the workers.
func (f *farm) start() (workers []*exec.Cmd, err error) {
	for n := range f.plan.Machines {
		cmd, err := f.worker(n)
		if err != nil {
			return workers, err
		}
		workers = append(workers, cmd)
	}
	return workers, nil
}

// worker starts the worker of a machine.
func (f *farm) worker(n int) (*exec.Cmd, error) {
	home := filepath.Join(f.plan.Dir, fmt.Sprint("machine", n))
	if f.plan.Config != "" {
		if err := os.MkdirAll(home, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(f.plan.Config), 0o644); err != nil {
			return nil, err
		}
	}
	cmd := f.plan.command("worker", f.url, "--quiet", "--jobs", fmt.Sprint(f.plan.Jobs))
	cmd.Stderr = &f.said
	cmd.Env = append(cmd.Env, "GOLEM_JOIN="+f.token, "GOLEM_HOME="+home, "OPENAI_BASE_URL="+f.model.url, "OPENAI_API_KEY=mock-key-of-no-use")
	setClock(cmd, f.plan.clocks.worker(n))
	if f.hosts != nil {
		if err := f.hosts.at(2+n, cmd); err != nil {
			return nil, err
		}
	}
	return cmd, cmd.Start()
}

// round runs the workers and kills them some time after they first asked, unless the batch ends
// before.
func (f *farm) round() error {
	before, _ := f.model.counts()
	workers, err := f.start()
	if err != nil {
		return err
	}
	defer func() {
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait() // it was killed
		}
		f.model.died()
	}()
	wait := func(until func() bool) error {
		for !until() {
			select {
			case err := <-f.ended:
				f.done = true
				return err
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	}
	asked := func() bool {
		now, _ := f.model.counts()
		return now > before
	}
	if err := wait(asked); err != nil || f.done {
		return err
	}
	end := time.Now().Add(time.Duration(f.random.Int64N(int64(f.plan.Alive))))
	if err := wait(func() bool { return time.Now().After(end) }); err != nil || f.done {
		return err
	}
	return wait(f.model.progresses)
}

// toEnd runs the workers until the batch has ended.
func (f *farm) toEnd() error {
	if f.done {
		return nil
	}
	workers, err := f.start()
	if err != nil {
		return err
	}
	for _, w := range workers {
		defer func() { _ = w.Process.Kill(); _ = w.Wait() }()
	}
	return <-f.ended
}
