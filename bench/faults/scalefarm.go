//go:build unix

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// scaleFarm runs a batch of a scripted worker, one request an item, with 1, 2, 4 and 8 golem
// workers, and takes the times of the processes from the system.
func scaleFarm(p Plan) (string, error) {
	var out []string
	for _, items := range p.Scales {
		for _, machines := range []int{1, 2, 4, 8} {
			q := p
			q.Items, q.Machines, q.Remote, q.Dir = items, machines, true, filepath.Join(p.Dir, fmt.Sprintf("%d-%d", items, machines))
			seen, err := q.scaled()
			if err != nil {
				return "", err
			}
			out = append(out, seen)
		}
	}
	return strings.Join(out, "; "), nil
}

// scaled runs the batch once.
func (p Plan) scaled() (string, error) {
	if err := p.scripted(); err != nil {
		return "", err
	}
	m := newModel(p)
	defer m.close()
	q := &queue{dir: filepath.Join(p.Dir, "queue")}
	if err := q.start(server.RANDOM_PORT); err != nil {
		return "", err
	}
	defer q.stop()
	began := time.Now()
	producer := p.producer(m, q)
	token, ended, err := begun(producer)
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.s.ClientURL(), ended: ended}
	workers, err := f.start()
	if err == nil {
		err = <-ended
	}
	took := time.Since(began)
	for _, w := range workers { // they end when the batch is done
		if werr := w.Wait(); err == nil {
			err = werr
		}
	}
	if err != nil {
		return "", err
	}
	all := time.Duration(0)
	for _, w := range workers {
		all += used(w)
	}
	each := func(d time.Duration) float64 { return float64((d / time.Duration(p.Items)).Microseconds()) / 1000 }
	_, size := files(q.dir)
	return fmt.Sprintf("%d items, %d workers: %s, %.0f items/s, %.1f ms of a worker and %.1f ms of the producer an item, %d MiB at most, %d bytes an item on the queue",
		p.Items, p.Machines, took.Round(time.Second), float64(p.Items)/took.Seconds(), each(all), each(used(producer)), producer.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10, size/int64(p.Items)), nil
}

// scripted writes the project with a worker whose model is a script of one answer.
func (p Plan) scripted() error {
	if err := p.write(); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"p/s.yaml": "script: 1\nworkers:\n  main:\n    - say: done\n", "p/main.worker": "---\nmodel: script:s.yaml\n---\nDo as you are told.\n",
	} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// used returns the processor time of a process that ended.
func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
