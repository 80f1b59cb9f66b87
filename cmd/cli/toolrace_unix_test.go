//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golem/core/sandbox"
	"golem/core/wasmtool"
	"golem/core/wasmtool/guard"
	"golem/core/wasmtool/wazeroengine"
	"golem/sandbox/osfs"
)

// SECURITY 2 and 6: while somebody keeps swapping a file and a link to the outside, no
// module reads or writes outside, however often it tries.
func TestModuleAgainstASwappingLink(t *testing.T) {
	top := t.TempDir()
	dir, outside := filepath.Join(top, "in"), filepath.Join(top, "outside")
	for _, d := range []string{dir, outside, filepath.Join(top, "spare")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	view, err := sandbox.View(sandbox.ViewSpec{Mounts: []sandbox.Mount{{Name: "root", At: ".", FS: root, Mode: sandbox.ReadWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := wazeroengine.New(t.Context(), wazeroengine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	var modules []wasmtool.Compiled
	for _, name := range []string{"read_file", "create", "exit_write", "append"} {
		module, err := os.ReadFile(moduleIn(t, top, name))
		if err != nil {
			t.Fatal(err)
		}
		if module, err = guard.Weave(module); err != nil {
			t.Fatal(err)
		}
		code, err := engine.Compile(t.Context(), module, name)
		if err != nil {
			t.Fatal(err)
		}
		defer code.Close()
		modules = append(modules, code)
	}
	ctx, stop := context.WithCancel(t.Context())
	var swapping sync.WaitGroup
	swaps := 0
	swapping.Go(func() { swaps = swap(ctx, t, dir, filepath.Join(top, "spare", "x"), secret) })
	read, worked := 0, 0
	for range 1500 {
		for _, code := range modules {
			res, err := code.Call(t.Context(), wasmtool.Invocation{Form: wasmtool.Command}, wasmtool.Host{Files: view})
			if bytes.Contains(res.Output, []byte("secret")) {
				read++
			}
			if err == nil {
				worked++
			}
		}
	}
	stop()
	swapping.Wait()
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file outside holds %q, %v", data, err)
	}
	if heldIn(t, outside) != "secret secret" {
		t.Errorf("outside there is %s", heldIn(t, outside))
	}
	if read != 0 {
		t.Errorf("it was read %d times", read)
	}
	if swaps < 10 || worked == 0 {
		t.Errorf("%d swaps, %d calls worked: this tried nothing", swaps, worked)
	}
}

// swap puts files and links to the outside in the places that the modules use.
func swap(ctx context.Context, t *testing.T, dir, spare, secret string) (n int) {
	for ; ctx.Err() == nil; n++ {
		for _, name := range []string{"in.txt", "out.txt"} {
			err := os.Symlink(secret, spare)
			if n%2 == 0 {
				err = errors.Join(err, os.Remove(spare), os.WriteFile(spare, []byte("inside"), 0o644))
			}
			if err == nil {
				err = os.Rename(spare, filepath.Join(dir, name))
			}
			if err != nil {
				t.Error(err)
				return n
			}
		}
	}
	return n
}
