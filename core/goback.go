package core

import (
	"fmt"
	"slices"
	"strings"

	"golem/core/run"
	"golem/core/trace"
	"golem/core/ui"
)

// attachAgain attaches the files of a message that the person took back to the next one, where
// files can be attached by a command. Those that the text names with @ go with it anyway. It
// returns the names of all files that are attached now.
func attachAgain(s *run.Session, host ChatHost, files []run.File, draft string) string {
	if len(files) == 0 || !host.CommandLine() {
		return ""
	}
	named, _, err := host.Mentioned(draft)
	if err != nil {
		named = nil
	}
	for _, f := range files {
		if !slices.ContainsFunc(slices.Concat(named, s.Attached()), func(n run.File) bool { return n.Name == f.Name }) {
			s.Attach(f)
		}
	}
	var names []string
	for _, f := range s.Attached() {
		names = append(names, ui.OneLine(f.Name))
	}
	return strings.Join(names, ", ")
}

// branched says that the chat goes on in the branch id, before the person's message n, and that
// what it left is kept. draft is that message if the person took it back, to edit it.
func branched(s *run.Session, id string, n int, what, left, more, draft string) {
	text := fmt.Sprintf(what+": this is the branch %s now; %s stays in the list of conversations%s", n, id, left, more)
	page := fmt.Sprintf(what+": %s stays: ‹ and › at your message show it%s", n, left, more)
	s.Show(trace.Status{Level: "info", Conversation: id, Before: n, Draft: draft, Text: text, Page: page})
}
