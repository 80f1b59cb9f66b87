package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deep is a program whose stack grows and is read by the garbage collector, and that recovers
// from a panic, with defers, before it crashes.
const deep = `package main

import (
	"fmt"
	"runtime"
)

type node struct{ next *node; text string }

//go:noinline
func grow(n int, list *node) *node {
	var room [40]*node
	room[n%40] = &node{list, fmt.Sprint(n)}
	if n == 0 {
		runtime.GC()
		return room[0]
	}
	defer func() { room[n%40] = nil }()
	return grow(n-1, room[n%40])
}

func recovered() (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	var list []int
	return fmt.Sprint(list[len(text)+3])
}

func crash() { panic("the end") }

func main() {
	done := make(chan int)
	for range 4 {
		go func() {
			count := 0
			for list := grow(2000, nil); list != nil; list = list.next {
				count++
			}
			done <- count
		}()
	}
	for range 4 {
		fmt.Println(<-done)
	}
	fmt.Println(recovered())
	crash()
}
`

// built compiles deep, and returns the program.
func built(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "deep.go"), filepath.Join(dir, "deep.wasm")
	if err := os.WriteFile(source, []byte(deep), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := goTool("build", "-trimpath", "-ldflags", "-s -w", "-o", out, source); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// ran runs a program under Node, and returns what it printed on both outputs.
func ran(t *testing.T, program []byte) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "deep.wasm")
	if err := os.WriteFile(file, program, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "go_js_wasm_exec"), file)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("a program that crashes ended well:\n%s", out)
	}
	return string(out)
}

// TestWithoutLines checks that a program without its table of lines does the same, and that
// the stack of its crash still has the names of functions.
func TestWithoutLines(t *testing.T) {
	program := built(t)
	smaller, err := withoutLines(program)
	if err != nil {
		t.Fatal(err)
	}
	before, after := ran(t, program), ran(t, smaller)
	const want = "2001\n2001\n2001\n2001\nruntime error: index out of range [3] with length 0\npanic: the end\n"
	for _, said := range []string{before, after} {
		if !strings.HasPrefix(said, want) || !strings.Contains(said, "main.crash(") || !strings.Contains(said, "main.main(") {
			t.Errorf("the program said:\n%s", said)
		}
	}
	if !strings.Contains(before, "deep.go:") || strings.Contains(after, "deep.go") {
		t.Errorf("with lines:\n%s\nwithout:\n%s", before, after)
	}
	full, err := smallest(program)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := smallest(smaller)
	if err != nil {
		t.Fatal(err)
	}
	if len(packed) > len(full)*95/100 {
		t.Errorf("%d bytes packed, and %d with lines", len(packed), len(full))
	}
}

// TestWithoutLinesOfOthers checks that a program whose tables differ from those of Go is
// refused.
func TestWithoutLinesOfOthers(t *testing.T) {
	program := built(t)
	start, content, end, err := dataSection(program)
	if err != nil {
		t.Fatal(err)
	}
	magic := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	others := map[string][]byte{
		"empty":           nil,
		"text":            []byte("package main"),
		"without data":    program[:start],
		"another version": bytes.Replace(program, magic, []byte{0xf2, 0xff, 0xff, 0xff, 0, 0, 1, 8}, 1),
		"other offsets":   bytes.Replace(program, magic, append(bytes.Repeat([]byte{0xff}, 8), magic...), 1),
	}
	for at := content; at < end; at += (end - content) / 50 {
		others["cut off"] = program[:at]
		for name, other := range others {
			if _, err := withoutLines(other); err == nil {
				t.Errorf("%s, %d bytes: no error", name, len(other))
			}
		}
		// A changed byte must not end this program, whatever it means to the other.
		changed := bytes.Clone(program)
		changed[at] ^= 0xff
		_, _ = withoutLines(changed)
	}
}
