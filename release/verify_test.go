package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// verifies verifies a release with sha256sum and with its own command, then changed copies of
// it, all of which must fail.
func verifies(t *testing.T, dir, public string) {
	sums := exec.Command("sha256sum", "--strict", "-c", sumsName)
	sums.Dir = dir
	if said, err := sums.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, said)
	}
	for _, words := range [][]string{{dir}, {"-public", public, dir}} {
		if err := verifying(words, io.Discard); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	}
	_, other := keyPair(t)
	archive := "golem-" + testVersion + "-linux-amd64.tar.gz"
	bill := "golem-" + testVersion + "-linux-amd64.cdx.json"
	for name, c := range map[string]struct {
		change func(*testing.T, string)
		public string
		want   string
	}{
		"another key":                    {func(*testing.T, string) {}, other, "was not signed with this key"},
		"no key":                         {func(*testing.T, string) {}, "RWQ", "neither a public key of minisign nor a file"},
		"a changed archive":              {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, archive)) }, public, archive + " has changed"},
		"an archive that nobody lists":   {func(t *testing.T, dir string) { put(t, dir, "golem-v9.tar.gz", "x") }, public, "golem-v9.tar.gz has no line in SHA256SUMS"},
		"a missing archive":              {func(t *testing.T, dir string) { remove(t, dir, archive) }, public, "no such file"},
		"a missing signature":            {func(t *testing.T, dir string) { remove(t, dir, archive+signature) }, public, archive + " has no signature"},
		"no signature of the checksums":  {func(t *testing.T, dir string) { remove(t, dir, sumsName+signature) }, public, "SHA256SUMS has no signature"},
		"the signature of another file":  {func(t *testing.T, dir string) { move(t, dir, bill+signature, archive+signature) }, public, archive + " was not signed with this key, or has changed"},
		"another file under this name":   {func(t *testing.T, dir string) { swap(t, dir, archive, bill) }, public, "was made for another file"},
		"a changed list of checksums":    {func(t *testing.T, dir string) { flip(t, filepath.Join(dir, archive)); summed(t, dir) }, public, archive + " was not signed with this key, or has changed"},
		"an empty list":                  {func(t *testing.T, dir string) { clear(t, dir); put(t, dir, sumsName, "") }, public, "names no file"},
		"a list with a path":             {func(t *testing.T, dir string) { put(t, dir, sumsName, strings.Repeat("0", 64)+"  ../x\n") }, public, "which is not a digest, two spaces and a name"},
		"a signature in place of a list": {func(t *testing.T, dir string) { move(t, dir, sumsName+signature, sumsName) }, public, "which is not a digest, two spaces and a name"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := t.TempDir()
			if err := os.CopyFS(changed, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			c.change(t, changed)
			err := verifying([]string{"-public", c.public, changed}, io.Discard)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("verify says %v, want %q", err, c.want)
			}
		})
	}
}

func flip(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func move(t *testing.T, dir, from, to string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, from))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, to, string(data))
}

// clear removes all archives and bills.
func clear(t *testing.T, dir string) {
	t.Helper()
	names, err := listed(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		remove(t, dir, name)
	}
}

// summed writes the checksums as they are now.
func summed(t *testing.T, dir string) {
	t.Helper()
	if err := (options{out: dir}).sums(nil); err != nil {
		t.Fatal(err)
	}
}

// swap gives a file the content and the signature of another, and corrects the checksums and
// nothing else: it is what somebody can do who has an older release and no key.
func swap(t *testing.T, dir, name, other string) {
	t.Helper()
	move(t, dir, other, name)
	move(t, dir, other+signature, name+signature)
	summed(t, dir)
}

// A command line or a directory that could make a wrong release is refused, and says what is
// right.
func TestRefused(t *testing.T) {
	strange := t.TempDir()
	put(t, strange, "thesis.tex", "")
	bad := filepath.Join(t.TempDir(), "bad.key")
	put(t, filepath.Dir(bad), "bad.key", "no key")
	given := []string{"-version", "v1.2.3", "-commit", "0123456789ab", "-date", testDate}
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, `the version "" has another form than v1.2.3`},
		{[]string{"-version", "1.2"}, "make release VERSION=v1.2.3"},
		{[]string{"-version", "v1.2.3", "-commit", "x", "-date", "yesterday"}, "RFC 3339"},
		{append(given, "-systems", "plan9/386"), "no release is made for the system"},
		{append(given, "-out", strange), "thesis.tex, which is of no release"},
		{append(given, "-key", bad), "has no secret key of minisign"},
		{append(given, "-key", bad+"x"), "no such file"},
		{append(given, "more"), `"more" is unexpected`},
	} {
		err := release(c.words, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.words, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(strange, "thesis.tex")); err != nil {
		t.Errorf("a file of somebody else is gone: %v", err)
	}
}

// A checkout with changes makes no release: nobody else could make the same.
func TestChangedCheckoutIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, words := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if said, err := exec.Command("git", words...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	if commit, date, err := checkout(); err != nil || len(commit) != 12 || date == "" {
		t.Errorf("a clean checkout: %q %q %v", commit, date, err)
	}
	put(t, ".", "new.go", "package new\n")
	var said bytes.Buffer
	if err := release([]string{"-version", "v1.2.3"}, &said); err == nil || !strings.Contains(err.Error(), "differs from its commit") || !strings.Contains(err.Error(), "new.go") {
		t.Errorf("a changed checkout: %v", err)
	}
}
