//go:build unix

// Command batchfaults proves that golem batch loses and doubles nothing, whatever happens to it:
// it is killed at random times, its disk is full, its provider refuses, and so on. Each case runs
// a batch undisturbed and disturbed, and compares results and files. The command answers in the
// place of a model and counts what it is asked. It ends with a table in Markdown.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golem/bench/faults"
)

func main() {
	var p faults.Plan
	var names, scales string
	flag.StringVar(&names, "cases", "", "the cases to play, with commas; empty: all")
	flag.StringVar(&p.Golem, "golem", "./build/golem", "the golem to run")
	flag.IntVar(&p.Items, "items", 1000, "the number of items, at most")
	flag.IntVar(&p.Turns, "turns", 5, "model requests of each item")
	flag.IntVar(&p.Kills, "kills", 200, "how often golem is killed")
	flag.IntVar(&p.Jobs, "jobs", 4, "--jobs of golem batch")
	flag.IntVar(&p.Machines, "machines", 3, "golem workers of the case machines")
	flag.DurationVar(&p.Alive, "alive", 300*time.Millisecond, "how long golem lives at most, once it asks")
	flag.DurationVar(&p.Delay, "delay", 5*time.Millisecond, "how long an answer takes")
	flag.DurationVar(&p.Storm, "storm", time.Minute, "how long the provider refuses")
	flag.StringVar(&scales, "scales", "10000", "the numbers of items of the case scale, with commas")
	flag.Uint64Var(&p.Seed, "seed", 1, "of the random times")
	flag.Parse()
	for _, text := range strings.Split(scales, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		p.Scales = append(p.Scales, n)
	}
	golem, err := filepath.Abs(p.Golem)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	p.Golem = golem
	if !table(p, names) {
		os.Exit(1)
	}
}

// table plays the cases and prints the table. It reports whether all went well.
func table(p faults.Plan, names string) (good bool) {
	good = true
	fmt.Println("| case | what happens | result |\n|---|---|---|")
	for _, c := range faults.Cases {
		if names != "" && !strings.Contains(","+names+",", ","+c.Name+",") {
			continue
		}
		seen, err := play(c, p)
		if err != nil {
			good, seen = false, "BAD: "+err.Error()
		}
		fmt.Printf("| %s | %s | %s |\n", c.Name, c.About, strings.ReplaceAll(strings.TrimSpace(seen), "\n", " "))
	}
	return good
}

// play plays a case in a directory of its own.
func play(c faults.Case, p faults.Plan) (seen string, err error) {
	if p.Dir, err = os.MkdirTemp("", "batchfaults"); err != nil {
		return "", err
	}
	defer os.RemoveAll(p.Dir)
	return c.Play(p)
}
