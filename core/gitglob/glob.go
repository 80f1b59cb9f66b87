// Package gitglob matches paths with patterns as git reads them: those of ignore files and of
// .gitattributes. A pattern becomes a regular expression of RE2, so that no pattern of a foreign
// repository takes long.
package gitglob

import (
	"errors"
	"regexp"
	"strings"
)

// Glob is one pattern. Names have slashes, and none at the beginning. Like git, it compares
// bytes: ? is one byte of a letter that has two.
type Glob struct {
	text string         // the whole pattern, if it has no wildcard
	re   *regexp.Regexp // over characters that are one byte each; nil: text is compared
	fold bool
}

// Compile reads a pattern. With fold, upper and lower case of ASCII are the same
// (core.ignorecase). A pattern that git accepts and that can match nothing is an error.
func Compile(pattern string, fold bool) (*Glob, error) {
	if fold {
		pattern = lower(pattern)
	}
	// git compares the beginning without a wildcard by itself, so that stars behind it count
	// as stars behind a slash.
	plain := strings.IndexAny(pattern, `*?[\`)
	if plain < 0 {
		return &Glob{text: pattern, fold: fold}, nil
	}
	w := writer{rest: pattern[plain:], fold: fold}
	w.out.WriteString(`\A(?s:` + regexp.QuoteMeta(byBytes(pattern[:plain])))
	for start := true; w.rest != ""; start = false {
		if err := w.next(start); err != nil {
			return nil, err
		}
	}
	re, err := regexp.Compile(w.out.String() + `)\z`)
	if err != nil {
		return nil, errors.New("it is too long")
	}
	return &Glob{re: re, fold: fold}, nil
}

// Match reports whether the pattern matches the whole name.
func (g *Glob) Match(name string) bool {
	if g.fold {
		name = lower(name)
	}
	if g.re == nil {
		return name == g.text
	}
	return g.re.MatchString(byBytes(name))
}

// lower changes the letters of ASCII, byte by byte.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}

// byBytes returns a text with a character for each byte.
func byBytes(s string) string {
	for i := range len(s) {
		if s[i] < 0x80 {
			continue
		}
		out := make([]rune, len(s))
		for n := range len(s) {
			out[n] = rune(s[n])
		}
		return string(out)
	}
	return s
}

// writer turns a pattern into a regular expression.
type writer struct {
	rest  string
	fold  bool
	slash bool // the byte before rest is a slash
	out   strings.Builder
}

// next writes what the next part of the pattern means. start is true for the first part.
func (w *writer) next(start bool) error {
	c := w.rest[0]
	edge := start || w.slash
	w.slash = c == '/'
	switch c {
	case '*':
		stars := len(w.rest) - len(strings.TrimLeft(w.rest, "*"))
		w.rest = w.rest[stars:]
		switch {
		case stars > 1 && edge && strings.HasPrefix(w.rest, "/"):
			w.out.WriteString(`(?:.*/)?`)
			w.rest, w.slash = w.rest[1:], true
		case stars > 1 && edge && (w.rest == "" || strings.HasPrefix(w.rest, `\/`)):
			w.out.WriteString(`.*`)
		default:
			w.out.WriteString(`[^/]*`)
		}
		return nil
	case '?':
		w.out.WriteString(`[^/]`)
	case '[':
		set, used, err := bracket(w.rest, w.fold)
		if err != nil {
			return err
		}
		set.write(&w.out)
		w.rest = w.rest[used:]
		return nil
	case '\\':
		if len(w.rest) == 1 {
			return errors.New(`nothing follows the last \`)
		}
		w.slash = w.rest[1] == '/'
		w.out.WriteString(regexp.QuoteMeta(byBytes(w.rest[1:2])))
		w.rest = w.rest[1:]
	default:
		w.out.WriteString(regexp.QuoteMeta(byBytes(w.rest[:1])))
	}
	w.rest = w.rest[1:]
	return nil
}
