package tui

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"golem/core/approval"
	"golem/core/run"
	"golem/core/trace"

	"golem/cmd/cli/columns"
)

// driver acts as the session and as the person, without a terminal and without a clock,
// so that the screen depends only on what the test sends.
type driver struct {
	t       *testing.T
	m       *model
	u       *UI
	at      time.Time
	stops   int
	leaves  int
	replies chan approval.Decision
}

func drive(t *testing.T, width, height int, color bool) *driver {
	d := &driver{t: t, at: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), replies: make(chan approval.Decision, 4)}
	d.u = New(Options{
		Project: "demo", Entry: "main", Model: "openai:gpt-5-mini", Mode: "interactive", Color: color,
		Stop: func() bool { d.stops++; return true }, Leave: func() { d.leaves++ }, Now: func() time.Time { return d.at },
	})
	d.m = d.u.model
	d.m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	return d
}

// events emits the events in lines of a trace.
func (d *driver) events(lines string) {
	d.t.Helper()
	for l := range strings.Lines(lines) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		e, err := trace.Decode([]byte(l))
		if err != nil {
			d.t.Fatalf("%s: %v", l, err)
		}
		d.u.Emit(e)
	}
	d.m.Update(arrived{})
	d.m.View()
}

func (d *driver) ask(r approval.Request) {
	d.u.post(asked{r, d.replies})
	d.m.Update(arrived{})
}

// arm gives the keyboard to the question.
func (d *driver) arm() { d.keys("tab") }

// pause lets a moment pass without a key, in which a letter counts.
func (d *driver) pause() {
	d.at = d.at.Add(time.Second)
	if q := d.m.dialog; q != nil && q.wait > 0 {
		d.m.Update(waited{q, q.number})
	}
	d.m.View()
}

// prompt makes the session wait for a message. The channel gets the message, and is
// closed at the end.
func (d *driver) prompt() chan run.Input {
	select {
	case <-d.u.wake: // left by an earlier post
	default:
	}
	got := make(chan run.Input, 1)
	go func() {
		in, err := d.u.Prompt(context.Background())
		if err == nil {
			got <- in
		}
		close(got)
	}()
	<-d.u.wake // it was posted
	d.m.Update(arrived{})
	return got
}

var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "tab": tea.KeyTab, "left": tea.KeyLeft, "right": tea.KeyRight, "end": tea.KeyEnd, "home": tea.KeyHome, "backspace": tea.KeyBackspace,
}

func (d *driver) keys(list ...string) {
	for _, k := range list {
		d.at = d.at.Add(120 * time.Millisecond)
		var key tea.Key
		bare, alt := strings.CutPrefix(k, "alt+")
		switch rest, ctrl := strings.CutPrefix(k, "ctrl+"); {
		case alt:
			key = tea.Key{Code: keyCodes[bare], Mod: tea.ModAlt}
		case ctrl:
			key = tea.Key{Code: rune(rest[0]), Mod: tea.ModCtrl}
		case keyCodes[k] != 0:
			key = tea.Key{Code: keyCodes[k]}
		default:
			for _, r := range k {
				d.at = d.at.Add(120 * time.Millisecond)
				d.m.Update(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
				d.m.View()
			}
			continue
		}
		d.m.Update(tea.KeyPressMsg(key))
		d.m.View()
	}
}

func (d *driver) screen() string { return d.m.View().Content }

func (d *driver) has(texts ...string) {
	d.t.Helper()
	for _, want := range texts {
		if !strings.Contains(d.screen(), want) {
			d.t.Errorf("no %q on the screen:\n%s", want, d.screen())
		}
	}
}

func (d *driver) hasNot(texts ...string) {
	d.t.Helper()
	for _, no := range texts {
		if strings.Contains(d.screen(), no) {
			d.t.Errorf("%q on the screen:\n%s", no, d.screen())
		}
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// fits checks what must be true of every screen: it is not larger than the terminal,
// and nothing in it moves the cursor.
func (d *driver) fits() {
	d.t.Helper()
	lines := strings.Split(d.screen(), "\n")
	if len(lines) > d.m.terminal.height {
		d.t.Errorf("%d lines of %d:\n%s", len(lines), d.m.terminal.height, d.screen())
	}
	for _, l := range lines {
		bare := sgr.ReplaceAllString(l, "")
		if !d.m.o.Color && bare != l {
			d.t.Errorf("an escape sequence without colours: %q", l)
		}
		if strings.ContainsFunc(bare, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u202e' }) {
			d.t.Errorf("a control character: %q", l)
		}
		if columns.Of(bare) > d.m.terminal.width {
			d.t.Errorf("%d columns of %d: %q", columns.Of(bare), d.m.terminal.width, l)
		}
	}
}
