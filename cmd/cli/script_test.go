package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// homeOf returns the directory that a test uses as GOLEM_HOME for a project in a
// temporary directory: beside it, because one in the project does not count.
func homeOf(dir string) string { return dir + "-home" }

// cmdExit runs a program and checks its exit code: exit CODE PROGRAM ARG… stdout and
// stderr then look at its output, as after exec. The program reads what `stdin` names.
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// patience is how long a test waits for something that must happen. It measures
// nothing: it only lets the test name what did not happen, even on a busy machine.
const patience = 5 * time.Minute

// waitFor waits until a condition holds, and says whether it did.
func waitFor(holds func() bool) bool {
	for end := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// cmdWaitFile waits until a file exists and is not empty: wait-file NAME.
func cmdWaitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wait-file NAME")
	}
	came := waitFor(func() bool {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		return slices.ContainsFunc(names, func(n string) bool {
			info, err := os.Stat(n)
			return err == nil && info.Size() > 0
		})
	})
	if !came {
		ts.Fatalf("%s did not come", args[0])
	}
}

// cmdWaitText waits until a file holds what a regular expression matches:
// wait-text REGEXP NAME.
func cmdWaitText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wait-text REGEXP NAME")
	}
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	var data []byte
	if !waitFor(func() bool {
		names, _ := filepath.Glob(ts.MkAbs(args[1]))
		if len(names) == 0 {
			return false
		}
		data, err = os.ReadFile(names[0])
		return err == nil && re.Match(data)
	}) {
		ts.Fatalf("%s never held %s: %v\n%s", args[1], args[0], err, data)
	}
}

// cmdWaitGone waits until the process has ended whose number is in a file: wait-gone
// NAME.
func cmdWaitGone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wait-gone NAME")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	if !waitFor(func() bool { return gone(pid, ts.MkAbs(".")) }) {
		ts.Fatalf("process %d still runs", pid)
	}
}

// cmdServe serves a directory's files until the script ends, and puts the address
// into a variable: serve DIR NAME.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve DIR NAME")
	}
	server := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL)
}

// cmdMode checks a file's permission bits: mode OCTAL GLOB.
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode OCTAL GLOB")
	}
	names, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("%s: no such file", args[1])
	}
	for _, n := range names {
		info, err := os.Stat(n)
		ts.Check(err)
		if got := strconv.FormatInt(int64(info.Mode().Perm()), 8); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", filepath.Base(n), got, args[0])
		}
	}
}

// cmdCount checks how many files a pattern matches: count N GLOB.
func cmdCount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: count N GLOB")
	}
	names, err := filepath.Glob(ts.MkAbs(args[1]))
	ts.Check(err)
	if strconv.Itoa(len(names)) != args[0] {
		ts.Fatalf("%d files match %s, want %s", len(names), args[1], args[0])
	}
}

// cmdJSONLines checks that each line of stdout or a file is JSON, that numbered lines
// have no gap, and that the given types are among them: jsonlines NAME [TYPE…].
func cmdJSONLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: jsonlines stdout|FILE [TYPE…]")
	}
	seen, seq := map[string]bool{}, 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var v struct {
			Golem, Type string
			Seq         *int
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			ts.Fatalf("%q: %v", line, err)
		}
		seen[v.Golem+v.Type] = true
		if v.Seq != nil {
			if seq++; *v.Seq != seq {
				ts.Fatalf("seq %d, want %d: %s", *v.Seq, seq, line)
			}
		}
	}
	if seq == 0 {
		ts.Fatalf("no numbered line")
	}
	for _, typ := range args[1:] {
		if name, absent := strings.CutPrefix(typ, "!"); absent == seen[name] {
			ts.Fatalf("%s: seen %v", typ, seen[name])
		}
	}
}

// cmdExtract sets a variable to what a group matches in stdout: extract VAR REGEXP.
func cmdExtract(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: extract VAR REGEXP")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(m) != 2 {
		ts.Fatalf("stdout has no %s", args[1])
	}
	ts.Setenv(args[0], m[1])
}
