//go:build long

package main

import (
	"os"
	"testing"
	"time"

	"golem/bench/faults"
)

// TestLongBatchesOfMachines plays what can happen to a batch on several machines: kills of workers
// and of the server, budgets, refusals, a full server, machines that are cut off, one key for
// two workers, a hostile worker, clocks that are an hour apart, and a server whose clock is set back.
func TestLongBatchesOfMachines(t *testing.T) {
	for _, c := range faults.Cases {
		switch c.Name {
		case "machines", "budgets", "refusals", "fullqueue", "cutoff", "onekey", "hostile", "clocks", "clockback", "hosts":
		default:
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			seen, err := c.Play(faults.Plan{
				Golem: os.Args[0], Env: []string{asGolem + "=1"}, Dir: t.TempDir(), Items: 200, Turns: 5, Kills: 20, Jobs: 4, Machines: 3,
				Alive: 400 * time.Millisecond, Delay: 5 * time.Millisecond, Storm: 20 * time.Second, Seed: 1,
			})
			if err != nil {
				t.Error(err)
			}
			t.Log(seen)
		})
	}
}
