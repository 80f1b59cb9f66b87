package wazeroengine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"

	"golem/core/fault"
	"golem/core/wasmtool/guard"
)

// mistyped returns a module that the guard accepts and the engine rejects, because of
// i64.const 0, i32.eqz. name is the name of its function.
func mistyped(name string) []byte {
	section := func(id byte, content ...byte) []byte {
		n := len(content)
		return append([]byte{id, byte(n&127 | 128), byte(n >> 7)}, content...)
	}
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	out = append(out, section(1, 1, 0x60, 0, 0)...)
	out = append(out, section(3, 1, 0)...)
	out = append(out, section(7, append(append([]byte{1, byte(len(name)&127 | 128), byte(len(name) >> 7)}, name...), 0, 0)...)...)
	return append(out, section(10, 1, 6, 0, 0x42, 0, 0x45, 0x1a, 0x0b)...)
}

// SECURITY 7 and 16: an engine's message is cut, and what a module put into it is
// escaped.
func TestMessagesAreCut(t *testing.T) {
	e, err := New(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, name := range []string{"run", "\x1b[2J\n\u202e" + strings.Repeat("n", 4000), strings.Repeat("\u0085", 2000)} {
		woven, err := guard.Weave(mistyped(name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Compile(t.Context(), woven, "")
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code != fault.ToolModule {
			t.Errorf("%.20q: %v", name, err)
			continue
		}
		hidden := func(r rune) bool { return unicode.Is(unicode.C, r) }
		if len(f.Message) > 300 || strings.ContainsFunc(f.Message, hidden) || f.Hint == "" {
			t.Errorf("%.20q: %q", name, f.Message)
		}
	}
}

// SECURITY 7: a memory that grows page by page is copied a few times, not a thousand,
// and never gets larger than its maximum.
func TestMemoryGrowsByDoubling(t *testing.T) {
	const page, most = 64 << 10, guard.MaxMemoryPages * 64 << 10
	m := memoryAllocator.Allocate(0, most)
	moved, at := 0, (*byte)(nil)
	for size := uint64(page); size <= most; size += page {
		b := m.Reallocate(size)
		if uint64(len(b)) != size || uint64(cap(b)) > most {
			t.Fatalf("%d of %d bytes for %d", len(b), cap(b), size)
		}
		if size > page && b[size-page-1] != 1 {
			t.Fatalf("what was written before %d bytes is lost", size)
		}
		if b[size-1] != 0 {
			t.Fatalf("new memory is not zero at %d", size)
		}
		b[size-1] = 1
		if at != &b[0] {
			moved, at = moved+1, &b[0]
		}
	}
	if moved > 12 {
		t.Errorf("it was moved %d times", moved)
	}
	if m.Reallocate(most+page) != nil {
		t.Error("it grows beyond its maximum")
	}
}
