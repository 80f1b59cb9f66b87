package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

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

// host is the process: its streams, environment and place.
type host struct {
	in, out, err *os.File
	env          map[string]string
	dir          string   // working directory, absolute
	commands     []string // golem's, for hints
	// aside writes to the terminal beside a front end that keeps a status line there.
	aside atomic.Pointer[func(write func())]
	// tell shows a line of golem's own on a front end that has the whole terminal.
	tell atomic.Pointer[func(text string)]
	// passing shows a line with the tree of a run, with which it goes away; nil: there is none.
	passing atomic.Pointer[func(text string)]
	// restore gives the terminal back as it was; nil: it is as it was.
	restore atomic.Pointer[func()]
	notice  notice
	typed   *lines   // of standard input, for every chat; nil: none was begun
	pieces  pieces   // standard output, for what writes a result in pieces
	args    []string // of the process, without its name
}

func newHost() *host {
	h := &host{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: environ(os.Environ())}
	if dir, err := os.Getwd(); err == nil {
		h.dir = dir
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

// exitCode ends a command with a code after it has said all there is to say.
type exitCode int

// Error is never shown.
func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// main runs one command line and returns the exit code.
func (h *host) main(args []string) int {
	h.args = args
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
	return exitUsage
}

// report writes an error, one line a fault, on standard error. A fault in a
// file begins with its place, as editors and people look for it (SPEC §16).
func (h *host) report(err error) {
	for _, f := range listOf(err) {
		if f.Where != nil && f.Where.File != "" {
			h.beside(func() { fmt.Fprintln(h.err, fit(h.err, oneLine(f.Error()))) })
		} else {
			h.say("%s", f.Error())
		}
	}
}

// say writes one line on standard error. What cannot be written there has
// nowhere else to go.
func (h *host) say(format string, args ...any) {
	text, _ := approval.Visible(fmt.Sprintf(format, args...))
	if tell := h.tell.Load(); tell != nil {
		(*tell)(text)
		return
	}
	h.beside(func() { fmt.Fprintln(h.err, fit(h.err, "golem: "+text)) })
}

// print writes a result. A reader that has gone away is not a failure of golem.
func (h *host) print(s string) error {
	if _, err := io.WriteString(h.out, s); err != nil {
		h.say("standard output: %s", cause(err))
		return exitCode(exitFailed)
	}
	return nil
}

// pieces writes a result in pieces. It keeps the first error, which ends golem as
// one of print does, whether the caller looks at it or not.
type pieces struct {
	w     io.Writer
	plain bool // w is a terminal, and what is written may hold control characters: show them as escapes
	err   error
}

// Write writes whole lines.
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

// show is print for people: on a terminal, lines are broken between words.
func (h *host) show(s string) error { return h.print(fit(h.out, s)) }

// fit is a text as wide as the terminal that a stream is; any other stream gets
// it unchanged.
func fit(f *os.File, s string) string {
	if !isTerminal(f) {
		return s
	}
	return ui.Fit(s, columns(f))
}

// setting reads GOLEM_<name> or one of its aliases; empty is unset (SPEC §3).
func (h *host) setting(name string) string {
	for _, prefix := range []string{"GOLEM_", "LLM_DO_", "GOLEM_FORGE_"} {
		if v := h.env[prefix+name]; v != "" {
			return v
		}
	}
	return ""
}

// buildVersion is the linked version, else what the Go tool knows.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// usage is a wrong command line: exit 2.
func usage(format string, args ...any) *fault.Fault {
	return fault.New(fault.Usage, format, args...)
}
