package sandbox_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"golem/core/sandbox"
)

// SPEC §8: protection compares folded names.
func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		".": ".", "..": "..", "../X": "../x", ".ENV": ".env", ".env.": ".env", ".env . .": ".env", ".env::$DATA": ".env", ".env .:x": ".env",
		"Main.WORKER": "main.worker", "WORKERS/A": "workers/a", "wor\u212aers": "workers", "tool\u017f": "tools", ".ｅｎｖ": ".env", ".env．": ".env",
		"a／b": "a／b", ".gi\u200ct": ".git", ".e\ufeffnv": ".env",
		"golem-forge.con\ufb01g.yaml": "golem-forge.config.yaml", "cla\u00dfes": "classes", "a\u1e9e\ufb06": "assst", "\ufb00\ufb02\ufb03\ufb04\ufb05": "ffflffifflst",
		"cafe\u0301": "caf\u00e9", "CAF\u00c9": "caf\u00e9", "Cafe\u0301": "caf\u00e9", "\u212b": "\u00e5", "\u1112\u1161\u11ab": "\ud55c",
		"s\u0323\u0307": "\u1e69", "s\u0307\u0323": "\u1e69", "\u0390": "\u0390", "\u03b9\u0308\u0301": "\u0390", "\u1fb3": "\u03b1\u03b9", "\u1fbc": "\u03b1\u03b9",
		".gi\u034ft": ".git", ".en\ufe0fv": ".env", ".en\u115fv": ".env", "K\u0301\uff1aads": "\u1e31",
	} {
		if got := sandbox.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[.A-Za-zſK：． :/]{0,12}`)).Draw(t, "name")
		once := sandbox.Fold(name)
		if twice := sandbox.Fold(once); twice != once {
			t.Fatalf("Fold(%q) = %q, and again %q", name, once, twice)
		}
		if strings.Count(once, "/") != strings.Count(name, "/") {
			t.Fatalf("Fold(%q) = %q has other elements", name, once)
		}
		if a, b := sandbox.Fold(strings.ToUpper(asciiOnly(name))), sandbox.Fold(asciiOnly(name)); a != b {
			t.Fatalf("case shows: %q, %q", a, b)
		}
	})
}

func asciiOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0x7e {
			return -1
		}
		return r
	}, s)
}

// SECURITY 21: a letter folds to one form however it is composed, and in
// either case. Every character of the planes that have letters is tried.
func TestFoldEveryCharacter(t *testing.T) {
	full := cases.Fold()
	for r := rune(0x80); r < 0x20000; r++ {
		apart := norm.NFD.String("x" + string(r))
		if !utf8.ValidRune(r) || norm.NFC.String(apart) == apart && full.String(apart) == apart && !unicode.IsLetter(r) {
			continue
		}
		for _, name := range []string{"x" + string(r), "x" + string(r) + "\u0301y"} {
			folded := sandbox.Fold(name)
			for how, other := range map[string]string{
				"again": folded, "composed": norm.NFC.String(name), "taken apart": norm.NFD.String(name),
				"case-folded": norm.NFD.String(full.String(norm.NFD.String(name))),
			} {
				if got := sandbox.Fold(other); got != folded {
					t.Errorf("Fold(%+q) = %+q, and %s %+q", name, folded, how, got)
				}
			}
		}
	}
}
