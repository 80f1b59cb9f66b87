package ui

import (
	"strings"

	"golem/core/fault"
)

// CommandName is the name of a chat command, without its slash.
type CommandName string

// The commands of a chat. Message means that the line is not a command; its
// text is in Command.Arg.
const (
	Message CommandName = ""
	New     CommandName = "new"
	Exit    CommandName = "exit"
	Help    CommandName = "help"
	Tools   CommandName = "tools"
	Call    CommandName = "call"
	Rewind  CommandName = "rewind"
	Compact CommandName = "compact"
)

// Command is one line that a person typed in a chat.
type Command struct {
	Name CommandName
	Arg  string // the text after the name; for a Message the whole text
}

var commandHelp = []struct {
	name CommandName
	text string
}{
	{New, "forget the conversation and start over"},
	{Rewind, "go back to before your message N, as a branch: /rewind 3 (the other branch stays)"},
	{Compact, "make the conversation shorter: everything but the last exchange becomes a summary"},
	{Tools, "list the tools the worker may use"},
	{Call, "call a tool yourself: /call NAME {\"a\": 1}, /call NAME text, or /call NAME, which asks for each argument; /tool is the same"},
	{Help, "show this list"},
	{Exit, "end the chat (end of input does the same)"},
}

var commandAliases = map[string]CommandName{"quit": Exit, "reset": New, "clear": New, "?": Help, "tool": Call}

// ParseCommand parses a line of a chat. A line that begins with one slash and a
// letter is a command, unless another slash follows the word (a path such as
// /src/a.go); "//x" sends "/x" as a message. An unknown command is an E_USAGE
// fault that names the most similar command.
func ParseCommand(line string) (Command, error) {
	text := strings.TrimSpace(line)
	if strings.HasPrefix(text, "//") {
		return Command{Arg: text[1:]}, nil
	}
	name, isSlash := strings.CutPrefix(text, "/")
	name, arg, _ := strings.Cut(name, " ")
	if !isSlash || name == "" || strings.ContainsAny(name, "/.\n") {
		return Command{Arg: line}, nil
	}
	known := CommandName(strings.ToLower(name))
	if a, ok := commandAliases[string(known)]; ok {
		known = a
	}
	var names []string
	for _, c := range commandHelp {
		if c.name == known {
			return Command{Name: known, Arg: strings.TrimSpace(arg)}, nil
		}
		names = append(names, "/"+string(c.name))
	}
	return Command{}, fault.New(fault.Usage, "there is no command /%s", oneLine(name)).
		Hinting("%s; begin with // to send a text that begins with /", fault.DidYouMean("/"+name, names))
}

// CommandHelp returns the list that /help shows, one command per line.
func CommandHelp() string {
	var b strings.Builder
	for _, c := range commandHelp {
		b.WriteString("/" + string(c.name) + strings.Repeat(" ", 9-len(c.name)) + c.text + "\n")
	}
	return b.String()
}
