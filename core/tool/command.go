package tool

// Grammar parses command lines, so that rules match what would run and not how it is
// written (SECURITY 20).
type Grammar interface {
	// Parse reads a command. It never fails: what it cannot read is Broken.
	Parse(command string) CommandLine
	// Globs are the words of a rule's pattern, each a glob; nil for a pattern
	// that is no single simple command.
	Globs(pattern string) []string
}

// CommandLine is what a command runs.
type CommandLine struct {
	// Commands are all simple commands that may run, wherever they stand.
	Commands []SimpleCommand
	// Plain says that Commands are all there is: a list or pipeline of simple
	// commands whose words are known and that touch no file by redirection.
	Plain  bool
	Broken bool // it could not be parsed
}

// SimpleCommand is the words of one simple command, without their quotes.
type SimpleCommand []Word

// Word is one word of a command.
type Word struct {
	Text string
	// Expands says that the shell may make several words of it: file name
	// patterns, braces or a tilde stand in it unquoted.
	Expands bool
	// Unknown says that Text is not what the word will be: variables or
	// substitutions stand in it.
	Unknown bool
}
