package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A pair is one figure, measured for golem and for wazero alone.
type pair struct {
	name        string
	golem, bare []time.Duration // samples
	limit       string          // the goal for the ratio, "" if there is none
}

// sample calls f n times and returns the mean time of a call.
func sample(ctx context.Context, n int, f func(context.Context) error) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := f(ctx); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(n), nil
}

// inTurns takes samples of both sides in turns. It drops the first sample of each, which only
// warms up.
func inTurns(ctx context.Context, name, limit string, rounds, n int, golem, bare func(context.Context) error) (pair, error) {
	p := pair{name: name, limit: limit}
	for i := range rounds + 1 {
		runtime.GC()
		b, err := sample(ctx, n, bare)
		if err != nil {
			return p, fmt.Errorf("%s, wazero alone: %w", name, err)
		}
		runtime.GC()
		g, err := sample(ctx, n, golem)
		if err != nil {
			return p, fmt.Errorf("%s, golem: %w", name, err)
		}
		if i > 0 {
			p.golem, p.bare = append(p.golem, g), append(p.bare, b)
		}
	}
	return p, nil
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[(len(s)-1)/2]
}

// ratio returns the median of golem's time divided by that of wazero alone, over the samples that
// were taken one after the other.
func (p pair) ratio() float64 {
	var all []float64
	for i := range p.golem {
		all = append(all, float64(p.golem[i])/float64(p.bare[i]))
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// table returns a table with the minimum and median of both sides, and the ratio.
func table(title string, rows []pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | wazero alone: min / median | golem: min / median | golem / wazero | wanted |\n|---|---|---|---|---|\n", title)
	for _, p := range rows {
		fmt.Fprintf(&b, "| %s | %s / %s | %s / %s | %.2f | %s |\n", p.name, show(slices.Min(p.bare)), show(median(p.bare)),
			show(slices.Min(p.golem)), show(median(p.golem)), p.ratio(), p.limit)
	}
	return b.String() + "\n"
}

func show(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// machine describes the machine on which the figures are measured; size is that of the Go module,
// in bytes.
func machine(size int) string {
	load := "unknown"
	if f, err := os.Open("/proc/loadavg"); err == nil {
		defer f.Close()
		if line, err := bufio.NewReader(f).ReadString('\n'); err == nil {
			load = strings.Fields(line)[0]
		}
	}
	return fmt.Sprintf("%s/%s, %d CPUs, %s, load %s, Go module of %.1f MB", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load, float64(size)/1e6)
}
