package textdiff_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golem/core/textdiff"
)

var header = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$`)

const noNewline = "\\ No newline at end of file\n"

// apply applies a diff as patch does, but more strictly: both line numbers and both
// counts of each hunk must be exact, and so must every line that is kept or removed.
func apply(diff, old string) (string, error) {
	if diff == "" {
		return old, nil
	}
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "--- ") || !strings.HasPrefix(lines[1], "+++ ") {
		return "", fmt.Errorf("no file names at the top")
	}
	lines = lines[2 : len(lines)-1]
	from, out, read := strings.SplitAfter(old, "\n"), []string{}, 0
	if from[len(from)-1] == "" {
		from = from[:len(from)-1]
	}
	for n := 0; n < len(lines); {
		m := header.FindStringSubmatch(lines[n])
		if m == nil {
			return "", fmt.Errorf("line %d: %q is not the start of a hunk", n+3, lines[n])
		}
		n++
		number := func(s string) int { i, _ := strconv.Atoi(s + "1"[:max(0, 1-len(s))]); return i }
		at, taken, to, given := number(m[1]), number(m[2]), number(m[3]), number(m[4])
		if taken > 0 {
			at--
		}
		if given > 0 {
			to--
		}
		if at < read || at > len(from) {
			return "", fmt.Errorf("a hunk begins at line %d of %d, after line %d", at+1, len(from), read)
		}
		out = append(out, from[read:at]...)
		read = at
		if to != len(out) {
			return "", fmt.Errorf("hunk %q begins at line %d of the new text", m[0], len(out)+1)
		}
		for taken > 0 || given > 0 {
			if n == len(lines) {
				return "", fmt.Errorf("hunk %q is too short", m[0])
			}
			kind, text := lines[n][0], lines[n][1:]
			if n++; n < len(lines) && lines[n] == noNewline {
				text = strings.TrimSuffix(text, "\n")
				n++
			}
			if kind != '+' {
				if read == len(from) || from[read] != text {
					return "", fmt.Errorf("the old text has not %q at line %d", text, read+1)
				}
				read++
				taken--
			}
			if kind != '-' {
				out = append(out, text)
				given--
			}
		}
		if taken < 0 || given < 0 {
			return "", fmt.Errorf("hunk %q is too long", m[0])
		}
	}
	return strings.Join(append(out, from[read:]...), ""), nil
}

func holds(t *testing.T, old, next string) {
	t.Helper()
	diff := textdiff.Unified("a/x", "b/x", old, next)
	if got, err := apply(diff, old); err != nil || got != next {
		t.Fatalf("%v\nold  %q\nnew  %q\ngot  %q\n%s", err, old, next, got, diff)
	}
}

// If the first hunk has two changes with unchanged lines between them, the second hunk
// begins at the right line of the new text.
func TestTheHunkAfterOneThatJoinsTwoChanges(t *testing.T) {
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"
	next := strings.NewReplacer("\n2\n", "\nII\n", "\n5\n", "\nV\nv\n", "\n18\n", "\nXVIII\n").Replace(old)
	if diff := textdiff.Unified("a/x", "b/x", old, next); !strings.Contains(diff, "\n@@ -15,6 +16,6 @@\n") {
		t.Errorf("the second hunk begins at line 16 of the new text:\n%s", diff)
	}
	holds(t, old, next)
}

func TestTheDiffGivesTheNewText(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"", "a"}, {"", "a\n"}, {"a", ""}, {"a\n", ""}, {"a", "a\n"}, {"a\n", "a"}, {"\n", "\n\n"},
		{"a\r\nb\r\n", "a\nb\r\n"}, {"-- a\n+++ b\n@@ c\n", "++ a\n--- b\n@@ -1 +1 @@\n"},
	} {
		holds(t, c[0], c[1])
	}
	r := rand.New(rand.NewPCG(9, 11))
	for range 3000 {
		old, next := texts(r)
		holds(t, old, next)
	}
}

// texts returns a random text and a changed version of it. The text has few different
// lines, so that many lines are equal.
func texts(r *rand.Rand) (string, string) {
	words := []string{"a", "b", "", "-c", "+d", "@@ -1 +1 @@", "\\ e", "é\r", "f\x00"}
	some := func() string { return words[r.IntN(len(words))] }
	var old, next []string
	for range r.IntN(60) {
		line := some()
		old = append(old, line)
		switch r.IntN(12) {
		case 0:
		case 1:
			next = append(next, some())
		case 2:
			next = append(next, line, some(), some())
		default:
			next = append(next, line)
		}
	}
	end := []string{"", "\n"}
	return strings.Join(old, "\n") + end[r.IntN(2)], strings.Join(next, "\n") + end[r.IntN(2)]
}

func FuzzTheDiffGivesTheNewText(f *testing.F) {
	f.Add("1\n2\n3", "1\n3\n")
	f.Fuzz(func(t *testing.T, old, next string) {
		if len(old)+len(next) > 4096 {
			return // longer texts only cost time
		}
		holds(t, old, next)
	})
}
