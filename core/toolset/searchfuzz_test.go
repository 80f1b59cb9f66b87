package toolset_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
)

// For any pattern, glob and numbers, a search returns a bounded result or E_TOOL_INPUT.
func FuzzSearch(f *testing.F) {
	f.Add("^a|b$", "*.txt", 2, 1, "a\nb\nab\n")
	f.Add("(?s).*", "**/{a,b}*", 9, -1, "a\r\n\r\nb")
	f.Add(`\pL+\z`, "[!a]*", -3, 1<<30, "ä\xff\n")
	f.Add("(((a{9}){9}){9})", "", 0, 0, strings.Repeat("a", 3000))
	f.Fuzz(func(t *testing.T, pattern, glob string, around, skip int, text string) {
		m := sandbox.Memory()
		for _, name := range []string{"a.txt", "d/b.go"} {
			if err := m.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		args, err := json.Marshal(map[string]any{"pattern": pattern, "glob": glob, "context": around, "skip": skip})
		if err != nil {
			t.Fatal(err)
		}
		out, err := openFiles(t, m, 0)["search_files"].Call(t.Context(), tool.Call{Args: tool.ReadArguments(args)})
		if err != nil && !errors.Is(err, fault.ToolInput) {
			t.Fatal(err)
		}
		if len(out.Text) > 4096 {
			t.Fatalf("%d bytes", len(out.Text))
		}
	})
}
