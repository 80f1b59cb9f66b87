//go:build unix

package osfs_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golem/core/sandbox"
	"golem/sandbox/osfs"
)

// deepening is the environment variable, with a directory as its value, that makes
// the test binary work with deep names under a low limit of open files.
const deepening = "GOLEM_TEST_DEEP"

// A name may have 2,047 levels. A walk keeps a fixed number of handles open, so that
// many deep names at once do not reach the limit of open files of a process (B12).
func TestDeepNamesNeedFewHandles(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), deepening+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %.200s … %.200s", err, out, out[max(0, len(out)-200):])
	}
}

// deepest is the number of directories in the longest path that the test uses.
const deepest = 2040

func deepProcess(dir string) {
	if err := workDeep(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func workDeep(dir string) error {
	f, err := osfs.Open(dir)
	if err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 150, Max: 150}); err != nil {
		return err
	}
	way := strings.TrimSuffix(strings.Repeat("d/", deepest), "/")
	for _, step := range []func() error{
		func() error { return f.WriteFile(way+"/f", []byte("deep")) },
		func() error { return f.Rename(way+"/f", way+"/g") },
		func() error { return f.Mkdir(way+"/m", 0o755) },
		func() error { return together(4, func() error { return deepRead(f, way+"/g") }) },
		func() error { sub, err := f.SubFS(way); return first(err, func() error { return deepRead(sub, "g") }) },
		func() error { return climbs(f, dir) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func first(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

func deepRead(f sandbox.FS, name string) error {
	data, err := fs.ReadFile(f, name)
	if err == nil && string(data) != "deep" {
		err = fmt.Errorf("read %q", data)
	}
	return err
}

// together runs a step several times at once.
func together(n int, step func() error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = step() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// climbs reads through links that go more levels up than handles stay open.
func climbs(f *osfs.FS, dir string) error {
	low := strings.TrimSuffix(strings.Repeat("d/", 100), "/")
	if err := f.WriteFile("top", []byte("deep")); err != nil {
		return err
	}
	for name, target := range map[string]string{"few": strings.Repeat("../", 100) + "top", "zigzag": strings.Repeat("../", 60) + strings.Repeat("d/", 60) + strings.Repeat("../", 100) + "top"} {
		if err := os.Symlink(target, path.Join(dir, low, name)); err != nil {
			return err
		}
		if err := deepRead(f, low+"/"+name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := os.Symlink(strings.Repeat("../", 101)+path.Base(dir)+"/top", path.Join(dir, low, "out")); err != nil {
		return err
	}
	if err := deepRead(f, low+"/out"); err == nil {
		return fmt.Errorf("a link led out of the tree")
	}
	return nil
}
