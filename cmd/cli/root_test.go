package main

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"golem/core/fault"

	"golem/cmd/cli/console"
	"golem/cmd/cli/disk"
)

// A full disk is no wrong usage.
func TestExitOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{disk.NotWritten("the results", &fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "free some space"), console.ExitFailed},
		{disk.NotWritten("the results", &fs.PathError{Op: "write", Path: "/x", Err: syscall.EACCES}, "get the right"), console.ExitUsage},
		{fault.List{fault.New(fault.Interrupted, "stopped")}, console.ExitInterrupted},
		{console.Usage("a flag is unknown"), console.ExitUsage},
	} {
		if got := exitOf(c.err); got != c.want {
			t.Errorf("%v: exit %d, want %d", c.err, got, c.want)
		}
	}
}

func TestTheFirstWordIsTheCommand(t *testing.T) {
	c := console.New(nil, "")
	for args, want := range map[string]string{
		"p hello":                 "run p hello",
		"run p":                   "run p",
		"--model x p hello":       "run --model x p hello",
		"--model=x check p":       "check --model=x p",
		"--model check p":         "run --model check p",
		"--json check p":          "check --json p",
		"--quiet --entry a p":     "run --quiet --entry a p",
		"init x":                  "init x",
		"--help":                  "--help",
		"--version":               "--version",
		"-- check":                "run -- check",
		"- x":                     "run - x",
		"--project p":             "run --project p",
		"":                        "",
		"checks":                  "run checks",
		"--nonsense p":            "run --nonsense p",
		"help run":                "help run",
		"__complete run --mod":    "__complete run --mod",
		"--sandbox memory chat p": "chat --sandbox memory p",
	} {
		got := strings.Join(withCommand(c, newRoot(c), strings.Fields(args)), " ")
		if got != want {
			t.Errorf("%q became %q, want %q", args, got, want)
		}
	}
}

// TestNoCommandHasTextsOfCobra tests that golem's own texts describe each command, also those that
// cobra adds.
func TestNoCommandHasTextsOfCobra(t *testing.T) {
	commands, root := 0, newRoot(console.New(nil, ""))
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		commands++
		text := c.Short + " " + c.Long + c.LocalFlags().FlagUsages()
		for _, words := range []string{"autocompletion script", "in the application", "sub-command", "completion descriptions"} {
			if strings.Contains(text, words) {
				t.Errorf("%s says %q:\n%s", c.CommandPath(), words, text)
			}
		}
		if c.Name() != "golem" && c.Short == "" {
			t.Errorf("%s has no description", c.CommandPath())
		}
		for _, one := range c.Commands() {
			look(one)
		}
	}
	look(root)
	if commands < 60 {
		t.Errorf("only %d commands", commands)
	}
}
