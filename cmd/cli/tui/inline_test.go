package tui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"golem/core/fault"
	"golem/core/run"
	"golem/core/trace"

	"golem/cmd/cli/columns"
)

func emit(t *testing.T, n *Inline, lines ...string) {
	t.Helper()
	for _, l := range lines {
		e, err := trace.Decode([]byte(l))
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		n.Emit(e)
	}
}

// The tree of a run fits a terminal of any size, shows running workers before those
// that have ended, and cannot move the cursor. Warnings stay on the terminal, retries
// do not.
func TestInlineTree(t *testing.T) {
	var screen bytes.Buffer
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	n := &Inline{Screen: &screen, Now: func() time.Time { return at }, Color: true}
	n.begun, n.area.w = at, &screen
	emit(t, n,
		`{"type": "run.start", "id": "0", "worker": "main", "depth": 0, "input": "go"}`,
		`{"type": "worker.start", "id": "0", "worker": "main", "depth": 0, "source": "main.worker", "digest": "", "model": "m", "tools": []}`)
	for i := 1; i <= 30; i++ {
		emit(t, n, fmt.Sprintf(`{"type": "tool.start", "id": "0.%d", "parent": "0", "worker": "main", "depth": 0, "tool": "reader", "kind": "worker", "args": {"input": "日本語 \u001b[2J task %d 👩‍👩‍👧 and so on for ever and ever and ever"}}`, i, i))
		if i < 29 {
			emit(t, n, fmt.Sprintf(`{"type": "tool.end", "id": "0.%d", "parent": "0", "worker": "main", "depth": 0, "tool": "reader", "status": "ok", "result": "x", "ms": 9}`, i))
		}
	}
	emit(t, n,
		`{"type": "delta", "id": "0", "worker": "main", "depth": 0, "text": "`+strings.Repeat(`word \u001b[31m`, 400)+`"}`,
		`{"type": "retry", "id": "0", "worker": "main", "depth": 0, "attempt": 1, "code": "E_MODEL", "message": "busy", "wait_ms": 500}`,
		`{"type": "warning", "id": "0", "worker": "main", "depth": 0, "code": "E_TAINT", "message": "careful\u001b[2J"}`)
	at = at.Add(90 * time.Second)
	for _, size := range [][2]int{{110, 30}, {80, 24}, {40, 12}, {10, 4}} {
		lines := n.lines(size[0], size[1])
		if len(lines) > size[1]-1 {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		all := strings.Join(lines, "\n")
		for _, l := range lines {
			bare := sgr.ReplaceAllString(l, "")
			if columns.Of(bare) >= size[0] || strings.ContainsFunc(bare, func(r rune) bool { return r < ' ' }) {
				t.Errorf("%v: %d columns: %q", size, columns.Of(bare), l)
			}
		}
		if size[0] >= 80 && (!strings.Contains(all, "task 29") || !strings.Contains(all, "task 30") || !strings.Contains(all, "ended") || !strings.Contains(all, "1 min 30 s")) {
			t.Errorf("%v:\n%s", size, all)
		}
	}
	if got := sgr.ReplaceAllString(screen.String(), ""); got != "warning: careful\\u{1b}[2J\n" {
		t.Errorf("%q", got)
	}
}

// That the worker answers in place of its code stays on the terminal, with the reason.
func TestInlineFallback(t *testing.T) {
	var screen bytes.Buffer
	n := &Inline{Screen: &screen}
	n.area.w = &screen
	emit(t, n, `{"type": "fallback", "id": "0", "worker": "sort", "depth": 0, "tool": "sort", "call": "0.1", "reason": "unsure", "message": "no word\u001b[2J"}`)
	if got := sgr.ReplaceAllString(screen.String(), ""); got != "the code of sort is unsure, so the worker answers: no word\\u{1b}[2J\n" {
		t.Errorf("%q", got)
	}
}

// If there is little room, times are not cut off.
func TestInlineTimesAreNotCut(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	n := &Inline{Screen: &bytes.Buffer{}, Now: func() time.Time { return at }}
	n.begun, n.area.w = at, n.Screen
	n.state.Begun = at
	emit(t, n,
		`{"type": "run.start", "id": "0", "worker": "main", "depth": 0, "input": "go"}`,
		`{"type": "worker.start", "id": "0", "worker": "main", "depth": 0, "source": "main.worker", "digest": "", "model": "m", "tools": []}`,
		`{"type": "model.start", "id": "0", "worker": "main", "depth": 0, "turn": 1, "messages": 2}`,
		`{"type": "retry", "id": "0", "worker": "main", "depth": 0, "attempt": 1, "code": "E_MODEL", "message": "the provider is busy and says so in very many words, of which most say nothing", "wait_ms": 12500}`)
	if got := strings.Join(n.lines(80, 24), "\n"); !strings.Contains(got, "trying again in 12.5 s") {
		t.Error(got)
	}
	emit(t, n,
		`{"type": "model.end", "id": "0", "worker": "main", "depth": 0, "turn": 1, "model": "m", "finish": "tool_calls", "calls": [{"id": "0.1", "name": "read_file"}], "usage": {"in": 1200, "out": 40}, "attempts": 1, "ms": 900}`,
		`{"type": "tool.start", "id": "0.1", "parent": "0", "worker": "main", "depth": 0, "tool": "read_file", "kind": "builtin", "args": {"path": "/a/very/long/path/that/takes/all/of/the/line.md"}}`)
	at = at.Add(75 * time.Second)
	for _, width := range []int{30, 40, 50} {
		if got := n.last(width); !strings.Contains(got, "1 min 15 s") || columns.Of(got) > width {
			t.Errorf("%d: %q", width, got)
		}
	}
}

// The summary counts denied calls. The note that the run is ending is removed at the
// end.
func TestInlineSummary(t *testing.T) {
	var screen bytes.Buffer
	n := &Inline{Screen: &screen, Answers: &screen}
	n.begun = n.now()
	n.Ending("interrupted: the run is ending")
	if got := strings.Join(n.lines(80, 24), "\n"); !strings.Contains(got, "the run is ending") {
		t.Error(got)
	}
	res := run.Result{Status: run.OK, Declined: []run.Denial{{Tool: "write_file"}}}
	if err := n.Finish(res); err != nil || !strings.Contains(screen.String(), "done in 0 s · 1 denied") || strings.Contains(screen.String(), "ending") {
		t.Errorf("%v %q", err, screen.String())
	}
}

// What a stopped run has said stays on the terminal, and is not an answer.
func TestStoppedRunKeepsItsText(t *testing.T) {
	var screen, answers bytes.Buffer
	n := &Inline{Screen: &screen, Answers: &answers}
	n.Start()
	emit(t, n,
		`{"type": "worker.start", "id": "0", "worker": "main", "depth": 0, "source": "main.worker", "digest": "", "model": "m", "tools": []}`,
		`{"type": "model.start", "id": "0", "worker": "main", "depth": 0, "turn": 1, "messages": 2}`,
		`{"type": "delta", "id": "0", "worker": "main", "depth": 0, "text": "one **two**\n\nthree\u001b[2J fo"}`)
	if err := n.Finish(run.Result{Status: run.Interrupted, Error: fault.New(fault.Interrupted, "stopped")}); err != nil {
		t.Fatal(err)
	}
	got := screen.String()
	at := strings.Index(got, "  one **two**\n\n  three\\u{1b}[2J fo\n")
	if at < 0 || at > strings.Index(got, "stopped in") || answers.Len() > 0 {
		t.Errorf("%q, %q", got, answers.String())
	}
}

// Lines that stay the same are drawn once. They are also erased if the terminal became
// narrower, so that each takes two rows.
func TestArea(t *testing.T) {
	var w bytes.Buffer
	a := area{w: &w}
	a.draw([]string{"one line", "two"}, 20)
	a.draw([]string{"one line", "two"}, 20)
	if got := w.String(); got != "one line\x1b[K\r\ntwo\x1b[K\r\n\x1b[J" {
		t.Errorf("%q", got)
	}
	w.Reset()
	a.clear(4)
	a.clear(4)
	if got := w.String(); got != "\r\x1b[3A\x1b[J" {
		t.Errorf("%q", got)
	}
}
