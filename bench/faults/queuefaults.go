//go:build unix

package faults

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// farmed plays a batch with several golem workers on a server of at most so many bytes (0: any
// number), and lets do disturb them. most is how many requests may be asked twice.
func (p Plan) farmed(bytes int64, most int, do disturber) (string, error) {
	return p.farmedOn(&queue{dir: filepath.Join(p.Dir, "queue"), most: bytes}, most, do)
}

// farmedOn does what farmed does on a server that it starts, with more words for golem batch.
func (p Plan) farmedOn(q *queue, most int, do disturber, more ...string) (string, error) {
	p.Items, p.Turns, p.Remote = min(p.Items, 40), min(p.Turns, 5), true
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	if err := q.start(server.RANDOM_PORT); err != nil {
		return "", err
	}
	defer func() { q.stop() }()
	token, ended, err := begun(p.producer(m, q, more...))
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.url, ended: ended}
	workers, err := f.start()
	defer func() {
		for _, w := range append(workers, f.twins...) {
			_ = w.Process.Signal(syscall.SIGCONT) // it may be stopped
			_ = w.Process.Kill()
			_ = w.Wait() // it was killed
		}
	}()
	if err != nil {
		return "", err
	}
	seen, err := do(f, q, workers)
	if err == nil {
		err = <-f.ended
	}
	if err != nil {
		return "", err
	}
	_, twice := m.counts()
	return fmt.Sprintf("%d workers, %d items: %s; asked twice %d (at most %d)", p.Machines, p.Items, seen, twice, most), p.same(m, most)
}

// disturber disturbs the workers or the server of a batch, and says what it did.
type disturber func(f *farm, q *queue, workers []*exec.Cmd) (seen string, err error)

// fullQueue lets the server have too little room, until nobody asks any more, and then enough.
func fullQueue(p Plan) (string, error) {
	return p.farmed(192<<10, p.Machines*p.Jobs, func(f *farm, q *queue, _ []*exec.Cmd) (string, error) {
		before := -1
		for {
			now, _ := f.model.counts()
			if now > 0 && now == before {
				break
			}
			before = now
			select {
			case err := <-f.ended:
				return "", errors.Join(errors.New("the batch ended with a full queue"), err)
			case <-time.After(2 * time.Second):
			}
		}
		port := q.port()
		q.stop()
		q.most = 0
		return fmt.Sprintf("the queue was full after %d requests, and all waited until it had room", before), q.start(port)
	})
}

// cutOff stops a worker for three times its lease, and lets it go on. Meanwhile others have its
// items.
func cutOff(p Plan) (string, error) {
	const times = 2
	p.Turns, p.Delay = 4, 400*time.Millisecond // the batch takes longer than the worker stands still
	return p.farmed(0, times*p.Jobs, func(f *farm, _ *queue, workers []*exec.Cmd) (string, error) {
		for n := range times {
			w := workers[n%len(workers)].Process
			if err := f.asks(p.Jobs); err != nil {
				return "", err
			}
			if err := w.Signal(syscall.SIGSTOP); err != nil {
				return "", err
			}
			time.Sleep(3 * time.Second)
			if err := w.Signal(syscall.SIGCONT); err != nil {
				return "", err
			}
		}
		return fmt.Sprintf("%d times one stood still for three times its lease and came back", times), nil
	})
}

// asks waits until so many more requests came. It is an error if the batch ends before.
func (f *farm) asks(more int) error {
	first, _ := f.model.counts()
	for now := first; now < first+more; now, _ = f.model.counts() {
		select {
		case err := <-f.ended:
			return errors.Join(errors.New("the batch ended too soon"), err)
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// oneKey runs workers that have the same GOLEM_HOME, and so the same key, and kills one of them.
func oneKey(p Plan) (string, error) {
	p.Delay = max(p.Delay, 50*time.Millisecond) // so that it works when the other one is killed
	return p.farmed(0, p.Jobs, func(f *farm, _ *queue, workers []*exec.Cmd) (string, error) {
		twin, err := f.worker(0)
		if err != nil {
			return "", err
		}
		f.twins = append(f.twins, twin)
		if err := f.asks(p.Jobs); err != nil {
			return "", err
		}
		return "two of them had one key, and one of these was killed", workers[0].Process.Kill()
	})
}
