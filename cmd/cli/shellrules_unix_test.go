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

// allowsCommand tells whether a rule for "echo *" lets a command run unasked.
func allowsCommand(t *testing.T, command string) bool {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
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
		Call: tool.Call{Name: spec.Name, Args: args}, FromModel: true,
		Policy: approval.Policy{Rules: []approval.Rule{{
			Tool: "run_command", When: map[string]string{"command": "echo *"}, Decide: approval.PreApproved, Origin: approval.Origin{By: approval.Person},
		}}},
	})
	return ran
}

// SECURITY 20, against the shells of this machine: whatever a rule for "echo *"
// allows runs nothing but echo and touches no file. Commands are put together
// of what shells give a meaning to; every name in them is a trap.
func TestRulesAgreeWithShells(t *testing.T) {
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
	shells := []string{"/bin/sh"}
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
		if !allowsCommand(t, command) {
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
			cmd := exec.CommandContext(t.Context(), shell, args...)
			cmd.Dir, cmd.Env = work, []string{"PATH=" + bin}
			_ = cmd.Run() // a shell that refuses has done nothing
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
