package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"golem/core/fault"
)

// SPEC §16: FILE:LINE:COL: CODE: message (hint).
func TestText(t *testing.T) {
	f := fault.New(fault.Config, "unknown key %q", "toolset")
	for want, got := range map[string]error{
		`E_CONFIG: unknown key "toolset"`:                                          f,
		`main.worker:4:1: E_CONFIG: unknown key "toolset" (did you mean toolsets)`: f.At("main.worker", 4, 1).Hinting("did you mean %s", "toolsets"),
		`main.worker:4: E_CONFIG: unknown key "toolset"`:                           f.At("main.worker", 4, 0),
		`E_CONFIG: unknown key "toolset" [main → a]`:                               f.InChain([]string{"main", "a"}),
		`x: E_CONFIG: warning: odd`:                                                fault.Warn(fault.Config, "odd").At("x", 0, 0),
	} {
		if got.Error() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if f.Where != nil || f.Hint != "" {
		t.Error("a With method changed its receiver")
	}
}

func TestJSON(t *testing.T) {
	f := fault.New(fault.Config, "odd").At("main.worker", 4, 1).InChain([]string{"main"}).Hinting("mend it")
	raw, err := json.Marshal(f)
	want := `{"code":"E_CONFIG","message":"odd","where":{"file":"main.worker","line":4,"column":1,"chain":["main"]},"hint":"mend it","severity":"error"}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v\nwant %s", raw, err, want)
	}
	if got := string(f.Result()); got != `{"error":{"code":"E_CONFIG","message":"odd","hint":"mend it"}}` {
		t.Errorf("tool result %s", got)
	}
}

func TestIsAndOf(t *testing.T) {
	f := fault.New(fault.NotFound, "reading: %w", fs.ErrNotExist)
	wrapped := fmt.Errorf("outer: %w", f)
	if !errors.Is(wrapped, fault.NotFound) || !errors.Is(wrapped, fs.ErrNotExist) || errors.Is(wrapped, fault.Denied) {
		t.Error("a fault is not found by its code and its cause alone")
	}
	for err, code := range map[error]fault.Code{
		wrapped: fault.NotFound, context.Canceled: fault.Interrupted, context.DeadlineExceeded: fault.Timeout, errors.New("x"): fault.Tool,
	} {
		if got := fault.Of(err, fault.Tool); got.Code != code {
			t.Errorf("%v became %s, want %s", err, got.Code, code)
		}
	}
	if fault.Of(nil, fault.Tool) != nil {
		t.Error("no error became a fault")
	}
}

func TestList(t *testing.T) {
	l := fault.List{
		fault.New(fault.Path, "b").At("z", 1, 1), fault.New(fault.Config, "a").At("a", 2, 1),
		fault.Warn(fault.Config, "w").At("a", 1, 9), fault.New(fault.Config, "c").At("a", 1, 2),
	}
	l.Sort()
	var got []string
	for _, f := range l {
		got = append(got, f.Message)
	}
	if strings.Join(got, "") != "cwab" {
		t.Errorf("order %v, want c w a b", got)
	}
	if e, w := l.Counts(); e != 3 || w != 1 {
		t.Errorf("%d errors, %d warnings", e, w)
	}
	if l[1:2].Err() != nil {
		t.Error("warnings alone are an error")
	}
	if !errors.Is(l.Err(), fault.Path) {
		t.Error("a list does not hold its faults for errors.Is")
	}
}

func TestNearest(t *testing.T) {
	known := []string{"toolsets", "instructions", "mode", "model"}
	for name, want := range map[string]string{"toolset": "toolsets", "Model": "model", "instruction": "instructions", "zebra": "", "mod": "mode", "omde": "mode"} {
		if got := fault.Nearest(name, known); got != want {
			t.Errorf("nearest to %s is %q, want %q", name, got, want)
		}
	}
	if got := fault.DidYouMean("zebra", known); got != "known: instructions, mode, model, toolsets" {
		t.Errorf("hint %q", got)
	}
}

// SPEC §15: every code that Codes lists begins with E_, and none is listed twice.
func TestCodes(t *testing.T) {
	seen := map[fault.Code]bool{}
	for _, c := range fault.Codes() {
		if !strings.HasPrefix(string(c), "E_") || seen[c] {
			t.Errorf("code %s is malformed or listed twice", c)
		}
		seen[c] = true
	}
}

func TestCount(t *testing.T) {
	for want, got := range map[string]string{
		"1 file":       fault.Count(1, "file"),
		"0 files":      fault.Count(0, "file"),
		"2 entries":    fault.Count(2, "entry"),
		"1 entry":      fault.Count(1, "entry"),
		"2 keys":       fault.Count(2, "key"),
		"3 long lines": fault.Count(3, "long line"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestInPage tests what the page shows in place of a message and a hint, and that it is redacted
// as they are.
func TestInPage(t *testing.T) {
	f := fault.New(fault.Model, "no k").Hinting("set k").InPage("k is missing", "enter k")
	got := f.Mapped(func(s string) string { return strings.ReplaceAll(s, "k", "*") })
	if got.Message != "no *" || got.Hint != "set *" || *got.Page != (fault.PageWords{Message: "* is missing", Hint: "enter *"}) || f.Page.Hint != "enter k" {
		t.Errorf("%+v %+v", got, got.Page)
	}
	if text := f.Error(); text != "E_MODEL: no k (set k)" {
		t.Error(text)
	}
	if string(f.Result()) != `{"error":{"code":"E_MODEL","message":"no k","hint":"set k"}}` {
		t.Errorf("%s", f.Result())
	}
	if f.Hinting("other").Page != nil {
		t.Error("the page shows the old hint beside a new one")
	}
}
