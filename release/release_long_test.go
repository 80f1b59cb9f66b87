//go:build long && linux

package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"aead.dev/minisign"
)

// TestLongRelease makes the whole release twice, each time from a fresh clone that builds the
// page itself, and compares all files. Then it runs the programs for other systems: for
// linux/arm64 on QEMU, and for windows/amd64 on Wine.
func TestLongRelease(t *testing.T) {
	t.Chdir("..")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var outs []string
	secret, public := keyPair(t)
	for _, dir := range []string{"one", "another/with/a/longer/name"} {
		clone := filepath.Join(t.TempDir(), dir)
		must(t, here, nil, "git", "clone", "-q", here, clone)
		must(t, here, nil, "cp", "-a", filepath.Join(here, "web", "node_modules"), filepath.Join(clone, "web"))
		must(t, clone, []string{"GOLEM_VERSION=" + testVersion}, "go", "run", "./web/build", "small")
		out := filepath.Join(t.TempDir(), "release")
		must(t, clone, nil, "go", "run", "./release", "-version", testVersion, "-out", out, "-key", secret)
		must(t, clone, nil, "go", "run", "./release", "verify", "-public", public, out)
		outs = append(outs, out)
	}
	same(t, outs[0], outs[1])
	entries, err := os.ReadDir(outs[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(entries), 2*(2*len(allSystems)+2); got != want {
		t.Errorf("the release has %d files, want %d", got, want)
	}
	t.Run("minisign", func(t *testing.T) {
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), signature) {
				must(t, outs[0], nil, "minisign", "-Vm", e.Name(), "-P", public)
			}
		}
	})
	files := func(system string) fstest.MapFS {
		dir := "golem-" + testVersion + "-" + strings.ReplaceAll(system, "/", "-")
		if strings.HasPrefix(system, "windows/") {
			return unzipped(t, filepath.Join(outs[0], dir+".zip"), dir+"/")
		}
		return unpackedAt(t, filepath.Join(outs[0], dir+".tar.gz"), dir+"/")
	}
	t.Run("linux/arm64", func(t *testing.T) {
		root := installed(t, files("linux/arm64"))
		smoke(t, here, nil, "qemu-aarch64", filepath.Join(root, "golem"))
	})
	t.Run("windows/amd64", func(t *testing.T) {
		root := installed(t, files("windows/amd64"))
		smoke(t, here, windows(t), "wine", filepath.Join(root, "golem.exe"))
	})
	for _, system := range []string{"darwin/amd64", "darwin/arm64", "windows/arm64"} {
		for _, name := range []string{"golem", "golem-queue"} {
			f := files(system)
			if f[name] == nil && f[name+".exe"] == nil {
				t.Errorf("%s has no %s", system, name)
			}
		}
	}
}

// smoke runs golem with another program, which understands its machine code.
func smoke(t *testing.T, here string, env []string, with, golem string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "greeter"), os.DirFS(filepath.Join(here, "examples", "greeter"))); err != nil {
		t.Fatal(err)
	}
	env = append(env, "GOLEM_HOME="+filepath.Join(dir, "home"))
	for _, c := range []struct{ line, want string }{
		{"version", "golem v"},
		{"init first", ""},
		{"check first", ""},
		{"run greeter/greeter.yaml Ada --model script:greeter/script.yaml", "Hello"},
		{"run first hello --trace t.jsonl", ""},
		{"trace show t.jsonl", "main"},
	} {
		if got := must(t, dir, env, append([]string{with, golem}, strings.Fields(c.line)...)...); !strings.Contains(got, c.want) {
			t.Errorf("golem %s prints %q, want %q", c.line, got, c.want)
		}
	}
}

// windows makes a Windows for Wine, and returns the environment that selects it. Wine 8 lacks
// a library from which Go's runtime takes random numbers.
func windows(t *testing.T) []string {
	t.Helper()
	prefix := t.TempDir()
	env := []string{"WINEPREFIX=" + prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml="}
	must(t, prefix, env, "wine", "wineboot", "-i")
	server := wineServer(t)
	t.Cleanup(func() { // it fails if the server has ended already
		stop := exec.Command(server, "-k", "-w")
		stop.Env = append(os.Environ(), env...)
		if said, err := stop.CombinedOutput(); err != nil {
			t.Logf("wineserver: %v %s", err, said)
		}
	})
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return env
	}
	source := filepath.Join(prefix, "prng.c")
	if err := os.WriteFile(source, []byte("#include <windows.h>\n#include <ntsecapi.h>\n__declspec(dllexport) BOOL ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, size); }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, prefix, nil, "x86_64-w64-mingw32-gcc", "-shared", "-O2", "-s", "-o", library, source, "-ladvapi32")
	return env
}

// wineServer returns the program that ends a Windows of Wine; Debian has it outside PATH.
func wineServer(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"wineserver", "/usr/lib/wine/wineserver", "/usr/lib/wine/wineserver64"} {
		if full, err := exec.LookPath(name); err == nil {
			return full
		}
	}
	t.Fatal("wineserver is missing: .ci/setup.sh long installs it")
	return ""
}

// must runs a command in dir, and returns its standard output.
func must(t *testing.T, dir string, env []string, words ...string) string {
	t.Helper()
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v (.ci/setup.sh long installs what is missing)\n%s%s", strings.Join(words, " "), err, out, said.String())
	}
	return string(out)
}

// unzipped returns the files of an archive for Windows.
func unzipped(t *testing.T, name, dir string) fstest.MapFS {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := fstest.MapFS{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		inside, ok := strings.CutPrefix(f.Name, dir)
		if err != nil || !ok {
			t.Fatalf("%s: %v", f.Name, err)
		}
		files[inside] = &fstest.MapFile{Data: data, Mode: f.Mode()}
	}
	return files
}

// A key with a password signs with it, and says what is wrong with another.
func TestLongPassword(t *testing.T) {
	_, key, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := minisign.EncryptKey("correct horse", key)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOLEM_SIGN_PASSWORD", "wrong")
	if _, err := signingKey(name); err == nil || !strings.Contains(err.Error(), "the password is wrong") {
		t.Errorf("a wrong password: %v", err)
	}
	t.Setenv("GOLEM_SIGN_PASSWORD", "correct horse")
	if got, err := signingKey(name); err != nil || !got.Equal(key) {
		t.Errorf("the right password: %v", err)
	}
}
