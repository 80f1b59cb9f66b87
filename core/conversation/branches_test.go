package conversation

import (
	"fmt"
	"testing"
)

// Places finds the messages that exist in several forms: of branches, of branches of a
// branch, and of a family whose first conversation was removed.
func TestPlaces(t *testing.T) {
	one := func(id string, messages int, from string, at int) Listing {
		l := Listing{ID: id, Messages: messages}
		if from != "" {
			l.From = &Origin{from, at}
		}
		return l
	}
	family := []Listing{ // the one that was written last first
		one("5", 3, "3", 3), one("4", 2, "1", 2), one("3", 3, "1", 2), one("2", 0, "1", 1), one("1", 3, "", 0), one("9", 4, "", 0),
	}
	for _, c := range []struct {
		all  []Listing
		id   string
		want string
	}{
		{family, "1", "[{2 [1 5 4] 0}]"},
		{family, "3", "[{2 [1 3 4] 1} {3 [3 5] 0}]"},
		{family, "5", "[{2 [1 5 4] 1} {3 [3 5] 1}]"},
		{family, "4", "[{2 [1 5 4] 2}]"},
		{family, "2", "[]"},
		{family, "9", "[]"},
		{family, "none", "[]"},
		{[]Listing{one("3", 3, "1", 2), one("4", 2, "1", 2)}, "3", "[{2 [3 4] 0}]"},
		{[]Listing{one("a", 2, "b", 2), one("b", 2, "a", 2)}, "a", "[{2 [a b] 0}]"},
	} {
		if got := fmt.Sprint(places(c.all, c.id)); got != c.want {
			t.Errorf("%s: %s, want %s", c.id, got, c.want)
		}
	}
}

// A title is one line of at most 60 characters.
func TestTitled(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " \n ": "", "  Plan\tfor  March \nmore": "Plan for March",
		"0123456789 0123456789 0123456789 0123456789 0123456789 01234567890": "0123456789 0123456789 0123456789 0123456789 0123456789 0123…",
	} {
		if got := titled(text); got != want || len([]rune(got)) > maxTitle {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
