package project

import (
	"errors"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxIgnoreLine is the longest line in bytes; no path is longer.
const maxIgnoreLine = 4096

// An ignorePattern is one line of an ignore file, as git reads it.
type ignorePattern struct {
	glob     string // doublestar's syntax
	base     bool   // matches the last name of a path, not the whole
	dirs     bool   // matches directories only
	included bool   // takes back what an earlier line left out
}

// parseIgnore reads a line. ok is false for lines without a pattern.
func parseIgnore(line string) (p ignorePattern, ok bool, err error) {
	line = strings.TrimSuffix(line, "\r")
	if len(line) > maxIgnoreLine {
		return p, false, errors.New("it is longer than 4096 bytes")
	}
	if strings.HasPrefix(line, "#") {
		return p, false, nil
	}
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	line, p.included = strings.CutPrefix(line, "!")
	line, p.dirs = strings.CutSuffix(line, "/")
	p.base = !strings.Contains(line, "/")
	if line = strings.TrimPrefix(line, "/"); line == "" {
		return p, false, nil
	}
	if p.glob, err = ignoreGlob(line); err != nil {
		return p, false, err
	}
	// The pattern matches what is in a directory, but not the directory itself.
	if strings.HasSuffix(p.glob, "/**") {
		p.glob += "/*"
	}
	if !doublestar.ValidatePattern(p.glob) {
		return p, false, errors.New("git would not accept this pattern")
	}
	return p, true, nil
}

func (p ignorePattern) match(name string, dir bool) bool {
	if p.dirs && !dir {
		return false
	}
	if p.base {
		name = path.Base(name)
	}
	ok, err := doublestar.Match(p.glob, name)
	return ok && err == nil
}

// ignoreGlob translates git's glob to doublestar's syntax: in git's, braces are plain
// characters, and brackets may name classes.
func ignoreGlob(glob string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '\\':
			if i++; i == len(glob) {
				return "", errors.New(`nothing follows the last \`)
			}
			b.WriteString(glob[i-1 : i+1])
		case '{', '}':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '*':
			start := i
			for i+1 < len(glob) && glob[i+1] == '*' {
				i++
			}
			b.WriteByte('*')
			// Only between slashes do two stars cross directories.
			if i > start && (start == 0 || glob[start-1] == '/') && (i+1 == len(glob) || glob[i+1] == '/') {
				b.WriteByte('*')
			}
		case '[':
			n, err := ignoreBracket(&b, glob[i:])
			if err != nil {
				return "", err
			}
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// posixClasses are those of ASCII, as git has them.
var posixClasses = map[string]string{
	"alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \t", "cntrl": "\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z",
	"print": " -~", "punct": "!-/:-@\\[-`\\{-~", "space": " \t-\r", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}

// ignoreBracket writes the bracket expression that text begins with, and
// returns its length.
func ignoreBracket(b *strings.Builder, text string) (int, error) {
	i := 1
	b.WriteByte('[')
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		b.WriteByte('^')
		i++
	}
	for first := i; i < len(text); i++ {
		c := text[i]
		switch {
		case c == ']' && i > first:
			b.WriteByte(c)
			return i + 1, nil
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case strings.HasPrefix(text[i:], "[:"):
			name, _, closed := strings.Cut(text[i+2:], ":]")
			class, known := posixClasses[name]
			if !closed || !known {
				return 0, errors.New("git has no character class of this name")
			}
			b.WriteString(class)
			i += len(name) + 3
		case c == '-' && i > first && i+1 < len(text) && text[i+1] != ']':
			b.WriteByte(c) // a range
		case strings.IndexByte(`[]{}!^-`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return 0, errors.New("the bracket [ is not closed")
}
