package approval

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/tool"
)

// maxPieces is how many simple commands of one command are looked at.
const maxPieces = 256

// piece is what rules are asked about one by one: one simple command of a
// command argument. command -1 is what no rule can allow.
type piece struct {
	key     string
	line    *commandLine
	command int
}

// commandLine is a command that rules are held against.
type commandLine struct {
	tool.CommandLine
	raw      string
	grammar  tool.Grammar
	patterns map[string]commandPattern // those that were held against it, for a command has many parts
}

// newCommandLine reads a command; one that is too long, or breaks its grammar,
// is one that could not be parsed.
func newCommandLine(raw string, g tool.Grammar) (l *commandLine) {
	if g == nil {
		g = unknownGrammar{}
	}
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

// commandSetting is ruleSetting for a tool that runs commands. Each simple
// command is looked up by itself, the first rule that fits it decides; all must
// be preApproved, by whichever rules, and one that blocks or asks is enough.
// Where only some are allowed, the rules say nothing.
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

// pieces are the parts of every command argument that a rule for the tool
// speaks of.
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
			l := newCommandLine(text, s.spec.Shell)
			for i := range l.Commands {
				out = append(out, piece{key, l, i})
			}
			if !l.Plain {
				out = append(out, piece{key, l, -1})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b piece) int { return strings.Compare(a.key, b.key) })
	return out
}

// command is the text of an argument that is a command: each string that a
// tool of risk command takes, its path aside.
func (s subject) command(key string) (text string, ok bool) {
	raw, given := s.fields[key]
	if !given || s.risk != tool.Command || key == "path" {
		return "", false
	}
	return text, json.Unmarshal(raw, &text) == nil && strings.HasPrefix(strings.TrimSpace(string(raw)), `"`)
}

// fitsCommand holds a rule's pattern against one piece, or, where another
// argument is looked at, against the whole command.
func (s subject) fitsCommand(key, text, pattern string, all bool) match {
	if p := s.piece; p != nil && p.key == key {
		return p.line.fits(p.command, pattern, all)
	}
	l := newCommandLine(text, s.spec.Shell)
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

// fits is one simple command against a pattern; i -1 is the rest of the line.
// What blocks or asks also looks at the command as it is written.
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
		return within(l.Commands[i], p.globs)
	}
	return touches(l.Commands[i], p.globs)
}

// commandPattern is a rule's pattern as it is held against one command.
type commandPattern struct {
	raw   bool     // it fits the command as it is written
	globs []string // its words; nil: it is no single simple command
}

func (l *commandLine) pattern(text string) commandPattern {
	p, known := l.patterns[text]
	if !known {
		p = commandPattern{len(l.raw) <= maxMatched && loose(text, l.raw), l.grammar.Globs(text)}
		l.patterns[text] = p
	}
	return p
}

// isRest is the word of a pattern that stands for any words.
func isRest(glob string) bool { return glob == "*" || glob == "**" }

// within reports whether a command is certainly one that the pattern allows:
// word by word, in each a * that stops at slashes. A * by itself is any one
// word, and at the end one or more, whatever they expand to.
func within(c tool.SimpleCommand, globs []string) match {
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

// touches reports whether a command may be one that the pattern means: a * is
// anything, at the end also nothing; the command's directory does not count,
// nor does the case of its name.
func touches(c tool.SimpleCommand, globs []string) match {
	for i, g := range globs {
		if i == len(globs)-1 && isRest(g) {
			return yes
		}
		switch {
		case i >= len(c):
			return no
		case c[i].Unknown || c[i].Expands:
			return unsure // from here on it may be anything
		case loose(g, c[i].Text):
		case i == 0 && loose(strings.ToLower(g), strings.ToLower(baseName(c[i].Text))):
		default:
			return no
		}
	}
	if len(c) > len(globs) {
		for _, w := range c[len(globs):] {
			if !w.Unknown { // one that is empty would be no word
				return no
			}
		}
		return unsure
	}
	return yes
}

// unknownGrammar is that of a shell that nobody described.
type unknownGrammar struct{}

// Parse takes a command as plain only if no character in it means anything to
// any shell.
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

// Globs are the words between blanks.
func (unknownGrammar) Globs(pattern string) []string { return strings.Fields(pattern) }

// baseName is a command's name without its directory, which may be of either kind.
func baseName(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }
