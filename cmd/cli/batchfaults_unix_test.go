//go:build unix

package main

import (
	"os"
	"testing"
	"time"

	"golem/bench/faults"
)

// TestBatchKilled tests that a batch that is killed at random loses no item and doubles none, that
// no more is asked again than was under way, and that results and files are those of a batch that
// nobody disturbed. go run ./bench/batchfaults plays it longer. With two kills no item can have
// the three dead holders in a row that end it.
func TestBatchKilled(t *testing.T) {
	t.Parallel()
	p := faults.Plan{
		Golem: os.Args[0], Env: []string{asGolem + "=1"}, Dir: t.TempDir(), Items: 8, Turns: 3, Kills: 2, Jobs: 2,
		Alive: 40 * time.Millisecond, Delay: 5 * time.Millisecond, Seed: 1,
	}
	r, err := p.Play()
	if err != nil {
		t.Fatal(err)
	}
	if !r.Good(p) {
		t.Error(r.Text(p))
	}
}

// TestBatchFaults tests other faults with few items: an input that kills golem, Ctrl+C, a budget
// that is spent, also on several machines, inputs and a project that change.
func TestBatchFaults(t *testing.T) {
	t.Parallel()
	for _, c := range faults.Cases {
		switch c.Name {
		case "poison", "interrupt", "budget", "budgets", "refusals", "inputs", "pack":
		default:
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			_, err := c.Play(faults.Plan{
				Golem: os.Args[0], Env: []string{asGolem + "=1"}, Dir: t.TempDir(), Items: 10, Turns: 4, Jobs: 2, Machines: 2, Storm: 3 * time.Second, Delay: 5 * time.Millisecond,
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
