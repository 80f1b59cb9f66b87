//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A cost is the time and memory that one process used.
type cost struct {
	cpu, wall time.Duration
	peak      int64 // bytes
}

// A program is golem with the environment in which it is measured.
type program struct {
	path, home, endpoint string
}

// run starts golem once in dir and waits for it. If golem fails or its output is not the
// expected one, run returns an error, because the time of a wrong run means nothing.
func (p program) run(dir string, c benchCase) (cost, error) {
	if c.fresh {
		if err := os.RemoveAll(filepath.Join(p.home, "cache")); err != nil {
			return cost{}, err
		}
	}
	cmd := exec.Command(p.path, c.args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(c.stdin)
	cmd.Env = []string{
		"HOME=" + p.home, "GOLEM_HOME=" + p.home, // outside the projects, so that no worker sees it
		"PATH=" + os.Getenv("PATH"),
		"OPENAI_BASE_URL=" + p.endpoint, "OPENAI_API_KEY=mock", "NO_COLOR=1",
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("golem %s: %w\n%s%s", strings.Join(c.args, " "), err, tail(stdout.String()), tail(stderr.String()))
	}
	if n := strings.Count(stdout.String(), c.want); n < c.times {
		return cost{}, fmt.Errorf("golem %s: %q %d times in the answer, want %d\n%s%s",
			strings.Join(c.args, " "), c.want, n, c.times, tail(stdout.String()), tail(stderr.String()))
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, fmt.Errorf("no resource usage on %s", runtime.GOOS)
	}
	peak := int64(used.Maxrss)
	if runtime.GOOS != "darwin" { // darwin counts in bytes, other systems in KiB
		peak *= 1024
	}
	return cost{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall: wall, peak: peak}, nil
}

func tail(s string) string {
	const most = 2000
	if len(s) > most {
		s = "…" + s[len(s)-most:]
	}
	return s
}

// startMock starts the endpoint and returns its base URL. The caller must call stop.
func startMock(path string) (url string, stop func(), err error) {
	cmd := exec.Command(path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()         // killed: always an error
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s printed no address: %w", path, err)
	}
	return strings.TrimSpace(line), stop, nil
}
