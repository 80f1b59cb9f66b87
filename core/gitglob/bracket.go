package gitglob

import (
	"errors"
	"fmt"
	"strings"
)

// byteSet are the bytes that a bracket expression matches.
type byteSet [256]bool

// add adds the bytes from low to high.
func (s *byteSet) add(low, high byte) {
	for c := int(low); c <= int(high); c++ {
		s[c] = true
	}
}

// write writes the set as a class of a regular expression. A slash is never in it.
func (s *byteSet) write(out *strings.Builder) {
	s['/'] = false
	any := false
	for c := 0; c < 256; c++ {
		if !s[c] {
			continue
		}
		if !any {
			out.WriteByte('[')
			any = true
		}
		low := c
		for c < 255 && s[c+1] {
			c++
		}
		fmt.Fprintf(out, `\x{%x}-\x{%x}`, low, c)
	}
	if any {
		out.WriteByte(']')
	} else {
		out.WriteString(`[^\x{0}-\x{10ffff}]`) // nothing
	}
}

// classes are those of ASCII, as git has them: pairs of a first and a last byte.
var classes = map[string]string{
	"alnum": "azAZ09", "alpha": "azAZ", "blank": "  \t\t", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09", "graph": "!~", "lower": "az",
	"print": " ~", "punct": "!/:@[`{~", "space": "  \t\r", "upper": "AZ", "xdigit": "09afAF",
}

// bracket reads the bracket expression at the beginning of a pattern, and returns its length.
func bracket(pattern string, fold bool) (set byteSet, used int, err error) {
	i := 1
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	var previous byte // the lower end of a range that may follow; 0: none may
	for first := i; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == ']' && i > first:
			if fold {
				for u := 'A'; u <= 'Z'; u++ {
					set[u] = false // names are in lower case
				}
			}
			for c := range set {
				set[c] = set[c] != negated
			}
			return set, i + 1, nil
		case c == '\\':
			if i++; i == len(pattern) {
				return set, 0, errors.New("the bracket [ is not closed")
			}
			set[pattern[i]], previous = true, pattern[i]
		case c == '-' && previous != 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			if i++; pattern[i] == '\\' {
				if i++; i == len(pattern) {
					return set, 0, errors.New("the bracket [ is not closed")
				}
			}
			set.addRange(previous, pattern[i], fold)
			previous = 0
		case strings.HasPrefix(pattern[i:], "[:"):
			name, length, found, err := class(pattern[i:])
			if err != nil {
				return set, 0, err
			}
			if !found {
				set[c], previous = true, c
				continue
			}
			ends := classes[name]
			for n := 0; n < len(ends); n += 2 {
				set.addRange(ends[n], ends[n+1], fold)
			}
			i += length - 1
			previous = 0
		default:
			set[c], previous = true, c
		}
	}
	return set, 0, errors.New("the bracket [ is not closed")
}

// addRange adds a range; with fold also the letters whose capitals it has.
func (s *byteSet) addRange(low, high byte, fold bool) {
	s.add(low, high)
	for c := byte('a'); fold && c <= 'z'; c++ {
		if upper := c - 'a' + 'A'; upper >= low && upper <= high {
			s[c] = true
		}
	}
}

// class reads [:name:]. found is false if the text is no class, but the character [.
func class(text string) (name string, length int, found bool, err error) {
	end := strings.IndexByte(text[2:], ']')
	if end < 0 {
		return "", 0, false, errors.New("the bracket [ is not closed")
	}
	name, closed := strings.CutSuffix(text[2:2+end], ":")
	if !closed {
		return "", 0, false, nil
	}
	if _, known := classes[name]; !known {
		return "", 0, false, errors.New("git has no character class of this name")
	}
	return name, 2 + end + 1, true, nil
}
