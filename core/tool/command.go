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
	// Covers reports whether a pattern with these globs may allow the command c, which
	// matches them. It may not if words in the place of a wildcard can make the command
	// do more than the pattern says, for example start another program.
	Covers(c SimpleCommand, globs []string) bool
	// Exact reports whether the command, if it is used as a pattern, allows only that
	// command.
	Exact(command string) bool
}

// CommandLine is a parsed command: the simple commands that it may run.
type CommandLine struct {
	// Commands are all simple commands that may run, wherever they are in the
	// line.
	Commands []SimpleCommand
	// Plain says that Commands is complete: the line is a list or pipeline of
	// simple commands with known words, and of redirections to and from known files.
	Plain  bool
	Broken bool // it could not be parsed
}

// SimpleCommand is the list of the words of one simple command, without their quotes.
// A redirection is a SimpleCommand of its own with two words: WritesFile or ReadsFile,
// then the name of the file.
type SimpleCommand []Word

// The first word of a redirection. It begins with a NUL byte, which no word of a
// command contains. So a program called ">" is not taken for a redirection.
const (
	WritesFile = "\x00>"
	ReadsFile  = "\x00<"
)

// Redirects returns WritesFile or ReadsFile if c is a redirection, and "" otherwise.
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
