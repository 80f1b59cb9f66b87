package approval

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/sorting"
	"golem/core/tool"
)

// maxPieces is how many simple commands unknownGrammar finds in a command line; a line with
// more is broken.
const maxPieces = 256

// piece is one simple command of a command argument. Rules are checked for each
// piece by itself. An index of -1 stands for a part that no rule can allow.
type piece struct {
	key     string
	line    *commandLine
	command int
}

// commandLine is a parsed command that rules are matched against.
type commandLine struct {
	tool.CommandLine
	raw      string
	grammar  tool.Grammar
	patterns map[string]commandPattern // the patterns matched so far, because a command has many parts
}

// newCommandLine parses a command. A command that is too long or that has a
// syntax error counts as one that cannot be parsed.
func newCommandLine(raw string, g tool.Grammar) (l *commandLine) {
	l = &commandLine{raw: raw, grammar: g, patterns: map[string]commandPattern{}}
	if len(raw) > maxMatched {
		l.Broken = true
		return l
	}
	defer func() {
		if recover() != nil {
			l.CommandLine = tool.CommandLine{Broken: true}
		}
	}()
	l.CommandLine = g.Parse(raw)
	l.Commands = slices.DeleteFunc(l.Commands, func(c tool.SimpleCommand) bool { return len(c) == 0 })
	l.Plain = l.Plain && !l.Broken && len(l.Commands) > 0
	return l
}

// commandSetting returns what the rules decide for a tool that runs commands. The first rule
// that matches a simple command decides it. A command is preApproved only if every simple
// command in it is. If one is blocked or asks, the command is blocked or asks. If only some
// are allowed, the rules decide nothing.
func commandSetting(rules []Rule, s subject) verdict {
	pieces := s.pieces(rules)
	if len(pieces) == 0 {
		return firstRule(rules, s)
	}
	var all []verdict
	for _, p := range pieces {
		s.piece = &p
		all = append(all, firstRule(rules, s))
	}
	for _, set := range []Setting{Blocked, Ask} {
		if i := slices.IndexFunc(all, func(v verdict) bool { return v.setting == set }); i >= 0 {
			return all[i]
		}
	}
	out := all[0]
	for _, v := range all[1:] {
		if v.setting == "" || out.setting == "" {
			return verdict{}
		}
		if !slices.ContainsFunc(append(out.also, out), func(o verdict) bool { return o.matched == v.matched }) {
			out.also = append(out.also, v)
			out.rule += "; " + v.rule
		}
	}
	return out
}

// pieces returns the simple commands of every command argument that a rule for
// the tool mentions.
func (s subject) pieces(rules []Rule) []piece {
	var out []piece
	var seen []string
	for _, r := range rules {
		if !slices.Contains(s.names, r.Tool) {
			continue
		}
		for key := range r.When {
			text, ok := s.command(key)
			if !ok || slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			l := newCommandLine(text, s.grammar(key))
			for i := range l.Commands {
				out = append(out, piece{key, l, i})
			}
			if !l.Plain {
				out = append(out, piece{key, l, -1})
			}
		}
	}
	sorting.By(out, func(a, b piece) int { return strings.Compare(a.key, b.key) })
	return out
}

// command returns the text of an argument that is a command: for a tool of risk
// command that is every string argument except its path.
func (s subject) command(key string) (text string, ok bool) {
	raw := s.args.Field(key)
	if raw == nil || s.risk != tool.Command || key == "path" {
		return "", false
	}
	return text, json.Unmarshal(raw, &text) == nil && strings.HasPrefix(strings.TrimSpace(string(raw)), `"`)
}

// grammar returns the grammar for an argument that is a command.
func (s subject) grammar(key string) tool.Grammar {
	if s.spec.Shell != nil {
		return s.spec.Shell
	}
	return unknownGrammar{text: key != "command"}
}

// fitsCommand matches a rule's pattern against one simple command or, if the
// rule is about another argument, against the whole command.
func (s subject) fitsCommand(key, text, pattern string, all bool) match {
	if p := s.piece; p != nil && p.key == key {
		return p.line.fits(p.command, pattern, all)
	}
	l := newCommandLine(text, s.grammar(key))
	out := l.fits(-1, pattern, all)
	if all {
		out = yes
		if !l.Plain {
			out = l.fits(-1, pattern, all)
		}
	}
	for i := range l.Commands {
		m := l.fits(i, pattern, all)
		if all {
			out = min(out, m)
		} else {
			out = max(out, m)
		}
	}
	return out
}

// fits matches a pattern against simple command i; -1 is the rest of the line.
// Patterns that block or ask are also matched against the command as written.
func (l *commandLine) fits(i int, pattern string, all bool) match {
	p := l.pattern(pattern)
	switch {
	case !all && p.raw:
		return yes
	case l.Broken && (all || i < 0):
		return unsure
	case i < 0:
		return no
	}
	switch {
	case p.globs == nil:
		return no
	case all:
		c := l.Commands[i]
		m := certainlyAllows(c, p.globs)
		if m == yes && c.Redirects() == "" && !l.grammar.Covers(c, p.globs) {
			return no
		}
		return m
	}
	return touches(l.Commands[i], p.globs)
}

// commandPattern is a rule's pattern, prepared for matching against one
// command.
type commandPattern struct {
	raw   bool     // it matches the command as written
	globs []string // the patterns of its words; nil if the pattern is not one simple command
}

func (l *commandLine) pattern(text string) commandPattern {
	p, known := l.patterns[text]
	if !known {
		p = commandPattern{len(l.raw) <= maxMatched && matchLoosely(text, l.raw), l.grammar.Globs(text)}
		l.patterns[text] = p
	}
	return p
}

// isRest reports whether a word of a pattern stands for any words.
func isRest(glob string) bool { return glob == "*" || glob == "**" }

// certainlyAllows reports whether the pattern certainly allows the command. It matches word by word;
// a * within a word does not match a slash. A * that is a word of its own matches any word,
// and at the end one or more words, which the grammar has found to be harmless.
func certainlyAllows(c tool.SimpleCommand, globs []string) match {
	if op := c.Redirects(); op != redirectIn(globs) || op != "" && c[1].Expands {
		return no // only a pattern that is a redirection allows one
	}
	for i, g := range globs {
		if i == len(globs)-1 && isRest(g) && len(c) > i {
			return yes
		}
		if i >= len(c) || c[i].Expands || c[i].Unknown || !wordWithin(c[i].Text, g) {
			return no
		}
	}
	if len(c) > len(globs) {
		return no
	}
	return yes
}

// redirectIn returns tool.WritesFile or tool.ReadsFile if the pattern is for a redirection,
// else "".
func redirectIn(globs []string) string {
	if len(globs) == 2 && (globs[0] == tool.WritesFile || globs[0] == tool.ReadsFile) {
		return globs[0]
	}
	return ""
}

func wordWithin(text, glob string) bool {
	if isRest(glob) {
		return true
	}
	if !doublestar.MatchUnvalidated(glob, text) {
		return false
	}
	// build/** must not allow build/../..
	return !slices.Contains(strings.Split(text, "/"), "..") || !strings.ContainsAny(glob, "*?[{")
}

// touches reports whether the pattern may mean the command. It is for rules that block or
// ask, so it matches widely: a * matches anything, at the end also nothing, and the
// directory of the command and the case of its name do not matter.
func touches(c tool.SimpleCommand, globs []string) match {
	for i, g := range globs {
		if i == len(globs)-1 && isRest(g) {
			return yes
		}
		switch {
		case i >= len(c):
			return no
		case c[i].Unknown || c[i].Expands:
			return unsure // from here on any word may follow
		case matchLoosely(g, c[i].Text):
		case i == 0 && matchLoosely(strings.ToLower(g), strings.ToLower(baseName(c[i].Text))):
		default:
			return no
		}
	}
	if len(c) > len(globs) {
		for _, w := range c[len(globs):] {
			if !w.Unknown { // an unknown word may be empty, and then it is not a word
				return no
			}
		}
		return unsure
	}
	return yes
}

// unknownGrammar is used for a shell whose grammar golem does not know.
type unknownGrammar struct {
	text bool // the argument may not be a command at all
}

// Parse accepts a command only if none of its characters has a special meaning
// in any shell.
func (unknownGrammar) Parse(raw string) tool.CommandLine {
	var l tool.CommandLine
	l.Plain = strings.Trim(raw, " ") != "" && !strings.ContainsFunc(raw, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" _-./:@+", r))
	})
	for _, part := range strings.FieldsFunc(raw, func(r rune) bool { return strings.ContainsRune("&|;\n()", r) }) {
		var c tool.SimpleCommand
		for _, f := range strings.Fields(part) {
			c = append(c, tool.Word{Text: strings.NewReplacer(`"`, "", "'", "", "^", "").Replace(f)})
		}
		if len(c) > 0 {
			l.Commands = append(l.Commands, c)
		}
		if len(l.Commands) > maxPieces {
			return tool.CommandLine{Broken: true}
		}
	}
	return l
}

// Globs returns the words of the pattern, split at blanks.
func (unknownGrammar) Globs(pattern string) []string { return strings.Fields(pattern) }

// Covers reports true for echo, the only harmless command that it knows, and for patterns
// that are Exact.
func (g unknownGrammar) Covers(c tool.SimpleCommand, globs []string) bool {
	return c[0].Text == "echo" || g.Exact(strings.Join(globs, " "))
}

// Exact reports false for a command that may contain a wildcard.
func (g unknownGrammar) Exact(command string) bool {
	return g.text || !strings.ContainsAny(command, "*?[")
}

// baseName returns a command's name without its directory; / and \ are separators.
func baseName(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }
