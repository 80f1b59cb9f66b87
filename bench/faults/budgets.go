//go:build unix

package faults

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// budgetOfMachines plays a batch with several golem workers until its budget is spent. Before,
// workers are killed one after the other. Then it goes on with a higher limit, and the workers
// that waited.
func budgetOfMachines(p Plan) (string, error) {
	p.Items, p.Turns, p.Remote = min(p.Items, 40), 5, true
	p.In, p.Out = 1000, 100
	p.Config = "providers: {openai: {models: {mock: {price: {input: 1000, output: 1000}}}}}\n"
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	q := &queue{dir: filepath.Join(p.Dir, "queue")}
	if err := q.start(server.RANDOM_PORT); err != nil {
		return "", err
	}
	defer q.stop()
	limit := float64(p.Items*p.Turns*3/4) * dollars
	token, ended, err := begun(p.producer(m, q, "--limit", fmt.Sprintf("cost=%.2f", limit)))
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.s.ClientURL(), ended: ended}
	workers, err := f.start()
	defer func() {
		for _, w := range workers {
			_ = w.Process.Kill()
			_ = w.Wait() // it was killed
		}
	}()
	const kills = 2
	for n := 0; n < kills && err == nil; n++ {
		m.await(p.Items * p.Turns / 8)
		_ = workers[n%len(workers)].Process.Kill()
		_ = workers[n%len(workers)].Wait() // it was killed
		workers[n%len(workers)], err = f.worker(n % len(workers))
	}
	if err != nil {
		return "", err
	}
	if err := spent(<-ended); err != nil {
		return "", err
	}
	all, twice := m.counts()
	bill := float64(all) * dollars
	if most := float64((kills + p.Machines) * p.Jobs); bill > limit || bill < limit-3*dollars*most {
		return "", fmt.Errorf("$%.2f were spent of $%.2f", bill, limit)
	}
	if _, ended, err = begun(p.producer(m, q, "--limit", "cost=1000")); err == nil {
		err = <-ended
	}
	if err != nil {
		return "", fmt.Errorf("with a higher limit: %w", errors.Join(err, p.same(m, (kills+p.Machines)*p.Jobs)))
	}
	return fmt.Sprintf("%d workers, %d items: stopped at $%.2f of $%.2f after %d kills (with %d requests asked twice), and went on with a higher limit", p.Machines, p.Items, bill, limit, kills, twice),
		p.same(m, (kills+p.Machines)*p.Jobs) // the stop interrupts requests as well
}

// spent returns nil if the producer ended as one does whose budget is spent.
func spent(ended error) error {
	exit := new(exec.ExitError)
	if errors.As(ended, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	return fmt.Errorf("with a budget that is spent the producer ended with %w", errors.Join(ended, errors.New("another exit code than 1")))
}

// refusedMachines plays a batch with several golem workers while the provider refuses. However
// many they are, about one request comes in the time that the provider asks for.
func refusedMachines(p Plan) (string, error) {
	p.Items, p.Turns, p.Remote = min(p.Items, 30), 3, true
	m, err := p.calm()
	if err != nil {
		return "", err
	}
	defer m.close()
	s := m.refuse(p.Storm)
	q := &queue{dir: filepath.Join(p.Dir, "queue")}
	if err := q.start(server.RANDOM_PORT); err != nil {
		return "", err
	}
	defer q.stop()
	token, ended, err := begun(p.producer(m, q))
	if err != nil {
		return "", err
	}
	f := &farm{plan: p, model: m, token: token, url: q.s.ClientURL(), ended: ended}
	if err := f.toEnd(); err != nil {
		return "", err
	}
	most := int64(p.Storm/time.Second) + int64(p.Machines*p.Jobs) + 1
	if s.Load() > most {
		return "", fmt.Errorf("%d requests came while the provider refused, and %d are enough", s.Load(), most)
	}
	return fmt.Sprintf("%d items, %d workers with %d jobs: refused for %s, %d requests meanwhile, lost 0, failed 0", p.Items, p.Machines, p.Jobs, p.Storm, s.Load()), p.same(m, int(s.Load()))
}
