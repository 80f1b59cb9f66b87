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
	Message   CommandName = ""
	New       CommandName = "new"
	Exit      CommandName = "exit"
	Help      CommandName = "help"
	Tools     CommandName = "tools"
	Call      CommandName = "tool"
	Rewind    CommandName = "rewind"
	Again     CommandName = "again"
	Compact   CommandName = "compact"
	Model     CommandName = "model"
	Set       CommandName = "set"
	Cost      CommandName = "cost"
	Resume    CommandName = "resume"
	Clearance CommandName = "clearance"
	Undo      CommandName = "undo"
	Test      CommandName = "test"
	Approvals CommandName = "approvals"
	Trace     CommandName = "trace"
	Attach    CommandName = "attach"
	Export    CommandName = "export"
	Copy      CommandName = "copy"
	Ask       CommandName = "ask"
	Edits     CommandName = "edits"
	Plan      CommandName = "plan"
	Title     CommandName = "title"
)

// Command is one line that a person typed in a chat.
type Command struct {
	Name CommandName
	Arg  string // the text after the name; for a Message the whole text
}

// IsMessage reports whether a line of a chat is a message, and not a command.
func IsMessage(line string) bool {
	c, err := ParseCommand(line)
	return err == nil && c.Name == Message
}

var commandAliases = map[string]CommandName{"quit": Exit, "reset": New, "clear": New, "?": Help, "call": Call, "retry": Again}

// ParseCommand parses a line of a chat. A line that begins with one slash and a
// letter is a command, unless another slash follows the word (a path such as
// /src/a.go); "//x" sends "/x" as a message. An unknown command, and an argument that
// the command does not take, is an E_USAGE fault that says what to type.
func ParseCommand(line string) (Command, error) { return ParseCommandFor(line, true) }

// ParseCommandFor is ParseCommand, whose fault offers the commands that need a command line
// only if there is one.
func ParseCommandFor(line string, host bool) (Command, error) {
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
	for _, a := range actions {
		switch a.Command {
		case "":
		case known:
			c := Command{Name: known, Arg: strings.TrimSpace(arg)}
			if c.Arg != "" && a.Args == "" {
				return Command{}, fault.New(fault.Usage, "/%s takes no argument", known).
					Hinting("send /%s alone; begin with // to send a text that begins with /", known)
			}
			return c, nil
		default:
			if host || !a.Host {
				names = append(names, string(a.Command))
			}
		}
	}
	hint := "/help lists the commands"
	if near := fault.Nearest(name, names); near != "" && near[0]|0x20 == name[0]|0x20 { // /nope is not /copy
		hint = "did you mean /" + near
	}
	return Command{}, fault.New(fault.Usage, "there is no command /%s", SafeLine(name)).
		Hinting("%s; begin with // to send a text that begins with /", hint)
}

// InChat returns the text of an error in the words of a chat, which has commands where a run
// has flags.
func InChat(text string) string {
	return strings.ReplaceAll(text, "another model with --model", "another model with /model")
}
