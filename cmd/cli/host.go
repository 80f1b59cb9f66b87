package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"golem/core/approval"
	"golem/core/fault"
	"golem/core/ui"
)

// Exit codes of SPEC §12.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitNobody = 3
)

// host is the golem process: its streams, its environment and its working directory.
type host struct {
	in, out, err *os.File
	env          map[string]string
	dir          string   // working directory, absolute, without links
	commands     []string // the names of golem's commands, for hints
	// aside runs a function that writes to the terminal, without disturbing a front end
	// that keeps status lines there; nil: there is none.
	aside atomic.Pointer[func(write func())]
	// tell shows a line of golem itself on a full-screen front end; nil: there is none.
	tell atomic.Pointer[func(text string)]
	// passing shows a line below the tree of a run, until the tree is removed; nil:
	// there is no tree.
	passing atomic.Pointer[func(text string)]
	// restore restores the terminal's settings; nil: they are not changed.
	restore atomic.Pointer[func()]
	notice  notice
	homes   homeRule // whether GOLEM_HOME counts
	typed   *lines   // reads the lines of standard input for all chats; nil: not started yet
	pieces  pieces   // standard output, for results that are written in pieces
	args    []string // the arguments of the process, without its name
}

func newHost() *host {
	h := &host{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: environ(os.Environ())}
	if dir, err := os.Getwd(); err == nil {
		h.dir = dir
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			h.dir = real // Getwd returns PWD, in which ".." of a link means another directory
		}
	}
	return h
}

func environ(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, kv := range list {
		if k, v, ok := strings.Cut(kv, "="); ok && k != "" {
			env[k] = v
		}
	}
	return env
}

// exitCode is an error that ends golem with an exit code. The command has printed
// everything already.
type exitCode int

// Error returns a text that is never shown.
func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// main runs one command line and returns the exit code.
func (h *host) main(args []string) int {
	h.args = args
	h.homes.silent = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	h.pieces.w = h.out
	root := h.root()
	root.SetArgs(h.withCommand(root, args))
	err := root.ExecuteContext(context.Background())
	var code exitCode
	switch {
	case h.pieces.err != nil:
		h.say("standard output: %s", cause(h.pieces.err))
		return exitFailed
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	}
	var f *fault.Fault
	var l fault.List
	if !errors.As(err, &f) && !errors.As(err, &l) {
		err = fault.New(fault.Usage, "%w", err).Hinting("golem --help lists commands and flags")
	}
	h.report(err)
	if errors.Is(err, fault.Interrupted) {
		return exitInterrupted
	}
	return exitUsage
}

// report prints the faults of an error on standard error, one a line. A fault in a file
// begins with its place, in the form that editors understand (SPEC §16).
func (h *host) report(err error) {
	for _, f := range listOf(err) {
		if f.Where != nil && f.Where.File != "" {
			h.beside(func() { fmt.Fprintln(h.err, fit(h.err, oneLine(f.Error()))) })
		} else {
			h.say("%s", f.Error())
		}
	}
}

// say prints one line on standard error, or shows it on the full screen. It ignores
// errors, because there is no other place to report them.
func (h *host) say(format string, args ...any) {
	text, _ := approval.Visible(fmt.Sprintf(format, args...))
	if tell := h.tell.Load(); tell != nil {
		(*tell)(text)
		return
	}
	h.beside(func() { fmt.Fprintln(h.err, fit(h.err, "golem: "+text)) })
}

// print writes a result to standard output. If that fails, it reports the error and
// returns exit code 1.
func (h *host) print(s string) error {
	if _, err := io.WriteString(h.out, s); err != nil {
		h.say("standard output: %s", cause(err))
		return exitCode(exitFailed)
	}
	return nil
}

// pieces is a writer for a result that is written in pieces. It keeps the first error,
// so that golem ends with exit code 1, even if the caller ignores the error.
type pieces struct {
	w     io.Writer
	plain bool // show control characters as escapes, because w is a terminal
	err   error
}

func (p *pieces) Write(data []byte) (int, error) {
	shown := data
	if p.plain {
		shown = []byte(ui.Safe(string(data)))
	}
	if _, err := p.w.Write(shown); err != nil {
		if p.err == nil {
			p.err = err
		}
		return 0, err
	}
	return len(data), nil
}

// show prints a text for people: on a terminal, lines are broken between words.
func (h *host) show(s string) error { return h.print(fit(h.out, s)) }

// fit breaks a text for the width of the terminal f. If f is no terminal, it returns
// the text unchanged.
func fit(f *os.File, s string) string {
	if !isTerminal(f) {
		return s
	}
	return ui.Fit(s, columns(f))
}

// setting returns the value of GOLEM_<name> or of one of its aliases. An empty variable
// counts as not set (SPEC §3).
func (h *host) setting(name string) string {
	for _, prefix := range []string{"GOLEM_", "LLM_DO_", "GOLEM_FORGE_"} {
		if v := h.env[prefix+name]; v != "" {
			return v
		}
	}
	return ""
}

// usage returns the fault for a wrong command line, which ends golem with exit code 2.
func usage(format string, args ...any) *fault.Fault {
	return fault.New(fault.Usage, format, args...)
}
