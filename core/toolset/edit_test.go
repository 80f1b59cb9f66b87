package toolset

import (
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
)

// New text gets the line ends of the text that it replaces, and a byte order mark stays.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ text, old, with, want string }{
		{"a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n"},
		{"a\r\nb\r\n", "a\nb", "x\n", "x\r\n\r\n"},
		{"a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"},
		{"a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"},
		{"a\nb\r\nc\nd", "c\nd", "x\ny", "a\nb\r\nx\ny"}, // mixed: the part with \n
		{"a\nb\r\nc\nd", "b\nc", "x\ny", "a\nx\r\ny\nd"}, // mixed: the part with \r\n
		{"\uFEFFa\nb", "\uFEFFa", "x", "\uFEFFx\nb"},     // the byte order mark is not text
		{"\uFEFFa\nb", "a\n", "\uFEFFx\n", "\uFEFFx\nb"}, // and it is not doubled
		{"last", "last", "new", "new"}, {"last\n", "last", "new", "new\n"},
	} {
		got, n, err := replace("/f", c.text, editArgs{Old: c.old, New: c.with})
		if err != nil || n != 1 || got != c.want {
			t.Errorf("%q, %q to %q: %q, %d, %v; want %q", c.text, c.old, c.with, got, n, err, c.want)
		}
	}
}

// A small call cannot make a giant file.
func TestReplaceIsBounded(t *testing.T) {
	_, _, err := replace("/f", strings.Repeat("a", 1<<20), editArgs{Old: "a", New: strings.Repeat("b", 1<<20), ReplaceAll: true})
	if !errors.Is(err, fault.Limit) {
		t.Errorf("%v; want E_LIMIT", err)
	}
}

// The most similar region is found also in a long file, with few comparisons.
func TestNearestComparesLittle(t *testing.T) {
	text := strings.Repeat("the same words in every line of it\n", 15_000) + "func f() {\n\treturn  1\n}\n"
	old := strings.Repeat("the same words in each line of it\n", 190) + "more\n"
	if got := nearest(text, "func f() {\n    return 1\n}"); !strings.Contains(got, "lines are 15001 to 15003") {
		t.Errorf("%.200s", got)
	}
	if got := nearest(text, old); !strings.Contains(got, "most similar lines are") || len(got) > 1000 {
		t.Errorf("%.200s", got)
	}
	if n := len(starts(worded(lines(text)), worded(lines(old)))); n > anchors*candidates {
		t.Errorf("all of old is compared at %d lines, at most %d are wanted", n, anchors*candidates)
	}
	if got := nearest(strings.Repeat("x\n", 30_000), "y"); !strings.Contains(got, "too long") {
		t.Errorf("%.200s", got)
	}
}

// For a long text, the sizes are shown in place of a diff.
func TestDiffIsBounded(t *testing.T) {
	if got := diffOf("/f", []byte(strings.Repeat("a\n", 2<<20)), true, []byte("b\n")); len(got) > 200 || !strings.Contains(got, "4194304 bytes") {
		t.Errorf("%d bytes: %.100q", len(got), got)
	}
}

func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nb", "x\ny", false)
	f.Add("\uFEFFa\nb", "a", "\r\n", true)
	f.Add("aaa", "a", "aa", true)
	f.Add("a\nb\r\nc", "b\nc", "", false)
	f.Fuzz(func(t *testing.T, text, old, with string, all bool) {
		next, n, err := replace("/f", text, editArgs{Old: old, New: with, ReplaceAll: all})
		if err != nil {
			if next != "" || n != 0 && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Limit) {
				t.Fatalf("an error and a result: %q, %v", next, err)
			}
			return
		}
		if n < 1 || n > 1 && !all {
			t.Fatalf("%d places", n)
		}
		if strings.HasPrefix(text, bom) && !strings.HasPrefix(next, bom) {
			t.Fatalf("the byte order mark is gone: %q", next)
		}
		// A lone carriage return in the call can split or make a line end.
		if strings.Contains(lf(old)+lf(with), "\r") {
			return
		}
		dos, unix := strings.Count(text, "\r\n"), strings.Count(text, "\n")
		if dos > 0 && dos == unix && strings.Count(next, "\r\n") != strings.Count(next, "\n") {
			t.Fatalf("%q, %q to %q: %q has two kinds of line ends", text, old, with, next)
		}
	})
}
