//go:build unix

package faults

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// clocks plays a batch whose producer, workers and server have clocks that are an hour or more
// apart, and kills a worker. Others must get its items after its lease, not an hour later, and a
// worker that is alive must lose none.
func clocks(p Plan) (string, error) {
	hour := int(time.Hour / time.Second)
	p.clocks = clocksOff{queue: -hour, producer: hour, workers: []int{0, hour, -hour}}
	q, err := p.shifted()
	if err != nil {
		return "", err
	}
	began := time.Now()
	seen, err := p.farmedOn(q, p.Jobs, func(f *farm, _ *queue, workers []*exec.Cmd) (string, error) {
		if err := f.asks(2 * p.Jobs); err != nil {
			return "", err
		}
		return "their clocks and the server's were an hour apart, and one was killed", workers[1].Process.Kill()
	}, "--limit", "cost=1000000")
	if took := time.Since(began); err == nil && took > time.Hour/2 {
		err = fmt.Errorf("it took %s: golem waited for a clock", took)
	}
	return seen, err
}

// clockBack plays a batch whose server and all workers but one are killed together, and whose
// server starts again with a clock that is minutes behind the one that it had. The one must get the
// items of the others after their lease, not minutes later.
func clockBack(p Plan) (string, error) {
	const back = 4 * time.Minute
	p.clocks = clocksOff{queue: int(back / time.Second)}
	q, err := p.shifted()
	if err != nil {
		return "", err
	}
	var began time.Time
	seen, err := p.farmedOn(q, (p.Machines-1)*p.Jobs, func(f *farm, q *queue, workers []*exec.Cmd) (string, error) {
		if err := f.asks(p.Machines * p.Jobs * 2); err != nil {
			return "", err
		}
		began = time.Now()
		q.stop()
		q.clock = 0
		for _, w := range workers[1:] {
			if err := w.Process.Kill(); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("the server and all but one were killed, and the server's clock was %s earlier when it started again", back), q.start(0)
	}, "--limit", "cost=1000000")
	took := time.Since(began).Round(time.Second)
	if err == nil && took > back/2 {
		err = fmt.Errorf("it took %s more: golem waited for the clock", took)
	}
	return fmt.Sprintf("%s; it took %s more", seen, took), err
}

// shifted lets the plan run programs whose clocks can be off, and gives its requests a price,
// because a purse has times, too. It returns a server of these programs.
func (p *Plan) shifted() (*queue, error) {
	build, err := filepath.Abs(filepath.Join(p.Dir, "clocks"))
	if err != nil {
		return nil, err
	}
	if err := buildShifted(build); err != nil {
		return nil, err
	}
	p.Golem, p.Env = filepath.Join(build, "cli"), nil
	p.Machines, p.Delay = 3, max(p.Delay, 50*time.Millisecond) // so that a worker works when it is killed
	p.In, p.Out = 1000, 100
	p.Config = "providers: {openai: {models: {mock: {price: {input: 1000, output: 1000}}}}}\n"
	return &queue{dir: filepath.Join(p.Dir, "queue"), program: filepath.Join(build, "golem-queue"), clock: p.clocks.queue}, nil
}

// clocksOff says by how many seconds the clocks of a plan are off.
type clocksOff struct {
	queue, producer int
	workers         []int
}

// worker returns how far the clock of a worker is off.
func (c clocksOff) worker(n int) int {
	if n < len(c.workers) {
		return c.workers[n]
	}
	return 0
}

// clockVariable says to a golem that buildShifted made how many seconds its clock is off.
const clockVariable = "FAULTS_CLOCK"

func setClock(cmd *exec.Cmd, seconds int) {
	if seconds != 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", clockVariable, seconds))
	}
}

// shift is a file for the package time of Go's standard library.
const shift = `package time

import "syscall"

var faultsShift = func() (n int64) {
	text, _ := syscall.Getenv("` + clockVariable + `")
	sign := int64(1)
	for _, r := range text {
		if r == '-' {
			sign = -1
		} else {
			n = n*10 + int64(r-'0')
		}
	}
	return n * sign
}()
`

// buildShifted builds golem and golem-queue into a directory with another standard library: the
// wall clock is off by as many seconds as clockVariable says. What the time has to do with a
// machine's own clock runs as always: how long something takes does not change.
func buildShifted(dir string) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	data, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return err
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	text := string(data)
	if strings.Count(text, reads) != 1 {
		return errors.New("this version of Go reads the clock in another way: change buildShifted")
	}
	files := map[string]string{
		"time.go":   strings.Replace(text, reads, reads+"\tsec += faultsShift\n", 1),
		"faults.go": shift,
	}
	overlay := map[string]map[string]string{"Replace": {}}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
		overlay["Replace"][filepath.Join(source, name)] = file
	}
	if data, err = json.Marshal(overlay); err != nil {
		return err
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, data, 0o644); err != nil {
		return err
	}
	if said, err := exec.Command("go", "build", "-overlay", list, "-o", dir+string(filepath.Separator), "golem/cmd/cli", "golem/cmd/golem-queue").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// startProgram starts the server as a program of its own.
func (q *queue) startProgram() error {
	at := cmp.Or(strings.TrimPrefix(q.url, "nats://"), "127.0.0.1:0")
	q.process = exec.Command(q.program, "--addr", at, "--dir", q.dir)
	q.process.Env = os.Environ()
	setClock(q.process, q.clock)
	said, err := q.process.StderrPipe()
	if err == nil {
		err = q.process.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if url, _, found := strings.Cut(strings.TrimPrefix(lines.Text(), "golem-queue: "), ", store in"); found {
			q.url = url
			go func() {
				for lines.Scan() { // so that the server can go on to write
					continue
				}
			}()
			return nil
		}
	}
	q.stop()
	return errors.New("the server does not start")
}
