package guard

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golem/core/fault"
)

// asked is a file that counts its reads.
type asked struct {
	*bytes.Reader
	times int
}

func (a *asked) ReadAt(b []byte, off int64) (int, error) {
	a.times++
	return a.Reader.ReadAt(b, off)
}

// SECURITY 7: the search for a description makes a limited number of reads, because each
// is slow in a browser. A file with a million empty sections is refused.
func TestReadSurfaceIsBounded(t *testing.T) {
	module := assemble(bytes.Repeat([]byte{0, 1, 0}, 1<<20))
	r := &asked{Reader: bytes.NewReader(module)}
	if _, err := ReadSurface(r, int64(len(module)), "golem.tools"); !errors.Is(err, fault.ToolModule) || r.times > MaxSections+1 {
		t.Errorf("%v after %d reads", err, r.times)
	}
	if _, err := AppendCustom(module, "golem.tools", nil); !errors.Is(err, fault.ToolModule) {
		t.Errorf("packed: %v", err)
	}
}

// Frequent refusals have a hint that says what helps.
func TestHints(t *testing.T) {
	void := sec(secType, 1, 0x60, 0, 0)
	for name, c := range map[string]struct {
		module []byte
		hint   string
	}{
		"an imported memory":   {assemble(void, sec(secImport, 1, 1, 'e', 1, 'm', 2, 0, 1)), "--import-memory"},
		"an imported table":    {assemble(void, sec(secImport, 1, 1, 'e', 1, 't', 1, typeFuncref, 0, 1)), "golem loads one module by itself"},
		"an imported global":   {assemble(void, sec(secImport, 1, 1, 'e', 1, 'g', 3, typeI32, 0)), "golem loads one module by itself"},
		"an imported tag":      {assemble(void, sec(secImport, 1, 1, 'e', 1, 'x', 4, 0, 0)), "-fwasm-exceptions"},
		"a large memory":       {assemble(sec(secMemory, 1, 0, 0x80, 0x10)), "--initial-memory"},
		"a shared memory":      {assemble(sec(secMemory, 1, 3, 1, 1)), "without threads"},
		"a long constant":      {assemble(sec(secGlobal, 1, typeI32, 0, opI32Const, 1, opI32Const, 1, opI32Add, opEnd)), "-mno-extended-const"},
		"tags":                 {assemble(sec(13, 1, 0, 0)), "-fwasm-exceptions"},
		"throw":                {one(0x08, 0, opEnd), "-fwasm-exceptions"},
		"a struct":             {assemble(sec(secType, 1, 0x5f, 0)), "garbage collection"},
		"an anyref":            {assemble(sec(secType, 1, 0x60, 1, 0x6e, 0)), "garbage collection"},
		"struct.new":           {one(0xfb, 0, 0, opEnd), "garbage collection"},
		"an atomic":            {one(0xfe, 0, 0, opEnd), "without threads"},
		"a relaxed vector":     {one(opVector, 0x80, 2, opEnd), "-mrelaxed-simd"},
		"anything else at all": {one(0x27, opEnd), "build it for WebAssembly 2.0"},
	} {
		_, err := Weave(c.module)
		var f *fault.Fault
		if !errors.As(err, &f) || f.Code != fault.ToolModule || !strings.Contains(f.Hint, c.hint) {
			t.Errorf("%s: %v, want %q", name, err, c.hint)
		}
	}
}

// Outlined also describes modules that cannot run, and stops at what it cannot parse.
func TestOutlined(t *testing.T) {
	imports := sec(secImport, 5, 1, 'e', 1, 'f', 0, 0, 1, 'e', 1, 't', 1, typeFuncref, 1, 1, 2, 1, 'e', 1, 'm', 2, 3, 1, 0x80, 2, 1, 'e', 1, 'g', 3, typeI32, 1, 1, 'e', 1, 'x', 4, 0, 0)
	whole := assemble(sec(secType, 1, 0x5f, 0), imports, sec(13, 1, 0, 0), sec(secExport, 1, 1, 'a', 0, 9))
	out := Outlined(whole)
	if got := fmt.Sprint(out.Imports, out.Exports); got != "[{e f func} {e t table} {e m memory} {e g global} {e x tag}] [{ a func}]" {
		t.Error(got)
	}
	for n := range len(whole) {
		if cut := Outlined(whole[:n]); len(cut.Imports) > 5 || len(cut.Exports) > 1 {
			t.Errorf("cut at %d: %+v", n, cut)
		}
	}
}
