package tui

import (
	"slices"

	"golem/core/ui/view"
)

// begun reports whether there is more to see than notices, or a conversation goes on.
func begun(m *model) bool {
	if m.o.Resumed || m.dialog != nil || m.state.Status == view.Running {
		return true
	}
	return slices.ContainsFunc(m.state.Items, func(it *view.Item) bool { return it.Kind != view.Notice || it.Level == command })
}

// welcome returns the help that an empty conversation shows, in at most room lines; notices
// says that notices follow.
func welcome(width, room int, color, notices bool) []string {
	var out []string
	for _, l := range []string{
		"Write a message; Enter sends it. /help lists the commands and the keys.",
		"Ctrl+C stops the answer. Ctrl+D, or Ctrl+C twice, leaves the chat.",
		"Shift+Tab changes what workers may do without a question. @FILE sends a file.",
		"PgUp and PgDn scroll. Ctrl+T shows the workers, Ctrl+O calls and reasoning.",
	} {
		for _, w := range wrap(l, width) {
			out = append(out, paint(color, dim, w))
		}
	}
	if notices && len(out) < room {
		out = append(out, "")
	}
	return out[:min(len(out), max(room, 0))]
}

// keyHelp is what /help says after the commands.
const keyHelp = `
Enter                  send the message; while an answer is being made, the model gets it
                       before its next request
Alt+Enter, \ Enter     begin a new line; Ctrl+J and Shift+Enter do it, too
@FILE                  send a file that the worker can read; a file that you drop on the
                       window, or whose path you paste, is sent, too
!COMMAND               run a command with the worker's shell
Up, Ctrl+R             bring back what you wrote before; search in it
Alt+Up, Alt+Down       mark a message of yours: e edits it, a has it answered again,
                       Left and Right show its other forms (‹2/3›)
Ctrl+G                 write the message in your own editor
Ctrl+C                 stop the answer; empty the editor; twice: leave (exit code 130)
Ctrl+D                 leave; press it twice if a message waits
Ctrl+Z                 suspend golem; fg brings it back
Shift+Tab              change what workers may do without a question: ask, edits, plan
PgUp, PgDn, Ctrl+End   scroll; go to the end. So does the wheel, and in an empty editor
                       Home and End
Ctrl+T, Ctrl+O, Ctrl+S show the workers; calls and reasoning; the staged changes. Again: back
Shift and the mouse    select text of the screen (in iTerm Option, in Terminal Fn)

While golem asks:
Tab                    go to the question, and back to your message
a letter               mark its answer. y and n count after half a second without another key,
                       if your message is empty
Enter                  give the marked answer: no, until you mark another
Up, Down               mark another answer; past no or yes, they list all with what each covers
Esc                    no
PgUp, PgDn, v          show the rest of the question
`
