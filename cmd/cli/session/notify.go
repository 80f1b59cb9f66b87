package session

import (
	"slices"
	"strings"
	"sync"

	"golem/core"
	"golem/core/config"
	"golem/core/fault"
	"golem/core/ui"

	"golem/cmd/cli/console"
)

// Notice is how the terminal notifies the person that a run asks or has ended: as
// config.yaml says, until /set notify changes it. The zero value follows the config.
type Notice struct {
	mu   sync.Mutex
	kind string
}

// set carries out /set notify=KIND. An empty KIND follows the config again.
func (n *Notice) set(kind string) (string, error) {
	if kind = strings.TrimSpace(kind); kind != "" && !slices.Contains(config.Notices, kind) {
		return "", console.Usage("notify is one of %s", strings.Join(config.Notices, ", ")).Hinting("%s", fault.DidYouMean(kind, config.Notices))
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
func (s *Session) notice(inst *core.Instance) func(text string) string {
	c, n := s.Console, s.notices
	return func(text string) string {
		n.mu.Lock()
		kind := n.kind
		n.mu.Unlock()
		if kind == "" {
			kind = inst.Notify()
		}
		switch kind {
		case "bell":
			return "\a"
		case "desktop":
			return desktop(c, text)
		}
		return ""
	}
}

// desktop returns the sequence for a desktop notification if the terminal is known to
// support it, else the bell.
func desktop(c *console.Console, text string) string {
	text = strings.ReplaceAll(ui.OneLine(text), ";", ",") // a ; would end the field
	program, term := c.Env["TERM_PROGRAM"], c.Env["TERM"]
	switch {
	case c.Env["TMUX"] != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return "\a"
	case slices.Contains([]string{"iTerm.app", "WezTerm", "ghostty"}, program), strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"):
		return "\x1b]9;" + text + "\x1b\\"
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "rxvt"):
		return "\x1b]777;notify;golem;" + text + "\x1b\\"
	}
	return "\a"
}
