package ui

import "strings"

// When says in which state of a conversation an action is possible.
type When string

// The states. Idle is between two exchanges, Busy during one, Asked while golem waits for
// a person's answer to a question, Answered after the model's first answer, Staged while
// changes wait for a decision.
const (
	Ever     When = ""
	Idle     When = "idle"
	Busy     When = "busy"
	Asked    When = "asked"
	Answered When = "answered"
	Staged   When = "staged"
)

// Action is one thing that a person can do in a conversation. /help, completion, the
// documentation and the menus of the front ends are made from the list of actions.
type Action struct {
	Name string // never changes, so front ends can rely on it
	// Command is the slash command, without its slash; "" if only a key or a button does it.
	Command CommandName
	Args    string // the arguments of the command, as in a line of usage
	Help    string // one sentence, without a full stop
	Keys    string // the keys in the terminal
	When    When
	// Host says that the command needs a command line (RunOptions.Command).
	Host bool
}

var actions = []Action{
	{Name: "send", Help: "send the message", Keys: "Enter", When: Idle},
	{Name: "stop", Help: "stop the exchange; the conversation goes on", Keys: "Ctrl+C", When: Busy},
	{Name: "answer", Help: "answer a question: each offered answer has a letter", Keys: "y n s a r d", When: Asked},
	{Name: "help", Command: Help, Help: "list the commands"},
	{Name: "new", Command: New, Help: "start over; the model forgets what was said", When: Idle},
	{Name: "resume", Command: Resume, Args: "[N|ID|WORDS]", Help: "go on with another conversation, by its number, its name or words in it; alone, list them", When: Idle, Host: true},
	{Name: "rewind", Command: Rewind, Args: "[N]", Help: "go back to before your message N, as a branch; without N, list your messages", When: Idle},
	{Name: "again", Command: Again, Args: "[N]", Help: "answer your last message again, or your message N, as a branch", When: Idle},
	{Name: "title", Command: Title, Args: "[WORDS]", Help: "give the conversation a title; without WORDS, the model makes one", When: Idle},
	{Name: "model", Command: Model, Args: "[NAME]", Help: "use another model from now on; without NAME, list the models", When: Idle},
	{Name: "set", Command: Set, Args: "[NAME=VALUE]", Help: "set a setting of the model, such as temperature=0.2; without a value, show them", When: Idle},
	{Name: "ask", Command: Ask, Help: "ask you about each call that needs it; a resumed conversation begins so", Keys: "Shift+Tab"},
	{Name: "edits", Command: Edits, Help: "let workers write files of the project without asking; all else still asks", Keys: "Shift+Tab"},
	{Name: "plan", Command: Plan, Help: "let workers only read; everything else is denied", Keys: "Shift+Tab"},
	{Name: "tools", Command: Tools, Help: "list the tools of the worker", When: Idle},
	{Name: "tool", Command: Call, Args: "NAME [JSON]", Help: "call a tool yourself; without JSON, golem asks for each argument", When: Idle},
	{Name: "clearance", Command: Clearance, Args: "[diff|push|discard|defer ID]", Help: "list the staged changes, or decide on one", Keys: "Ctrl+S", When: Idle, Host: true},
	{Name: "undo", Command: Undo, Args: "[all] [yes]", Help: "show what the last exchange changed in the files, or all; with yes, put it back", When: Idle},
	{Name: "test", Command: Test, Args: "[yes]", Help: "show a test of the first exchange; with yes, keep it in tests/", When: Idle},
	{Name: "approvals", Command: Approvals, Args: "[remove N]", Help: "list the approval rules that you keep, or remove one", When: Idle, Host: true},
	{Name: "cost", Command: Cost, Help: "show the tokens used, their cost, and how full the context is", When: Idle},
	{Name: "compact", Command: Compact, Help: "make a summary of all but the last exchange, or but the last turn of the only one", When: Idle},
	{Name: "trace", Command: Trace, Help: "show the calls so far, with their durations and tokens", When: Idle, Host: true},
	{Name: "attach", Command: Attach, Args: "[FILE]", Help: "send a file with your next message; without FILE, list them", When: Idle, Host: true},
	{Name: "export", Command: Export, Args: "[FILE]", Help: "write the conversation to a file, as Markdown", When: Idle, Host: true},
	{Name: "copy", Command: Copy, Args: "[code]", Help: "copy the last answer, or its last code block, to the clipboard", When: Answered, Host: true},
	{Name: "exit", Command: Exit, Help: "end the chat (end of input does the same)", Keys: "Ctrl+D"},
}

// Actions returns all actions, in the order in which front ends show them. The caller must
// not change the slice.
func Actions() []Action { return actions }

// Usage returns the command with its arguments: "/rewind [N]"; "" if it has no command.
func (a Action) Usage() string {
	if a.Command == "" {
		return ""
	}
	return strings.TrimSpace("/" + string(a.Command) + " " + a.Args)
}

// CommandHelp returns the list that /help shows, one command per line. With host, it
// includes the commands that need a command line.
func CommandHelp(host bool) string {
	var b strings.Builder
	for _, a := range actions {
		if use := a.Usage(); use != "" && (host || !a.Host) {
			if len(use) > 22 {
				use += "\n" + strings.Repeat(" ", 22)
			}
			b.WriteString(use + strings.Repeat(" ", max(23-len(use), 1)) + a.Help + "\n")
		}
	}
	return b.String()
}
