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

// notice is how the terminal notifies the person that a run asks or has ended: as
// config.yaml says, until /set notify changes it. The zero value follows the config.
type notice struct {
	mu   sync.Mutex
	kind string
}

// set carries out /set notify=KIND. An empty KIND follows the config again.
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

// notice returns a function that returns the sequence with which the terminal notifies
// the person of a text; "" for none.
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

// desktop returns the sequence for a desktop notification if the terminal is known to
// support it, else the bell.
func (h *host) desktop(text string) string {
	text = strings.ReplaceAll(ui.OneLine(text), ";", ",") // a ; would end the field
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
