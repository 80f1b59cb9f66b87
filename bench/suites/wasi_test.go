package suites_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"golem/bench/suites"
	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
)

// TestWASIPrograms runs the programs with which wazero tests WASI, made by four compilers, under
// golem and under wazero alone with the same files: they print the same lines and have the same
// exit code.
func TestWASIPrograms(t *testing.T) {
	root := filepath.Join(suites.Dir(t, "github.com/tetratelabs/wazero"), "imports", "wasi_snapshot_preview1", "testdata")
	engine, err := wazeroengine.New(t.Context(), wazeroengine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	files := map[string]string{"a.txt": "animals", "-": "dash", "a-": "x", "d/e/f.txt": "deep", "ä.txt": "é"}
	tree, dir := sandbox.Memory(), t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(tree.WriteFile(name, []byte(text)), os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c := &suites.Tally{Suite: "WASI programs of wazero"}
	for _, from := range []string{"cargo-wasi", "tinygo", "zig", "zig-cc"} {
		module, err := os.ReadFile(filepath.Join(root, from, "wasi.wasm"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"ls .", "ls ./d", "ls ./d/e", "ls none", "ls a.txt", "ls ..", "ls . repeat", "stat", "preopen", "open-rdonly", "open-wronly", "poll 0 1", "sleepmillis 1"} {
			args := append([]string{"wasi"}, strings.Fields(line)...)
			want := alone(t, module, dir, args)
			got := guarded(t, engine, module, tree, args)
			reason := wasiDifferences[from+": "+line]
			switch {
			case got == want && reason == "":
				c.Agree()
			case got != want && reason != "":
				c.Differ(reason)
			default:
				t.Errorf("%s: %s\n%s\nwazero alone:\n%s\nlisted as %q", from, line, got, want, reason)
			}
		}
	}
	c.Compare(t)
}

// outcome returns what a program did, in a form that can be compared: directories have no order.
func outcome(out []byte, exit int) string {
	lines := strings.Split(string(out), "\n")
	slices.Sort(lines)
	return fmt.Sprintf("exit %d\n%s", exit, strings.TrimSpace(strings.Join(lines, "\n")))
}

// alone runs a program under wazero.
func alone(t *testing.T, module []byte, dir string, args []string) string {
	t.Helper()
	return outcome(bare(t, module, dir, args, ""))
}

// bare runs a program under wazero and returns its output and exit code.
func bare(t *testing.T, module []byte, dir string, args []string, stdin string) ([]byte, int) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	var out bytes.Buffer
	config := wazero.NewModuleConfig().WithArgs(args...).WithStdin(strings.NewReader(stdin)).WithStdout(&out).WithSysWalltime().WithSysNanotime().WithFSConfig(wazero.NewFSConfig().WithDirMount(dir, "/"))
	_, err := r.InstantiateWithConfig(ctx, module, config)
	exit := 0
	var exited *sys.ExitError
	switch {
	case errors.As(err, &exited):
		exit = int(exited.ExitCode())
	case err != nil:
		exit = -1
	}
	return out.Bytes(), exit
}

// guarded runs a program under golem.
func guarded(t *testing.T, engine wasmtool.Engine, module []byte, files sandbox.FS, args []string) string {
	t.Helper()
	woven, err := guard.Weave(module)
	if err != nil {
		t.Fatal(err)
	}
	code, err := engine.Compile(t.Context(), woven, "")
	if err != nil {
		t.Fatal(err)
	}
	defer code.Close()
	result, err := code.Call(t.Context(), wasmtool.Invocation{Form: wasmtool.Command, Args: args}, wasmtool.Host{Files: files})
	exit := result.Exit
	if err != nil && exit == 0 {
		exit = -1
	}
	return outcome(result.Output, exit)
}

var wasiDifferences = map[string]string{
	"tinygo: ls none":     trapped,
	"tinygo: ls ..":       trapped,
	"tinygo: ls . repeat": trapped,
}

const trapped = "a program that traps has an error and no output"
