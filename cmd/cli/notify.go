package main

import (
	"slices"
	"strings"
	"sync"

	"golem/core"
	"golem/core/fault"
	"golem/core/project"
	"golem/core/ui"
)

// notice is how the terminal tells of a run that asks or ends: what the person's
// config.yaml says, until /set notify says otherwise. The zero value asks the config.
type notice struct {
	mu   sync.Mutex
	kind string
}

// set carries out /set notify=KIND; an empty KIND goes back to the config.
func (n *notice) set(kind string) (string, error) {
	if kind = strings.TrimSpace(kind); kind != "" && !slices.Contains(project.Notices, kind) {
		return "", usage("notify is one of %s", strings.Join(project.Notices, ", ")).Hinting("%s", fault.DidYouMean(kind, project.Notices))
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kind = kind
	if kind == "" {
		return "notify follows your config.yaml again", nil
	}
	return "notify=" + kind, nil
}

// notice is what a terminal gets to tell the person of a text; "" for nothing.
func (s *session) notice(inst *core.Instance) func(text string) string {
	h := s.host
	return func(text string) string {
		h.notice.mu.Lock()
		kind := h.notice.kind
		h.notice.mu.Unlock()
		if kind == "" {
			kind = inst.Notify()
		}
		switch kind {
		case "bell":
			return "\a"
		case "desktop":
			return h.desktop(text)
		}
		return ""
	}
}

// desktop is the sequence for a notification of the desktop, where the terminal is known
// to have it, else the bell.
func (h *host) desktop(text string) string {
	text = strings.ReplaceAll(ui.OneLine(text), ";", ",") // which ends a field
	program, term := h.env["TERM_PROGRAM"], h.env["TERM"]
	switch {
	case h.env["TMUX"] != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return "\a"
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty"}, program), strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"):
		return "\x1b]9;" + text + "\x1b\\"
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		return "\x1b]777;notify;golem;" + text + "\x1b\\"
	}
	return "\a"
}
