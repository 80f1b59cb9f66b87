package tool

// Grammar parses command lines, so that rules match what would run and not how it is
// written (SECURITY 20).
type Grammar interface {
	// Parse parses a command. It never fails: a command that it cannot parse is
	// Broken.
	Parse(command string) CommandLine
	// Globs returns the words of a rule's pattern, each a glob, or nil if the
	// pattern is not one simple command.
	Globs(pattern string) []string
	// Covers reports whether a pattern of these globs may allow a command that matches
	// them: nothing that stands in the place of a wildcard makes the command do more
	// than the pattern says, such as start another program.
	Covers(c SimpleCommand, globs []string) bool
	// Exact reports whether a pattern that is written like the command means just that
	// command.
	Exact(command string) bool
}

// CommandLine is what a command runs.
type CommandLine struct {
	// Commands are all simple commands that may run, wherever they are in the
	// line.
	Commands []SimpleCommand
	// Plain says that Commands is complete: the line is a list or pipeline of
	// simple commands with known words, and of redirections to and from known files.
	Plain  bool
	Broken bool // it could not be parsed
}

// SimpleCommand is the words of one simple command, without their quotes. A
// redirection is one of its own, of two words: WritesFile or ReadsFile, and the file.
type SimpleCommand []Word

// The first word of a redirection. No word of a command contains a NUL byte, so that
// a program called ">" is something else.
const (
	WritesFile = "\x00>"
	ReadsFile  = "\x00<"
)

// Redirects returns the word of a redirection that says what it does; "" for a
// command.
func (c SimpleCommand) Redirects() string {
	if len(c) == 2 && (c[0].Text == WritesFile || c[0].Text == ReadsFile) {
		return c[0].Text
	}
	return ""
}

// Word is one word of a command.
type Word struct {
	Text string
	// Expands says that the shell may make several words of it, because it
	// contains file name patterns, braces or a tilde without quotes.
	Expands bool
	// Unknown says that Text is not what the word will be when it runs, because
	// it contains variables or substitutions.
	Unknown bool
}
