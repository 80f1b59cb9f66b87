// Package sh parses commands as a POSIX shell does, so that approval rules
// match what will run (SECURITY 20). Only programs that run commands need to
// link it.
package sh

import (
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"golem/core/tool"
)

// Grammar is the grammar of sh, which may be dash, bash or another shell. A
// command that POSIX shells and bash would run differently does not count as
// plain.
type Grammar struct {
	// Git knows the configuration of the repositories in which commands may run; nil: git
	// starts no program of its own accord.
	Git GitConfig
}

// GitConfig knows what git's own configuration starts.
type GitConfig interface {
	// Starts returns what a git command that only shows something may start, such as
	// core.fsmonitor, or "" if there is nothing.
	Starts() string
}

var _ tool.Grammar = Grammar{}

// maxCommand is the longest command in bytes. A longer one counts as one that cannot be
// parsed.
const maxCommand = 16 << 10

// maxCommands is how many simple commands a command line may have. A line with more counts
// as one that cannot be parsed.
const maxCommands = 256

// maxNested is the depth to which commands within words (sh -c "…") are parsed.
const maxNested = 3

// Parse parses a command.
func (Grammar) Parse(command string) tool.CommandLine { return parse(command, maxNested) }

// Globs returns the words of a pattern as globs; text in quotes is literal. It returns nil
// if the pattern is not one simple command or one redirection.
func (Grammar) Globs(pattern string) []string {
	f := parsed(pattern, syntax.LangPOSIX)
	if f == nil || len(f.Stmts) != 1 || !isPlain(f) {
		return nil
	}
	if s := f.Stmts[0]; len(s.Redirs) > 0 {
		op := redirects(s.Redirs[0])
		if s.Cmd != nil || len(s.Redirs) > 1 || op == "" {
			return nil
		}
		return []string{op, globOf(s.Redirs[0].Word)}
	}
	c, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = globOf(w)
	}
	return words
}

func parse(raw string, depth int) tool.CommandLine {
	if len(raw) > maxCommand {
		return tool.CommandLine{Broken: true}
	}
	posix, bash := parsed(raw, syntax.LangPOSIX), parsed(raw, syntax.LangBash)
	l := tool.CommandLine{Commands: commandsOf(posix), Broken: posix == nil || bash == nil}
	other := commandsOf(bash)
	same := reflect.DeepEqual(l.Commands, other)
	l.Plain = !l.Broken && same && isPlain(posix) && isPlain(bash) && !strings.ContainsFunc(raw, isOdd) && !redirectsElsewhere(l.Commands) && !otherRepository(l.Commands)
	if !same {
		l.Commands = append(l.Commands, other...)
	}
	if depth > 0 {
		for _, c := range l.Commands {
			if len(l.Commands) > maxCommands {
				break
			}
			l.Commands = append(l.Commands, nested(c, depth-1)...)
		}
	}
	if len(l.Commands) > maxCommands {
		l.Commands, l.Plain, l.Broken = l.Commands[:maxCommands], false, true
	}
	return l
}

// isOdd reports whether shells and the parser may treat a character differently: control
// characters, and white space that is white space only in some locales.
func isOdd(r rune) bool {
	return r != '\t' && r != '\n' && unicode.IsControl(r) || r > unicode.MaxASCII && unicode.IsSpace(r)
}

// parsed returns the syntax tree, or nil if the text cannot be parsed.
func parsed(raw string, lang syntax.LangVariant) (f *syntax.File) {
	defer func() {
		if recover() != nil {
			f = nil
		}
	}()
	f, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(raw), "")
	if err != nil || slices.ContainsFunc(commentsOf(f), func(c string) bool { return strings.Contains(c, "\\") }) {
		// For the parser a backslash joins a comment with the next line, for
		// shells it does not.
		return nil
	}
	return f
}

func commentsOf(f *syntax.File) []string {
	var out []string
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			out = append(out, c.Text)
		}
		return true
	})
	return out
}

// commandsOf returns all simple commands, including those in substitutions and bodies, and
// the redirections to and from files.
func commandsOf(f *syntax.File) []tool.SimpleCommand {
	var out []tool.SimpleCommand
	if f == nil {
		return nil
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			words := make(tool.SimpleCommand, len(c.Args))
			for i, w := range c.Args {
				words[i] = wordOf(w)
			}
			out = append(out, words)
		}
		if s, ok := n.(*syntax.Stmt); ok {
			for _, r := range s.Redirs {
				if op := redirects(r); op != "" {
					out = append(out, tool.SimpleCommand{{Text: op}, wordOf(r.Word)})
				}
			}
		}
		return true
	})
	return out
}

// redirects returns tool.WritesFile or tool.ReadsFile for a redirection to or from a file.
// It returns "" for a harmless redirection, and for one that it does not understand, which
// makes the line not plain.
func redirects(r *syntax.Redirect) string {
	if isHarmless(r) || r.Hdoc != nil || r.Word == nil || r.N != nil && r.N.Value != "0" && r.N.Value != "1" && r.N.Value != "2" {
		return ""
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		return tool.WritesFile
	case syntax.RdrIn:
		return tool.ReadsFile
	}
	return ""
}

// redirectsElsewhere reports whether a line has both a change of directory and a redirection with a
// relative name, which then may mean a file in another directory.
func redirectsElsewhere(all []tool.SimpleCommand) bool {
	moves := slices.ContainsFunc(all, func(c tool.SimpleCommand) bool { return slices.Contains([]string{"cd", "pushd", "popd"}, c[0].Text) })
	return moves && slices.ContainsFunc(all, func(c tool.SimpleCommand) bool {
		return c.Redirects() != "" && !strings.HasPrefix(c[1].Text, "/")
	})
}

// otherRepository reports whether a line has both a command of git and one that may choose
// or make the repository, whose configuration can name programs: a change to a directory
// outside, a name of a file of git, or files that come to a directory which is named then.
func otherRepository(all []tool.SimpleCommand) bool {
	if !slices.ContainsFunc(all, func(c tool.SimpleCommand) bool { return c[0].Text == "git" }) {
		return false
	}
	moves := slices.ContainsFunc(all, func(c tool.SimpleCommand) bool { return c[0].Text == "cd" })
	return slices.ContainsFunc(all, func(c tool.SimpleCommand) bool {
		switch c[0].Text {
		case "cd", "pushd", "popd":
			return len(c) != 2 || c[1].Expands || c[1].Unknown || !staysInside(c[1].Text) || strings.HasPrefix(c[1].Text, "-")
		case "cp", "mv", "ln", "install", "rsync":
			return true
		case "git":
			return moves && len(c) > 1 && slices.Contains([]string{"checkout", "mv", "restore", "switch"}, c[1].Text)
		case "tee", "mkdir", tool.WritesFile:
			return slices.ContainsFunc(c[1:], ofGit)
		}
		return false
	})
}

// ofGit reports whether a word may name a file of a repository, which is bare if its
// directory is not called .git.
func ofGit(w tool.Word) bool {
	name := strings.ToLower(w.Text)
	return w.Expands || w.Unknown || strings.Contains(name, ".git") ||
		slices.Contains([]string{"commondir", "config", "config.worktree", "head", "objects", "refs"}, path.Base(name))
}

// isPlain reports whether the tree has only lists and pipelines of simple commands with
// known words, and no comments.
func isPlain(f *syntax.File) bool {
	for _, s := range f.Stmts {
		if !isPlainStmt(s) {
			return false
		}
	}
	return len(f.Stmts) > 0 && len(commentsOf(f)) == 0
}

func isPlainStmt(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess || s.Disown {
		return false
	}
	for _, r := range s.Redirs {
		if isHarmless(r) {
			continue
		}
		if w := r.Word; redirects(r) == "" || wordOf(w).Unknown || strings.HasPrefix(wordOf(w).Text, "~") {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		return len(s.Redirs) > 0
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 || len(c.Args) == 0 {
			return false
		}
		return !slices.ContainsFunc(c.Args, func(w *syntax.Word) bool { return wordOf(w).Unknown })
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt, syntax.OrStmt, syntax.Pipe:
			return isPlainStmt(c.X) && isPlainStmt(c.Y)
		}
	}
	return false
}

// isHarmless reports whether a redirection uses no file: it is between standard output and
// standard error, or to or from /dev/null.
func isHarmless(r *syntax.Redirect) bool {
	if r.Hdoc != nil || r.Word == nil || r.N != nil && r.N.Value != "0" && r.N.Value != "1" && r.N.Value != "2" {
		return false
	}
	w := wordOf(r.Word)
	if w.Unknown || w.Expands {
		return false
	}
	switch r.Op {
	case syntax.DplOut:
		return w.Text == "1" || w.Text == "2"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn:
		return w.Text == "/dev/null"
	}
	return false
}

// wordOf returns a word without its quotes.
func wordOf(w *syntax.Word) tool.Word {
	var out reading
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			out.unquoted(&b, p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
			out.unknown = out.unknown || p.Dollar
		case *syntax.DblQuoted:
			out.unknown = out.unknown || p.Dollar
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					out.unknown = true
					continue
				}
				out.quoted(&b, lit.Value)
			}
		default:
			out.unknown = true
		}
	}
	return tool.Word{Text: b.String(), Expands: out.expands, Unknown: out.unknown}
}

// reading has the properties of the word that is being read.
type reading struct{ expands, unknown bool }

// unquoted adds text outside quotes.
func (w *reading) unquoted(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				w.unknown = true
			} else if s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '$', '`':
			w.unknown = true
		case '*', '?', '[', ']', '{', '}':
			w.expands = true
		case '~': // HEAD~1 is not a home directory
			w.expands = w.expands || b.Len() == 0 || strings.HasSuffix(b.String(), "=") || strings.HasSuffix(b.String(), ":")
		}
		b.WriteByte(s[i])
	}
}

// quoted adds text in double quotes.
func (w *reading) quoted(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$', c == '`':
			w.unknown = true
		case c == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
}

// runners are programs that start the command in their arguments; shells run the text in
// their arguments.
var (
	runners = []string{"builtin", "busybox", "command", "doas", "env", "exec", "find", "nice", "nohup", "setsid", "stdbuf", "sudo", "time", "timeout", "xargs"}
	shells  = []string{"ash", "bash", "dash", "eval", "ksh", "sh", "zsh"}
)

// nested returns the commands that a simple command starts, as far as they can be
// recognised, so that rules that block or ask also match them.
func nested(c tool.SimpleCommand, depth int) []tool.SimpleCommand {
	var out []tool.SimpleCommand
	name := c[0].Text[strings.LastIndexByte(c[0].Text, '/')+1:]
	for i := 1; i < len(c) && len(out) <= maxCommands; i++ {
		if slices.Contains(runners, name) && (name != "find" || executes(c[i-1])) {
			out = append(out, c[i:])
		}
		if slices.Contains(shells, name) && !c[i].Unknown {
			out = append(out, parse(c[i].Text, depth).Commands...)
		}
	}
	return out
}

// executes reports whether a word may be an option of find after which a command follows.
func executes(w tool.Word) bool {
	dash := strings.HasPrefix(w.Text, "-")
	return vague(w) || dash && w.Expands || strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok")
}

// globOf returns a word of a pattern as a glob, in which text in quotes is literal.
func globOf(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
			continue
		}
		for _, r := range wordOf(&syntax.Word{Parts: []syntax.WordPart{p}}).Text {
			if strings.ContainsRune(`*?[]{}\`, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
