package session

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golem/core/conversation"
	"golem/core/fault"
	"golem/core/state"
	"golem/core/trace"
	"golem/core/ui"

	"golem/cmd/cli/console"
)

// named returns the conversations that /resume means: by its number in the list, by its
// name or a part of it, or by words of its title and its messages.
func (c *chatCommands) named(kept *state.Store, all []conversation.Listing, text string) ([]conversation.Listing, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all) {
		return all[n-1 : n], nil
	}
	with := func(is func(id string) bool) (out []conversation.Listing) {
		for _, l := range all {
			if is(l.ID) {
				out = append(out, l)
			}
		}
		return out
	}
	found := with(func(id string) bool { return id == text })
	if len(found) == 0 {
		found = with(func(id string) bool { return strings.Contains(id, text) })
	}
	if len(found) == 0 {
		found = conversation.Search(kept, all, text)
	}
	if len(found) == 0 {
		return nil, fault.New(fault.NotFound, "no conversation has %s in its name, its title or its messages", ui.OneLine(text)).Hinting("/resume alone lists them")
	}
	return found, nil
}

// severalText returns the list of the conversations that were found, with their numbers
// among all; "" if there are none.
func severalText(c *console.Console, all, found []conversation.Listing, text string) string {
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("%d conversations have %s; /resume N goes on with one\n", len(found), ui.OneLine(text)) +
		ConversationTable(c.Err, found, numbers(all, found))
}

// numbers returns the numbers, from 1, that some conversations have among all.
func numbers(all, some []conversation.Listing) (out []int) {
	for _, one := range some {
		out = append(out, 1+slices.IndexFunc(all, func(l conversation.Listing) bool { return l.ID == one.ID }))
	}
	return out
}

// ConversationTable returns the list for people, as wide as f if f is a terminal. Each row
// begins with its number, unless numbers is nil.
func ConversationTable(f *os.File, all []conversation.Listing, numbers []int) string {
	rows := [][]string{{"ID", "TIME", "STATUS", "TURNS", "COST", "TITLE"}}
	for _, l := range all {
		u := trace.Usage{Cost: l.Usage.Cost, CostPartial: l.Usage.Unpriced}
		title := ui.OneLine(l.Title)
		if l.From != nil {
			title += fmt.Sprintf("  (branch of %s before message %d)", ui.OneLine(l.From.ID), l.From.At)
		}
		if l.Error != nil {
			title += "  " + ui.OneLine(l.Error.Error())
		}
		rows = append(rows, []string{l.ID, console.WhenText(l.Time), ui.OneLine(l.Status), fmt.Sprint(l.Turns), u.CostText(), title})
	}
	if numbers != nil {
		for i, row := range rows {
			n := "N"
			if i > 0 {
				n = fmt.Sprint(numbers[i-1])
			}
			rows[i] = append([]string{n}, row...)
		}
	}
	return ui.Table(console.Narrowed(f, rows, "TIME", "COST", "TURNS"))
}
