//go:build unix

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

const head = "| case | CPU, ms: min / median / max | wall, ms: min / median / max | peak, MiB: min / median / max |\n" +
	"|---|---|---|---|\n"

// row returns the line of the table for one case.
func row(name string, costs []cost) string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Millisecond)) }
	mib := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name,
		spread(costs, func(c cost) time.Duration { return c.cpu }, ms),
		spread(costs, func(c cost) time.Duration { return c.wall }, ms),
		spread(costs, func(c cost) int64 { return c.peak }, mib))
}

// spread returns minimum, median and maximum of one figure. For an even number of runs the
// median is the lower one of the two in the middle.
func spread[T cmp.Ordered](costs []cost, of func(cost) T, show func(T) string) string {
	var all []T
	for _, c := range costs {
		all = append(all, of(c))
	}
	slices.Sort(all)
	return show(all[0]) + " / " + show(all[(len(all)-1)/2]) + " / " + show(all[len(all)-1])
}

// machine describes the machine and the program that are measured.
func machine(golem string) string {
	size := "unknown size"
	if info, err := os.Stat(golem); err == nil {
		size = fmt.Sprintf("%.1f MB", float64(info.Size())/1e6)
	}
	return fmt.Sprintf("%s/%s, %d CPUs, %s, load %s, golem of %s\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load(), size)
}

// load returns the system's load average of the last minute, or "unknown".
func load() string {
	f, err := os.Open("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) == 0 {
		return "unknown"
	}
	return fields[0]
}
