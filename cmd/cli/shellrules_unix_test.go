//go:build unix

package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/approval/sh"
	"golem/core/tool"
)

// allowsCommand reports whether rules for some commands let a command run without
// asking.
func allowsCommand(t *testing.T, command string, patterns ...string) bool {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	var policy approval.Policy
	for _, p := range patterns {
		policy.Rules = append(policy.Rules, approval.Rule{
			Tool: "run_command", When: map[string]string{"command": p}, Decide: approval.PreApproved, Origin: approval.Origin{By: approval.Person},
		})
	}
	ran := false
	spec := tool.Spec{Name: "run_command", Risk: tool.Command, Toolset: "shell", Provider: "builtin", Shell: sh.Grammar{}}
	_, _ = approval.NewGate(approval.AutoDeny, nil).Call(t.Context(), approval.Item{
		Tool: tool.Func(spec, func(context.Context, struct {
			Command string `json:"command"`
		}) (tool.Output, error) {
			ran = true
			return tool.Output{}, nil
		}),
		Call: tool.Call{Name: spec.Name, Args: tool.ReadArguments(args)}, FromModel: true, Policy: policy,
	})
	return ran
}

// Command lines that try to get past rules for "echo *", "ls", "git log *", "> out/*"
// and others ask. Lines that the rules mean run without asking.
func TestHostileCommandLines(t *testing.T) {
	rules := []string{"echo *", "ls", "git log *", "> out/*", "cd *", "git grep *", "git diff *", "find *", "sort *", "go test *", "make *", "git clone *", "./tool *"}
	for _, line := range []string{
		"echo x; rm y", "echo x && rm y", "echo x || rm y", "echo x | sh", "echo x & rm y", "echo x\nrm y", "echo x\r\nrm y", "echo x |& sh",
		"echo $(rm y)", "echo `rm y`", "echo \"$(rm y)\"", "echo ${x:-$(rm y)}", "echo $((x[$(rm y)]))", "echo <(rm y)", "echo >(rm y)",
		"echo x > y", "echo x >> ../y", "echo x > out/../y", "echo x > out/$x", "echo x > out/a/b", "echo x > /out/y", "echo x >& y", "echo x &> out/y", "echo x > out/*", "echo x > ~/y", "echo x 3> out/y", "echo x <> out/y", "ls < y",
		"cd /; echo x > out/y", "pushd /; echo x > out/y", "cd $HOME && echo x > out/y",
		"env -i echo x", "env echo x", "xargs echo", "command echo x", "exec echo x", "eval echo x", "builtin echo x", "nohup echo x", "time echo x", "timeout 1 echo x", "sudo echo x", "busybox echo x",
		"sh -c 'echo x'", "bash -c echo", "./echo x", "/tmp/echo x", "'echo x'", "ech\\o$x x", "e$x x", "{echo,x}", "ECHO x",
		"x=1 echo x", "PATH=. echo x", "LD_PRELOAD=./x.so ls", "IFS=/ echo x", "x=1",
		"echo(){ rm y; }; echo x", "function echo { rm y; }; echo x", "alias echo=rm; echo y", "shopt -s expand_aliases\nalias echo=rm\necho y", "trap 'rm y' EXIT; echo x", ". ./y; echo x", "source y",
		"if true; then rm y; fi", "for i in 1; do rm y; done", "while rm y; do echo x; done", "case x in x) rm y;; esac", "(rm y)", "{ rm y; }", "! rm y", "[[ -n $(rm y) ]]", "((x=$(rm y)))", "coproc rm y", "select x in a; do rm y; done",
		"echo <<E\n$(rm y)\nE", "cat <<E\nx\nE", "echo <<<$(rm y)", "echo x # ; rm y", "echo x #\\\nrm y",
		"echo\u00a0x; rm y", "echo\u2003x", "ls\u200b", "\u0435cho x", "echo x\u2028rm y", "echo \x1b[2K", "echo x\x0brm y", "ls\x00",
		"git -c core.pager=./y log -1", "git --exec-path=. log -1", "git --config-env=core.pager=X log -1", "git log --output=y -1", "git log --ext-diff -p", "git log --textconv -p", "git log *.c", "git log $x -1", "git  log", "git -C / log -1", "git push; git log -1",
		"git grep --open=./y x", "git grep -nO./y x", "git grep x -- -O./y", "git grep *", "git log --outp=y -1", "git log --ext-d -p", "git diff --no-index /etc/passwd y", "git clone -u ./y . z", "./tool y",
		"find . -exec ./y +", "find . -delete", "find *", "sort -ro y x", "sort --comp=./y x", "go test -exec ./y", "go test -o y", "make SHELL=./y", "make -f y", "echo x | sort -o y",
		"echo 'x", "echo \"x", "echo x)", "echo $(", "echo ${", strings.Repeat("echo x;", 400), "echo " + strings.Repeat("x", 20<<10), "", " ", ";", "&&", "\n",
	} {
		if allowsCommand(t, line, rules...) {
			t.Errorf("%q ran unasked", line)
		}
	}
	for _, line := range []string{
		"echo x", "echo 'a; rm b' \"c | d\"", "ls", "ls | echo x", "echo x && ls || echo y; ls\nls", "echo x > out/y", "echo x >> out/y 2>/dev/null", "> out/y", "cd src; ls", "git log -1", "git log --oneline main..x",
		"git grep -n x | sort -u", "git diff HEAD~1 -- src/a.go", "find . -name '*.go' | sort -u", "go test ./... > out/y", "make -j4 all",
	} {
		if !allowsCommand(t, line, rules...) {
			t.Errorf("%q asked", line)
		}
	}
	if allowsCommand(t, "echo x > y", "*") || allowsCommand(t, "echo x > y", "echo *", "'>' *") || allowsCommand(t, "'>' y", "> *") {
		t.Error("a redirection was allowed by a rule that is none, or the other way round")
	}
}

// interpreted runs a command line with golem's helper.
func interpreted(t *testing.T, line, dir string, env []string) {
	t.Helper()
	order, err := json.Marshal(map[string]any{"line": line, "dir": dir, "env": env})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"golem-command"}, Env: env}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = in.Write(append(order, '\n'))
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // a command may fail: only the traps count
}

// SECURITY 20, against the shells of this machine: whatever a rule for "echo *" allows
// runs nothing but echo and touches no file. Commands are random sequences of tokens
// with a meaning for shells; every other program in them is a trap.
func TestRulesAgreeWithShells(t *testing.T) {
	t.Parallel()
	tokens := []string{
		"echo", "id", "x", "hi", " ", "  ", "\n", "\t", ";", "&", "&&", "|", "||", "|&", "(", ")", "{", "}", "<", ">", ">>", ">|", ">&", "&>", "2>&1", ">/dev/null", "<>", "/dev/null", "1", "2",
		"$", "$(", "`", "'", "\"", "\\", "#", "!", "=", "x=1 ", "$x", "${x:-", "$((", "))", "~", "*", "?", "[", "]", "<<E\n", "\nE\n", "<<<", "$'", "\\x3b", "\\;", "\\\n", "\r", "%", "^", ",", "{a,b}", "@(", "-", ":",
		"time ", "eval ", "if ", "then ", "fi", "do ", "done", "for x in ", "function ", "x() ", "[[ ", " ]]", "((", "coproc ", "select ", "case x in ", "esac", ";;", "alias x=id\n", "exec ", "command ", "./id", "\u00a0", "\x0b", "\x0c", "\x1b",
	}
	bin, work := t.TempDir(), t.TempDir()
	trap := filepath.Join(t.TempDir(), "ran")
	for _, name := range []string{"id", "x", "hi", "a", "b", "E", "echoid", "echox"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n: > '"+trap+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shells := []string{"/bin/sh", "golem"}
	for _, name := range []string{"dash", "bash", "busybox", "ksh", "mksh", "zsh"} {
		if p, err := exec.LookPath(name); err == nil {
			shells = append(shells, p)
		}
	}
	tries, runs := 4000, 60
	if n := os.Getenv("GOLEM_RULE_RUNS"); n != "" {
		tries, runs = 4_000_000, 4_000_000
	}
	r := rand.New(rand.NewPCG(8, 20))
	allowed := 0
	for range tries {
		var b strings.Builder
		b.WriteString("echo ")
		for range 1 + r.IntN(9) {
			b.WriteString(tokens[r.IntN(len(tokens))])
		}
		command := b.String()
		if !allowsCommand(t, command, "echo *") {
			continue
		}
		if allowed++; allowed > runs {
			break
		}
		for _, shell := range shells {
			args := []string{"-c", command}
			if filepath.Base(shell) == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			if shell == "golem" {
				interpreted(t, command, work, []string{"PATH=" + bin})
			} else {
				cmd := exec.CommandContext(t.Context(), shell, args...)
				cmd.Dir, cmd.Env = work, []string{"PATH=" + bin}
				_ = cmd.Run() // a shell may refuse the line: only the traps count
			}
			left, err := os.ReadDir(work)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(trap); err == nil || len(left) > 0 {
				t.Fatalf("%s: %q was allowed and did more than echo: %v", shell, command, left)
			}
		}
	}
	if allowed < runs/2 {
		t.Errorf("only %d of the commands were allowed: the test tries nothing", allowed)
	}
}
