package project

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"golem/core/fault"
)

// Shapes of scalars. Each check explains what is wrong and how to mend it.

func scalarShape(want string, check func(n *node) (string, string)) *shape {
	return &shape{want: want, check: check}
}

// expected is the answer to a scalar of the wrong type.
func expected(want string, n *node) (string, string) {
	hint := ""
	switch {
	case want == "text" && n.tag != tagText:
		hint = fmt.Sprintf("put it in quotes: \"%s\"", brief(n.text))
	case want == "true or false" && n.tag == tagText:
		hint = "write true or false without quotes"
	case strings.HasSuffix(want, "number") && n.tag == tagText && numeric(n.text):
		hint = "write " + n.text + " without quotes"
	}
	return fmt.Sprintf("expected %s, found %s", want, n.found()), hint
}

// numeric tells whether a text would be a number without its quotes.
func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && len(s) <= 20 && !strings.ContainsAny(s, "xXpP_nN")
}

func textShape(check func(s string) string) *shape {
	return scalarShape("text", func(n *node) (string, string) {
		if n.tag != tagText {
			return expected("text", n)
		}
		if check == nil {
			return "", ""
		}
		return check(n.text), ""
	})
}

// nameProblem checks what is shown as a name: one visible line.
func nameProblem(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty"
	case strings.TrimSpace(s) != s:
		return quoted(s) + " begins or ends with a space"
	case len(s) > maxKey:
		return fmt.Sprintf("is %d bytes long, at most %d are allowed", len(s), maxKey)
	case invisible(s):
		return quoted(s) + " has invisible or control characters"
	}
	return ""
}

func flagShape() *shape {
	return scalarShape("true or false", func(n *node) (string, string) {
		if n.tag != tagBool {
			return expected("true or false", n)
		}
		return "", ""
	})
}

func (n *node) flag() bool { return n != nil && n.tag == tagBool && strings.EqualFold(n.text, "true") }

func countShape(least, most int64) *shape {
	return scalarShape("a whole number", func(n *node) (string, string) {
		if n.tag != tagInt {
			return expected("a whole number", n)
		}
		i, ok := wholeNumber(n.text)
		if !ok || i < least || i > most {
			return fmt.Sprintf("%s is not between %d and %d", brief(n.text), least, most), ""
		}
		return "", ""
	})
}

// count is the number behind a countShape, or the default if n is nil.
func (n *node) count(without int) int {
	if n == nil {
		return without
	}
	i, _ := wholeNumber(n.text)
	return int(i)
}

func wordShape(words ...string) *shape {
	want := strings.Join(words, ", ")
	return scalarShape("one of "+want, func(n *node) (string, string) {
		for _, w := range words {
			if n.tag == tagText && n.text == w {
				return "", ""
			}
		}
		hint := ""
		if near := fault.Nearest(n.text, words); near != "" {
			hint = "did you mean " + near
		}
		return fmt.Sprintf("%s is none of %s", quoted(n.text), want), hint
	})
}

const longest = 1000 * time.Hour

func durationShape() *shape {
	return scalarShape("a duration such as 30s", func(n *node) (string, string) {
		if _, ok := n.duration(); ok {
			return "", ""
		}
		hint := "write a duration with its unit: 30s, 10m, 1h30m; 0 means no limit"
		if n.tag == tagInt {
			hint = "add the unit: " + brief(n.text) + "s"
		}
		return fmt.Sprintf("%s is no duration", quoted(n.text)), hint
	})
}

func (n *node) duration() (time.Duration, bool) {
	if n.tag == tagInt && n.text == "0" {
		return 0, true
	}
	if n.tag != tagText {
		return 0, false
	}
	d, err := time.ParseDuration(strings.ReplaceAll(n.text, " ", ""))
	return d, err == nil && d >= 0 && d <= longest
}

func sizeShape() *shape {
	return scalarShape("a size such as 50KB", func(n *node) (string, string) {
		if _, ok := n.size(); ok {
			return "", ""
		}
		return fmt.Sprintf("%s is no size", quoted(n.text)),
			"write bytes, or a unit: 50KB (1 KB = 1000 bytes), 10 MB, 1GiB"
	})
}

var sizes = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([A-Za-z]*)$`)

var units = map[string]float64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// size reads "50KB", "10 MB", "1.5MiB" or a number of bytes; 1 KB is 1000 bytes.
func (n *node) size() (int64, bool) {
	if n.tag == tagInt {
		i, ok := wholeNumber(n.text)
		return i, ok && i >= 0
	}
	m := sizes.FindStringSubmatch(n.text)
	if n.tag != tagText || m == nil {
		return 0, false
	}
	unit, ok := units[strings.ToLower(m[2])]
	amount, err := strconv.ParseFloat(m[1], 64)
	bytes := math.Round(amount * unit)
	if !ok || err != nil || bytes >= 1<<62 {
		return 0, false
	}
	return int64(bytes), true
}

func globShape() *shape {
	return textShape(globProblem)
}

func globProblem(s string) string {
	if p := nameProblem(s); p != "" {
		return p
	}
	if strings.Count(s, "{") > maxBraces { // alternatives multiply
		return fmt.Sprintf("%s has more than %d {", quoted(s), maxBraces)
	}
	if !doublestar.ValidatePattern(s) {
		return quoted(s) + " is no valid pattern"
	}
	return ""
}

const maxBraces = 3

// dirProblem checks a directory of the project: relative and inside.
func dirProblem(s string) string {
	if p := nameProblem(s); p != "" {
		return p
	}
	if _, ok := inside(s); !ok {
		return quoted(s) + " is not inside the project"
	}
	return ""
}

// inside cleans a slash path relative to the project root; false if it is
// absolute, leaves the root, or is no path on some platform.
func inside(s string) (string, bool) {
	if s == "" || s[0] == '/' || strings.ContainsAny(s, "\\\x00") || invisible(s) || len(s) > 4096 || drive(s) {
		return "", false
	}
	for _, element := range strings.Split(s, "/") {
		if element == ".." {
			return "", false
		}
	}
	return path.Clean(s), true
}

// drive recognises C:/x and C:x, which Windows takes for absolute.
func drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20) >= 'a' && (s[0]|0x20) <= 'z'
}

func listOf(each *shape) *shape            { return &shape{kind: list, each: each} }
func mapOf(each *shape) *shape             { return &shape{kind: dict, each: each, key: nameProblem} }
func laterShape() *shape                   { return &shape{later: true} }
func keysOf(keys map[string]*shape) *shape { return &shape{kind: dict, keys: keys} }

// texts are the items of a list of text; nil for no list.
func (n *node) texts() []string {
	if n == nil || len(n.items) == 0 {
		return nil
	}
	out := make([]string, len(n.items))
	for i, item := range n.items {
		out[i] = item.text
	}
	return out
}

// string is the text of a scalar, "" for nil.
func (n *node) string() string {
	if n == nil {
		return ""
	}
	return n.text
}
