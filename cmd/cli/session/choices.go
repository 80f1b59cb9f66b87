package session

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"golem/core/conversation"
	"golem/core/ui"

	"golem/cmd/cli/console"
	"golem/cmd/cli/editor"
	"golem/cmd/cli/projectcmd"
)

// models are the models that the providers offered last. They are safe for concurrent use.
type models struct {
	mu    sync.Mutex
	names []editor.Choice
}

// forModels is how long the providers may take to list their models.
const forModels = 20 * time.Second

// lookUp asks the providers for their models after /model, and reports whether there are
// some.
func (w *writing) lookUp(command string) bool {
	if command != "/model" {
		return false
	}
	ctx, stop := context.WithTimeout(context.Background(), forModels)
	defer stop()
	offers, _ := projectcmd.ListModels(ctx, w.inst, nil) // the session tells what failed, if nothing is offered
	var names []editor.Choice
	for i, row := range projectcmd.ModelRows(offers) {
		if i > 0 && row[0] == offers[i-1].Name { // else the name has signs that cannot be typed
			names = append(names, editor.Choice{Text: row[0], Help: priceOf(row)})
		}
	}
	w.found.mu.Lock()
	defer w.found.mu.Unlock()
	w.found.names = names
	return len(names) > 0
}

// priceOf returns the context size and the price of a row of the table of models.
func priceOf(row []string) string {
	var about []string
	if row[1] != "" {
		about = append(about, row[1]+" tokens")
	}
	if row[2] != "" {
		about = append(about, "$"+row[2]+" in, $"+row[4]+" out for a million tokens")
	}
	return strings.Join(about, ", ")
}

// models returns what can follow /model: the models that were looked up, and the providers.
func (w *writing) models() []editor.Choice {
	w.found.mu.Lock()
	all := slices.Clone(w.found.names)
	w.found.mu.Unlock()
	names, local := w.inst.Models().Keyed()
	for _, name := range names {
		help := "its key is set"
		if local[name] {
			help = "on this machine"
		}
		all = append(all, editor.Choice{Text: name + ":", Help: help})
	}
	return append(all, editor.Choice{Text: "script:", Help: "a script that stands in for a model"})
}

// conversations returns the conversations that /resume can go on with, the newest first.
// They are read again when nothing follows the command yet.
func (w *writing) conversations(prefix string) []editor.Choice {
	kept := w.inst.Conversations()
	if kept == nil || prefix != "" && w.kept != nil {
		return w.kept
	}
	w.kept = []editor.Choice{}
	entry, err := w.inst.Entry()
	for _, l := range conversation.List(kept) {
		if l.ID == w.live.id() || l.Error != nil || err == nil && l.Worker != entry.ID {
			continue
		}
		title := ui.Brief(l.Title)
		w.kept = append(w.kept, editor.Choice{Text: l.ID, Help: title, Shown: console.WhenText(l.Time) + "  " + title + "  " + l.ID})
	}
	return w.kept
}

// matching returns the choices that have all words of a text, in any case. Those that begin
// with it come first. Where the list shows something else than the text, such as times, only
// a word of minSign bytes or more finds this: a shorter one is in all of them.
func matching(all []editor.Choice, text string) (out []editor.Choice) {
	words := strings.Fields(strings.ToLower(text))
	for _, c := range all {
		in, signs := strings.ToLower(c.Text+" "+c.Help), ""
		if c.Shown != "" {
			in, signs = strings.ToLower(c.Help), strings.ToLower(c.Shown)
		}
		if strings.HasPrefix(c.Text, text) || !slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(in, word) && (len(word) < minSign || !strings.Contains(signs, word))
		}) {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b editor.Choice) int {
		return btoi(strings.HasPrefix(b.Text, text)) - btoi(strings.HasPrefix(a.Text, text))
	})
	return out
}

// minSign is the shortest word that finds a time or an ID, in bytes.
const minSign = 4

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
