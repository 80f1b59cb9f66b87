package sandbox_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
)

// Scenario 22: `notes/a` ≡ `/notes/a`; a path that leads out is an error, never clamped.
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
