//go:build unix

// Command measure runs the built golem as a process, many times, and prints for each case the
// processor time, the wall time and the peak of memory, as the system measures them.
// bench/README.md has the output of a run.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	golem := flag.String("golem", "bin/golem", "the program to measure")
	mock := flag.String("mock", "build/mock", "the endpoint to measure it against")
	runs := flag.Int("runs", 5, "runs of each case")
	only := flag.String("only", "", "measure only cases whose name holds this")
	flag.Parse()
	if err := measure(*golem, *mock, *runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measure runs every case and prints the table as it goes.
func measure(golem, mock string, runs int, only string) (err error) {
	if golem, err = filepath.Abs(golem); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "golem-measure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	url, stop, err := startMock(mock)
	if err != nil {
		return err
	}
	defer stop()
	p := program{path: golem, home: filepath.Join(scratch, "home"), endpoint: url}
	made := &moduleMaker{golem: golem, dir: filepath.Join(scratch, "modules")}
	fmt.Print(machine(golem))
	fmt.Print(head)
	for i, c := range cases() {
		if !strings.Contains(c.name, only) {
			continue
		}
		dir := filepath.Join(scratch, fmt.Sprintf("project-%d", i))
		if err := c.project.write(dir); err != nil {
			return err
		}
		if err := made.write(dir, c.project.modules); err != nil {
			return err
		}
		var costs []cost
		for range runs + 1 {
			one, err := p.run(dir, c)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			costs = append(costs, one)
		}
		fmt.Print(row(c.name, costs[1:])) // the first run warms the file cache
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}
