package approval

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"golem/core/fault"
)

// AnyArguments stands for a rule without conditions.
const AnyArguments = "*"

// Conditions returns the conditions of a rule for people, sorted: path=/out/** text="two words".
// ParseConditions reads them again.
func Conditions(when map[string]string) string {
	if len(when) == 0 {
		return AnyArguments
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(when)) {
		name, pattern := key, when[key]
		if name == "" || strings.Trim(name, nameChars) != "" {
			name = inQuotes(name)
		}
		if pattern == "" || pattern[0] == '"' || strings.ContainsFunc(pattern, unicode.IsSpace) {
			pattern = inQuotes(pattern)
		}
		out = append(out, name+"="+pattern)
	}
	return strings.Join(out, " ")
}

// nameChars are the characters of a name that needs no quotes.
const nameChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// inQuotes returns a text in double quotes. One in the text is doubled and not escaped, because a
// backslash belongs to the pattern.
func inQuotes(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// cutQuotes cuts a text in double quotes off the beginning of rest.
func cutQuotes(rest string) (text, after string, found bool) {
	for at := 1; at < len(rest); at++ {
		switch {
		case rest[at] != '"':
		case strings.HasPrefix(rest[at+1:], `"`):
			at++
		default:
			return strings.ReplaceAll(rest[1:at], `""`, `"`), rest[at+1:], true
		}
	}
	return "", rest, false
}

// cutName cuts NAME= off the beginning of rest.
func cutName(rest string) (name, after string, found bool) {
	if strings.HasPrefix(rest, `"`) {
		if name, after, found = cutQuotes(rest); !found {
			return "", rest, false
		}
	} else {
		after = strings.TrimLeft(rest, nameChars)
		name = rest[:len(rest)-len(after)]
		found = name != ""
	}
	after, is := strings.CutPrefix(after, "=")
	return name, after, found && is
}

// cutWord cuts a word and the spaces after it off the beginning of rest.
func cutWord(rest string) (word, after string) {
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		return rest, ""
	}
	return rest[:end], strings.TrimLeftFunc(rest[end:], unicode.IsSpace)
}

// ParseConditions reads the conditions of a rule from a line: path=/out/** mode=fast, or * alone,
// which is none. A name or a pattern may be in double quotes, where "" is one double quote. A word
// without = belongs to the pattern before it, if that is not in quotes.
func ParseConditions(line string) (map[string]string, error) {
	rest := strings.TrimSpace(line)
	switch rest {
	case AnyArguments:
		return nil, nil
	case "":
		return nil, fault.New(fault.Usage, "the rule has no condition").Hinting("for example path=/out/**, or * for any arguments")
	}
	when, last := map[string]string{}, ""
	for rest != "" {
		name, after, found := cutName(rest)
		_, twice := when[name]
		switch {
		case !found && last == "":
			word, _ := cutWord(rest)
			return nil, noCondition(word)
		case !found:
			var word string
			word, rest = cutWord(rest)
			when[last] += " " + word
		case twice:
			return nil, fault.New(fault.Usage, "%s is there twice", fault.Quoted(name))
		case strings.HasPrefix(after, `"`):
			pattern, next, closed := cutQuotes(after)
			rest = strings.TrimLeftFunc(next, unicode.IsSpace)
			if !closed || next != "" && next == rest {
				return nil, noQuotes(name)
			}
			when[name], last = pattern, ""
		default:
			when[name], rest = cutWord(after)
			last = name
		}
	}
	return when, nil
}

// ParseCondition reads one condition, ARG=PATTERN. A pattern that is not in double quotes ends at
// the end of the text.
func ParseCondition(text string) (name, pattern string, err error) {
	name, pattern, found := cutName(text)
	if !found {
		return "", "", noCondition(text)
	}
	if strings.HasPrefix(pattern, `"`) {
		text, after, closed := cutQuotes(pattern)
		if !closed || after != "" {
			return "", "", noQuotes(name)
		}
		pattern = text
	}
	return name, pattern, nil
}

func noCondition(text string) error {
	return fault.New(fault.Usage, "%s is not ARG=PATTERN", fault.Quoted(text)).Hinting(`for example path=/out/**, or text="two words"`)
}

func noQuotes(name string) error {
	return fault.New(fault.Usage, "the pattern for %s begins with a double quote, but is not a text in double quotes", fault.Quoted(name)).
		Hinting(`for example text="two words"; "" in it is one double quote`)
}
