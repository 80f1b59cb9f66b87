package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"aead.dev/minisign"
)

const (
	testVersion = "v0.0.1-test.1"
	testDate    = "2026-01-02T03:04:05Z"
)

// TestRelease makes the release of linux/amd64 twice, in two directories, with a key of its
// own, looks at all that is in it, and installs it where nothing else is.
func TestRelease(t *testing.T) {
	t.Chdir("..")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	secret, public := keyPair(t)
	out := filepath.Join(t.TempDir(), "release")
	makeRelease(t, out, secret, "linux/amd64")
	second := copyOf(t, here)
	t.Chdir(second)
	again := filepath.Join(t.TempDir(), "a", "directory", "with", "another", "length")
	makeRelease(t, again, secret, "linux/amd64")
	t.Chdir(here)
	same(t, out, again)

	t.Run("verify", func(t *testing.T) { verifies(t, out, public) })
	files := unpacked(t, filepath.Join(out, "golem-"+testVersion+"-linux-amd64.tar.gz"), "golem-"+testVersion+"-linux-amd64/")
	bill := billOf(t, files["sbom.cdx.json"].Data)
	if beside, err := os.ReadFile(filepath.Join(out, "golem-"+testVersion+"-linux-amd64.cdx.json")); err != nil || !bytes.Equal(beside, files["sbom.cdx.json"].Data) {
		t.Errorf("the bill of materials beside the archive is another one: %v", err)
	}
	root := installed(t, files)
	for _, program := range []string{"golem", "golem-queue"} {
		info, err := buildinfo.ReadFile(filepath.Join(root, program))
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Deps) < 5 {
			t.Errorf("%s has %d modules", program, len(info.Deps))
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			if !slices.Contains(bill.of(program), "pkg:golang/"+m.Path+"@"+m.Version) {
				t.Errorf("the bill of materials does not say that %s contains %s %s", program, m.Path, m.Version)
			}
		}
	}
	noticed(t, files["NOTICES.txt"].Data, bill)
	complains(t, files, root)
	t.Run("install", func(t *testing.T) { installs(t, here, root) })
	t.Run("npm", func(t *testing.T) {
		ofNPM(t, unpacked(t, filepath.Join(out, "golem-"+strings.TrimPrefix(testVersion, "v")+".tgz"), "package/"))
	})
}

// keyPair writes a new secret key, and returns its file and the public key.
func keyPair(t *testing.T) (secret, public string) {
	t.Helper()
	pub, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := key.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	secret = filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(secret, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return secret, pub.String()
}

// makeRelease makes a release in out from the working directory.
func makeRelease(t *testing.T, out, key, systems string) {
	t.Helper()
	var said strings.Builder
	words := []string{"-version", testVersion, "-commit", "0123456789ab", "-date", testDate, "-any-page", "-systems", systems, "-out", out, "-key", key}
	if err := release(words, &said); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	want := "release: signed; to verify: minisign -Vm SHA256SUMS -P "
	if key == "" {
		want = "release: not signed, because no key was given"
	}
	if !strings.Contains(said.String(), want) {
		t.Errorf("no %q in\n%s", want, said.String())
	}
}

// copyOf copies the checkout, without git, with the page that was built in it.
func copyOf(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "checkout")
	list, err := output("git", "ls-files", "-co", "--exclude-standard")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(list, "\n")
	for _, built := range []string{"web/embedded/page.zip.zst", "web/dist"} {
		err := filepath.WalkDir(built, func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%v: make web builds the page", err)
		}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if os.IsNotExist(err) { // deleted, and not committed
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, info.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(from, "web", "node_modules"), filepath.Join(to, "web", "node_modules")); err != nil {
		t.Fatal(err)
	}
	return to
}

// same compares two releases: their files, and so the checksums and signatures, have the same
// bytes.
func same(t *testing.T, one, other string) {
	t.Helper()
	read := func(dir string) map[string]string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		digests := map[string]string{}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(data)
			digests[e.Name()] = hex.EncodeToString(sum[:])
		}
		return digests
	}
	a, b := read(one), read(other)
	if len(a) != len(b) {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
	for name, digest := range a {
		if b[name] != digest {
			t.Errorf("%s differs between two builds", name)
		}
	}
}

// unpacked returns the files of an archive of TestRelease, whose names begin with dir.
func unpacked(t *testing.T, name, dir string) fstest.MapFS {
	t.Helper()
	files := unpackedAt(t, name, dir)
	for inside, f := range files {
		if strings.HasPrefix(dir, "golem") && f.ModTime.UTC().Format("2006-01-02T15:04:05Z") != testDate {
			t.Errorf("%s has the time %s", inside, f.ModTime)
		}
	}
	return files
}

// unpackedAt returns the files of an archive, whose names begin with dir. It checks that
// nothing of this machine is in their headers, and that they are in order.
func unpackedAt(t *testing.T, name, dir string) fstest.MapFS {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files, last := fstest.MapFS{}, ""
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		inside, ok := strings.CutPrefix(h.Name, dir)
		if !ok || h.Uname+h.Gname != "" || h.Uid+h.Gid != 0 || h.Typeflag != tar.TypeReg {
			t.Errorf("%s: owner %d %q, group %d %q, type %c", h.Name, h.Uid, h.Uname, h.Gid, h.Gname, h.Typeflag)
		}
		if strings.HasPrefix(dir, "golem") && h.Name <= last {
			t.Errorf("%s comes after %s", h.Name, last)
		}
		last = h.Name
		files[inside] = &fstest.MapFile{Data: data, Mode: h.FileInfo().Mode(), ModTime: h.ModTime}
	}
}

// installed writes files into an empty directory.
func installed(t *testing.T, files fstest.MapFS) string {
	t.Helper()
	root := t.TempDir()
	for name, f := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.Data, f.Mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// installs uses what was installed in root, with nothing else in PATH and HOME.
func installs(t *testing.T, here, root string) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "greeter"), os.DirFS(filepath.Join(here, "examples", "greeter"))); err != nil {
		t.Fatal(err)
	}
	run := func(words ...string) string {
		cmd := exec.Command(filepath.Join(root, words[0]), words[1:]...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + root, "HOME=" + filepath.Join(dir, "home")}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", strings.Join(words, " "), err)
		}
		return string(out)
	}
	for _, c := range []struct{ line, want string }{
		{"golem version", "golem " + testVersion + " (commit 0123456789ab, " + testDate + ")\n"},
		{"golem run greeter/greeter.yaml Ada --model script:greeter/script.yaml", "Hello"},
		{"golem init first", ""},
		{"golem run first hello", "\n"},
		{"golem docs", "golem"},
		{"golem-queue --help", ""},
	} {
		if got := run(strings.Fields(c.line)...); !strings.Contains(got, c.want) {
			t.Errorf("%s prints %q, want %q", c.line, got, c.want)
		}
	}
	followsReadme(t, root)
	bash := exec.Command("bash", "--norc", "-c", `_get_comp_words_by_ref() { words=(golem ver); cword=1; cur=ver; prev=golem; }; __ltrim_colon_completions() { :; }; source "$0" && complete -p golem && COMP_TYPE=9 && __start_golem && echo "${COMPREPLY[@]}"`, filepath.Join(root, "completions", "golem.bash"))
	bash.Env = []string{"PATH=" + root + ":/usr/bin:/bin", "HOME=" + dir}
	said, err := bash.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "__start_golem") || !strings.Contains(string(said), "version") {
		t.Errorf("bash, with the completions: %v\n%s", err, said)
	}
	man := exec.Command("man", "-l", filepath.Join(root, "man", "man1", "golem-run.1"))
	man.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	if page, err := man.Output(); err != nil || !strings.Contains(string(page), "golem "+testVersion) || !strings.Contains(string(page), "Jan 2026") {
		t.Errorf("man golem-run: %v\n%s", err, page)
	}
}

// followsReadme types the commands of the README of the archive, where nothing is installed.
func followsReadme(t *testing.T, root string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var typed strings.Builder
	for _, line := range regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(string(text), -1) {
		typed.WriteString(line[1] + "\n")
	}
	cmd := exec.Command("bash", "--norc", "-eu", "-c", typed.String())
	cmd.Dir, cmd.Env = root, []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir()}
	said, err := cmd.CombinedOutput()
	at := 0
	for _, want := range []string{"golem " + testVersion, "golem run first", "what is in input/", "# Begin"} {
		i := strings.Index(string(said[at:]), want)
		if i < 0 || err != nil {
			t.Fatalf("no %q, %v: the commands of the README\n%s\nsay\n%s", want, err, typed.String(), said)
		}
		at += i
	}
}
