package yamltree

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golem/core/fault"
)

// ScalarOf returns the shape of a scalar with a check of its own; see Shape.Want and
// Shape.Check.
func ScalarOf(want string, check func(n *Node) (string, string)) *Shape {
	return &Shape{Want: want, Check: check}
}

// jsonOf gives a shape its JSON Schema.
func jsonOf(schema string, s *Shape) *Shape {
	s.JSON = schema
	return s
}

// Expected returns what a Check returns for a scalar of the wrong type: the problem
// and, if only the quotes are wrong, a hint.
func Expected(want string, n *Node) (string, string) {
	hint := ""
	switch {
	case want == "text" && n.Tag != TagText:
		hint = fmt.Sprintf("put it in quotes: \"%s\"", fault.Brief(n.Text))
	case want == "true or false" && n.Tag == TagText:
		hint = "write true or false, without quotes"
		if word := yaml11[strings.ToLower(n.Text)]; word != "" {
			hint = "write " + word + ", without quotes"
		}
	case strings.HasSuffix(want, "number") && n.Tag == TagText && numeric(n.Text):
		hint = "write " + n.Text + " without quotes"
	}
	return fmt.Sprintf("expected %s, found %s", want, n.Found()), hint
}

// numeric reports whether a text would be a number without its quotes.
func numeric(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && len(s) <= 20 && !zeroFirst(s) && !strings.ContainsAny(s, "xXpP_nN")
}

// Text returns the shape of a text; check returns what is wrong with it, "" if nothing
// is, and may be nil.
func Text(check func(s string) string) *Shape {
	return jsonOf(`{"type": "string"}`, ScalarOf("text", func(n *Node) (string, string) {
		if n.Tag != TagText {
			return Expected("text", n)
		}
		if check == nil {
			return "", ""
		}
		return check(n.Text), ""
	}))
}

// NameProblem returns what is wrong with a text that is shown as a name, "" if
// nothing is: a name is one visible line of at most 256 bytes without spaces
// around it.
func NameProblem(s string) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is empty"
	case strings.TrimSpace(s) != s:
		return fault.Quoted(s) + " begins or ends with a space"
	case len(s) > maxKey:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(s), maxKey)
	case Invisible(s):
		return fault.Quoted(s) + " has invisible or control characters"
	}
	return ""
}

// Flag returns the shape of true and false.
func Flag() *Shape {
	return jsonOf(`{"type": "boolean"}`, ScalarOf("true or false", func(n *Node) (string, string) {
		if n.Tag != TagBool {
			return Expected("true or false", n)
		}
		return "", ""
	}))
}

// Flag reports whether the value is true; false for nil.
func (n *Node) Flag() bool { return n != nil && n.Tag == TagBool && strings.EqualFold(n.Text, "true") }

// Count returns the shape of a whole number from least to most, both included.
func Count(least, most int64) *Shape {
	return jsonOf(fmt.Sprintf(`{"type": "integer", "minimum": %d, "maximum": %d}`, least, most), ScalarOf("a whole number", func(n *Node) (string, string) {
		if n.Tag != TagInt {
			return Expected("a whole number", n)
		}
		i, ok := wholeNumber(n.Text)
		if !ok || i < least || i > most {
			return fmt.Sprintf("%s is not between %d and %d", fault.Brief(n.Text), least, most), ""
		}
		return "", ""
	}))
}

// Count returns the number of a node that fits the shape Count; without if n is nil.
func (n *Node) Count(without int) int {
	if n == nil {
		return without
	}
	i, _ := wholeNumber(n.Text)
	return int(i)
}

// OneOf returns the shape of a text that is one of the words.
func OneOf(words ...string) *Shape {
	want := strings.Join(words, ", ")
	return jsonOf(`{"enum": ["`+strings.Join(words, `", "`)+`"]}`, ScalarOf("one of "+want, func(n *Node) (string, string) {
		for _, w := range words {
			if n.Tag == TagText && n.Text == w {
				return "", ""
			}
		}
		hint := ""
		if near := fault.Nearest(n.Text, words); near != "" {
			hint = "did you mean " + near
		}
		return fmt.Sprintf("%s is not one of %s", fault.Quoted(n.Text), want), hint
	}))
}

const longest = 1000 * time.Hour

// Duration returns the shape of a time such as 30s, at most 1000 hours; 0 needs no
// unit.
func Duration() *Shape {
	return jsonOf(`{"oneOf": [{"type": "string"}, {"const": 0}]}`, ScalarOf("a duration such as 30s", func(n *Node) (string, string) {
		if _, ok := n.Duration(); ok {
			return "", ""
		}
		hint := "write a number with its unit: 30s, 10m, 1h30m; 0 means no limit"
		if n.Tag == TagInt {
			hint = "add the unit: " + fault.Brief(n.Text) + "s"
		}
		return fmt.Sprintf("%s is not a duration", fault.Quoted(n.Text)), hint
	}))
}

// Duration returns the time that the node gives; false if that is not a valid duration.
func (n *Node) Duration() (time.Duration, bool) {
	if n.Tag == TagInt && n.Text == "0" {
		return 0, true
	}
	if n.Tag != TagText {
		return 0, false
	}
	d, err := time.ParseDuration(strings.ReplaceAll(n.Text, " ", ""))
	return d, err == nil && d >= 0 && d <= longest
}

// Size returns the shape of a number of bytes.
func Size() *Shape {
	return jsonOf(`{"type": ["integer", "string"]}`, ScalarOf("a size such as 50KB", func(n *Node) (string, string) {
		if _, ok := n.Size(); ok {
			return "", ""
		}
		return fmt.Sprintf("%s is not a size", fault.Quoted(n.Text)),
			"write bytes, or a unit: 50KB (1 KB = 1000 bytes), 10 MB, 1GiB"
	}))
}

var sizes = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) *([A-Za-z]*)$`)

var units = map[string]float64{
	"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// Size returns the number of bytes that the node gives as "50KB", "10 MB", "1.5MiB" or
// a plain number; false if that is not a valid size. 1 KB is 1000 bytes.
func (n *Node) Size() (int64, bool) {
	if n.Tag == TagInt {
		i, ok := wholeNumber(n.Text)
		return i, ok && i >= 0
	}
	m := sizes.FindStringSubmatch(n.Text)
	if n.Tag != TagText || m == nil {
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

// ListOf returns the shape of a list whose items have the shape each.
func ListOf(each *Shape) *Shape { return &Shape{Kind: List, Each: each} }

// MapOf returns the shape of a mapping whose keys are any names and whose values have
// the shape each.
func MapOf(each *Shape) *Shape { return &Shape{Kind: Mapping, Each: each, Key: NameProblem} }

// KeysOf returns the shape of a mapping that has only these keys.
func KeysOf(keys map[string]*Shape) *Shape { return &Shape{Kind: Mapping, Keys: keys} }

// Texts returns the items of a list of texts; nil for nil and an empty list.
func (n *Node) Texts() []string {
	if n == nil || len(n.Items) == 0 {
		return nil
	}
	out := make([]string, len(n.Items))
	for i, item := range n.Items {
		out[i] = item.Text
	}
	return out
}

// String returns the text of a scalar, "" for nil. The position's String is
// n.Pos.String.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// TextMap returns a mapping of texts; nil for nil.
func (n *Node) TextMap() map[string]string {
	if n == nil {
		return nil
	}
	out := map[string]string{}
	for _, f := range n.Fields {
		out[f.Name] = f.Value.Text
	}
	return out
}
