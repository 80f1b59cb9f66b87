package tui

import (
	"strings"
	"time"

	"golem/core/ui"
	"golem/core/ui/view"
)

// thoughtKey returns the key of what the model reasons. While it does, its seconds count.
func (t *transcript) thoughtKey(it *view.Item) blockKey {
	key := blockKey{size: len(it.Text()), voids: it.Voids, done: it.Over}
	if !it.Over {
		key.over = int(t.as.now().Sub(it.Begun) / time.Second)
	} else if it.Spent != nil {
		key.over, key.calls = int(it.Spent.MS), it.Spent.Tokens
	}
	return key
}

// thought returns the lines of what the model reasons: one line, and with details the text
// below it, which is marked so that none of it looks like a line of golem or of the answer.
func (t *transcript) thought(b *block, it *view.Item) []string {
	if strings.TrimSpace(it.Text()) == "" {
		return nil
	}
	text := "thinks, " + ui.Seconds(t.as.now().Sub(it.Begun))
	if it.Over {
		text = ui.Thought(it.Spent)
	}
	if !t.as.details {
		text += " (Ctrl+O)"
	}
	out := []string{paint(t.as.color, dim, cut("· "+text, t.as.width))}
	if !t.as.details {
		return out
	}
	if b.say == nil || b.say.voids != it.Voids {
		b.say = newSaid(look{width: t.as.width - 2, color: false}, it.Voids)
	}
	finished, tail := b.say.lines(it.Text(), it.Over)
	for _, lines := range [][]string{finished[min(1, len(finished)):], tail} {
		for _, l := range lines {
			out = append(out, paint(t.as.color, dim, "  │ "+strings.TrimPrefix(l, "  ")))
		}
	}
	return out
}
