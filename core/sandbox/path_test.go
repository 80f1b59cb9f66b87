package sandbox_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Scenario 22: `notes/a` ≡ `/notes/a`; what steps out is an error, never clamped.
func TestClean(t *testing.T) {
	long, deep := strings.Repeat("n", 255), strings.Repeat("d/", 2047)+"e"
	for in, want := range map[string]string{
		"": ".", "/": ".", ".": ".", "//": ".", "/./": ".", "a/..": ".", "/a/b": "a/b", "a/b": "a/b", "a//b/": "a/b", "./a/./b": "a/b",
		"a/../b": "b", "/a/b/../../c": "c", "...": "...", "a..b": "a..b", "..a": "..a", " ": " ", "日本/ü": "日本/ü", long: long, deep: deep,
	} {
		if got, err := sandbox.Clean(in); err != nil || got != want {
			t.Errorf("Clean(%.40q) = %.40q, %v; want %.40q", in, got, err, want)
		}
	}
	for _, in := range []string{
		"..", "/..", "/../x", "/a/../../x", "a/../..", "../a", "a\\b", "..\\x", "a\x00", "a\nb", "\x7f", "\u0085", "a\u202eb", "a\u200bb",
		"\ufeff", "a\u2028b", "a\u2066b", "\xff", "a/\xc0\xaf", "n" + long, strings.Repeat("a/", 2048) + "b",
	} {
		if got, err := sandbox.Clean(in); !errors.Is(err, fault.Path) {
			t.Errorf("Clean(%.40q) = %.40q, %v; want E_PATH", in, got, err)
		}
	}
}

func TestValidNew(t *testing.T) {
	for _, in := range []string{
		"con", "CON", "Con.txt", "a/nul", "aux.tar.gz", "prn .txt", "conin$", "CONOUT$", "com1", "LPT9.log", "com¹", "com0", "a.", "a ", "d./x",
		"a:b", "a<", "a>", "a|", "a?", "a*", `a"`, "../x", "/a", "a//b",
	} {
		if err := sandbox.ValidNew(in); !errors.Is(err, fault.Path) {
			t.Errorf("ValidNew(%q) = %v, want E_PATH", in, err)
		}
	}
	for _, in := range []string{".", "a", "console", "com", "com10", "lpt", "a.b.c", "nul-", "x/auxiliary", ".hidden", "comé"} {
		if err := sandbox.ValidNew(in); err != nil {
			t.Errorf("ValidNew(%q) = %v", in, err)
		}
	}
}

// SPEC §8: protection compares folded names.
func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		".": ".", "..": "..", "../X": "../x", ".ENV": ".env", ".env.": ".env", ".env . .": ".env", ".env::$DATA": ".env", ".env .:x": ".env",
		"Main.WORKER": "main.worker", "WORKERS/A": "workers/a", "wor\u212aers": "workers", "tool\u017f": "tools", ".ｅｎｖ": ".env", ".env．": ".env",
		"a／b": "a／b", ".gi\u200ct": ".git", ".e\ufeffnv": ".env",
		"golem-forge.con\ufb01g.yaml": "golem-forge.config.yaml", "cla\u00dfes": "classes", "a\u1e9e\ufb06": "assst", "\ufb00\ufb02\ufb03\ufb04\ufb05": "ffflffifflst",
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

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "/", "a/b", "/../x", "a/../../x", "a\\b", "\x00", "\xff", "./.", "a/./../b", "con", "\u202e", strings.Repeat("../", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := sandbox.Clean(in)
		if err != nil {
			if !errors.Is(err, fault.Path) || strings.ContainsAny(err.Error(), "\x00\x1b\u202e") {
				t.Fatalf("Clean(%q): %v", in, err)
			}
			return
		}
		if !fs.ValidPath(got) {
			t.Fatalf("Clean(%q) = %q is no io/fs name", in, got)
		}
		for _, e := range strings.Split(got, "/") {
			if e == ".." {
				t.Fatalf("Clean(%q) = %q steps up", in, got)
			}
		}
		if err := sandbox.Valid(got); err != nil {
			t.Fatalf("Clean(%q) = %q: %v", in, got, err)
		}
		if again, err := sandbox.Clean(sandbox.Abs(got)); err != nil || again != got {
			t.Fatalf("Clean(Abs(%q)) = %q, %v", got, again, err)
		}
	})
}
