package tool_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/tool"
)

func TestDecodeRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"duplicate": `{"a":1,"a":2}`, "case": `{"path":"/a","Path":"/b"}`, "escaped": `{"a":1,"\u0061":2}`, "kelvin": `{"k":1,"K":2}`,
		"trailing": `{} {}`, "bad": `{bad`, "depth": strings.Repeat("[", 100) + strings.Repeat("]", 100),
		"utf8": "{\"a\":\"\xff\"}", "lone": `{"a":"\ud800"}`, "number": `{"a":01}`, "comma": `{"a":1,}`,
	} {
		if out, err := tool.Decode([]byte(raw)); !errors.Is(err, fault.ToolInput) {
			t.Errorf("%s: %.40s, %v; want E_TOOL_INPUT", name, out, err)
		}
	}
	if _, err := tool.Decode([]byte(`{"a":"` + strings.Repeat("x", tool.MaxArgs) + `"}`)); !errors.Is(err, fault.Limit) {
		t.Errorf("size: %v; want E_LIMIT", err)
	}
	_, err := tool.Decode([]byte("{\"a\":1,\n  bad}"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v does not tell the position", err)
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1.0,"a":"\u0041"}`: `{"a":"A","b":1}`, `{"x":9007199254740993}`: `{"x":9007199254740993}`, ``: ``,
	} {
		if in == "" {
			continue
		}
		got, err := tool.Canonical(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s = %s, %v; want %s", in, got, err, want)
		}
	}
}

// Decode never panics. Its result is valid JSON, which Canonical accepts and which a
// second Decode does not change.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.5,"x",null,true]}`, `{"a":"é","b":{"c":1e3}}`, `[`, ``, `"\ud83d\ude00"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := tool.Decode(raw)
		if err != nil {
			return
		}
		if !json.Valid(out) {
			t.Fatalf("%q became %q, which is no JSON", raw, out)
		}
		again, err := tool.Decode(out)
		if err != nil || string(again) != string(out) {
			t.Fatalf("decoding twice: %q then %q, %v", out, again, err)
		}
		if _, err := tool.Canonical(out); err != nil {
			t.Fatalf("no canonical form of %q: %v", out, err)
		}
	})
}

func TestToolNames(t *testing.T) {
	got := tool.ToolNames([]string{"reports/s", "reports__s", "plain", strings.Repeat("x", 80)})
	seen := map[string]bool{}
	for i, n := range got {
		if !tool.ValidName(n) || seen[n] {
			t.Errorf("name %d is %q: invalid or twice", i, n)
		}
		seen[n] = true
	}
	if got[1] != "reports__s" || got[2] != "plain" || tool.ToolName("reports/summarizer") != "reports__summarizer" {
		t.Errorf("names = %v", got)
	}
}
