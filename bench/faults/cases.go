//go:build unix

package faults

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Case is one fault that a batch must bear.
type Case struct {
	Name  string
	About string // what happens
	play  player
}

// player plays a case, and returns what is to be seen in the table.
type player interface {
	play(p Plan) (seen string, err error)
}

type played func(p Plan) (string, error)

func (f played) play(p Plan) (string, error) { return f(p) }

// Cases are all cases, in the order of the table.
var Cases = []Case{
	{"kill", "kill -9 at random times", played(kills)},
	{"large", "kill -9 at random times, and each item writes a file of 1 MB", played(large)},
	{"staged", "kill -9 at random times, and each item writes to a mount that waits for a person", played(staged)},
	{"machines", "several golem workers run the batch; kill -9 of all of them at random times, and of the server each 6th time", played(machines)},
	{"poison", "one input kills golem each time", played(poison)},
	{"refused", "the provider answers 429 with Retry-After: 1 to everything, for a while", played(refused)},
	{"refusals", "the same, to several golem workers", played(refusedMachines)},
	{"fullqueue", "the queue has no room any more, and then has room again", played(fullQueue)},
	{"cutoff", "a golem worker stands still for longer than its lease, and comes back", played(cutOff)},
	{"onekey", "two golem workers have the same key, and one of them is killed", played(oneKey)},
	{"hostile", "a golem worker without a lease appends to the items of others", played(hostileWorker)},
	{"clocks", "the clocks of the producer, the workers and the server are an hour apart, and a worker is killed", played(clocks)},
	{"clockback", "the server and all golem workers but one are killed, and the server's clock is minutes earlier when it starts again", played(clockBack)},
	{"hosts", "the producer and two golem workers are hosts of their own, and one is cut off for longer than its lease", played(hostsApart)},
	{"full", "the disk with GOLEM_HOME is full, and then has room again", played(fullDisk)},
	{"budget", "the budget is reached in the middle, with kill -9 before", played(budget)},
	{"budgets", "the budget of a batch on several machines is reached in the middle, with kill -9 of workers before", played(budgetOfMachines)},
	{"interrupt", "Ctrl+C in the middle", played(interrupted)},
	{"inputs", "lines are added, removed, put back and changed", played(inputs)},
	{"pack", "the project changes in the middle", played(changedPack)},
	{"scalefarm", "a scripted worker, one request an item, on 1, 2, 4 and 8 golem workers", played(scaleFarm)},
	{"scale", "a scripted worker, one request an item", played(scale)},
}

// Play plays a case in an empty directory. An error says what is not as it must be.
func (c Case) Play(p Plan) (seen string, err error) { return c.play.play(p) }

func kills(p Plan) (string, error) {
	r, err := p.Play()
	if err == nil && !r.Good(p) {
		err = errors.New(r.Text(p))
	}
	return strings.TrimSuffix(r.Text(p), "\n"), err
}

func large(p Plan) (string, error) {
	p.Items, p.Kills, p.Large, p.Turns = min(p.Items, 100), min(p.Kills, 30), 1<<20, 5
	return kills(p)
}

// hurt runs the batch and gives it to do, which may end it. It returns its exit code; -1: it was
// killed.
func (p Plan) hurt(m *model, do func(cmd *exec.Cmd), more ...string) (code int, said string, err error) {
	cmd := p.run(m, hardBatch, more...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	if do != nil {
		do(cmd)
	}
	err = cmd.Wait()
	exit := new(exec.ExitError)
	if errors.As(err, &exit) {
		err = nil
	}
	return cmd.ProcessState.ExitCode(), stderr.String(), err
}

// same compares the results and files with those of the undisturbed batch, and refuses more than
// most requests that were made again.
func (p Plan) same(m *model, most int) error {
	var r Report
	if err := p.compare(&r); err != nil {
		return err
	}
	r.Requests, r.Twice = m.counts()
	if r.Lost+r.Doubled+r.Failed+len(r.Differs) > 0 || r.Twice > most {
		r.Kills = 1
		return errors.New(r.Text(p))
	}
	return nil
}

func poison(p Plan) (string, error) {
	p.Items, p.Turns = min(p.Items, 40), 3
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	const item = "item-7"
	var golem atomic.Int64
	m.watch(func(_ http.ResponseWriter, of string) bool {
		if of != item {
			return true
		}
		pid := golem.Load()
		for ; pid == 0; pid = golem.Load() { // it asks before its process is known
			time.Sleep(time.Millisecond)
		}
		_ = syscall.Kill(int(pid), syscall.SIGKILL) // it waits for the answer
		return false
	})
	runs := 0
	for ; runs < 10; runs++ {
		code, _, err := p.hurt(m, func(cmd *exec.Cmd) { golem.Store(int64(cmd.Process.Pid)) })
		golem.Store(0)
		if err != nil {
			return "", err
		}
		if code >= 0 {
			break
		}
		m.died()
	}
	var r Report
	if err := p.compare(&r); err != nil {
		return "", err
	}
	_, r.Twice = m.counts()
	if r.Lost+r.Doubled > 0 || r.Failed != 1 || runs != 3 || !strings.HasPrefix(r.Differs[0], item+" is error") || !strings.Contains(r.Differs[0], "E_INTERRUPTED") {
		return "", fmt.Errorf("golem died %d times: %s", runs, r.Text(p))
	}
	return fmt.Sprintf("%d items: golem died %d times, %s ended as E_INTERRUPTED, the others are ok", p.Items, runs, item), nil
}

func refused(p Plan) (string, error) {
	p.Items, p.Turns, p.Jobs = min(p.Items, 30), 3, 8
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	no := m.refuse(p.Storm)
	code, said, err := p.hurt(m, nil)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d: %s", code, said)
	}
	if err == nil {
		err = p.same(m, int(no.Load()))
	}
	if most := int64(p.Storm/time.Second) + int64(p.Jobs) + 1; err == nil && no.Load() > most {
		err = fmt.Errorf("%d requests came while the provider refused, and %d are enough", no.Load(), most)
	}
	return fmt.Sprintf("%d items, %d jobs: refused for %s, %d requests meanwhile, lost 0, failed 0", p.Items, p.Jobs, p.Storm, no.Load()), err
}

// refuse answers 429 for a time, and returns how often it did.
func (m *model) refuse(storm time.Duration) *atomic.Int64 {
	no := new(atomic.Int64)
	until := time.Now().Add(storm)
	m.watch(func(w http.ResponseWriter, _ string) bool {
		if time.Now().After(until) {
			return true
		}
		no.Add(1)
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"error": {"message": "slow down"}}`, http.StatusTooManyRequests)
		return false
	})
	return no
}

func interrupted(p Plan) (string, error) {
	p.Items = min(p.Items, 60)
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	stops := 0
	for ; ; stops++ {
		code, said, err := p.hurt(m, func(cmd *exec.Cmd) {
			if stops < 3 {
				m.await(p.Items * p.Turns / 8)
				_ = cmd.Process.Signal(os.Interrupt) // it may have ended
			}
		})
		if err != nil {
			return "", err
		}
		if code == 0 {
			break
		}
		if code != 130 || !strings.Contains(said, "the same command goes on") {
			return "", fmt.Errorf("exit code %d: %s", code, said)
		}
	}
	_, twice := m.counts()
	return fmt.Sprintf("%d items: %d times Ctrl+C, exit code 130; asked twice %d (at most %d)", p.Items, stops, twice, stops*p.Jobs), p.same(m, stops*p.Jobs)
}

// files returns how many files a directory has, with all below it, and their bytes.
func files(dir string) (n int, size int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return n, size
}

func scale(p Plan) (string, error) {
	var out []string
	for _, items := range p.Scales {
		q := p
		q.Items, q.Dir = items, filepath.Join(p.Dir, strconv.Itoa(items))
		if err := q.scripted(); err != nil {
			return "", err
		}
		m := newModel(q)
		defer m.close()
		began := time.Now()
		cmd := q.run(m, calmBatch)
		if err := cmd.Run(); err != nil {
			return "", err
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		each, memory := cpu/time.Duration(items), used.Maxrss>>10
		n, size := files(filepath.Join(q.Dir, "home", ".golem", "batches", calmBatch))
		out = append(out, fmt.Sprintf("%d items: %d MiB at most, %.2f ms of golem an item, %s, %d files with %d bytes an item", items, memory, float64(each.Microseconds())/1000, time.Since(began).Round(time.Second), n, size/int64(items)))
		if memory > 150 || each > 2*time.Millisecond {
			return "", errors.New(out[len(out)-1])
		}
	}
	return strings.Join(out, "; "), nil
}
