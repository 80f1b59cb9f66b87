package main

import (
	"strings"
	"testing"

	"golem/cmd/cli/console"
)

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
