package mcphost

import (
	"fmt"
	"strings"
	"testing"
)

// The reason why a server did not start is found before, between and after stacks, and in
// any number of writes; without one, the last lines are shown.
func TestReasonOfAServer(t *testing.T) {
	stack := "    at Object.<anonymous> (/usr/lib/x/index.js:10:11)\n    at node:internal/main:1:2\n"
	for name, c := range map[string]struct{ text, want string }{
		"before a stack":  {"Error: API key not provided\n" + strings.Repeat(stack, 100) + "\nNode.js v22.1.0\n", "Error: API key not provided"},
		"after a stack":   {"/usr/lib/x/index.js:3\n  throw new Error('x')\n  ^\n" + stack + "BRAVE_API_KEY environment variable is required\n", "BRAVE_API_KEY environment variable is required"},
		"python":          {"Traceback (most recent call last):\n  File \"/a/b.py\", line 7, in <module>\nKeyError: 'TOKEN'\n", "KeyError: 'TOKEN'"},
		"after much text": {strings.Repeat("loading module\n", 5000) + "fatal: no config\x1b[0m\n", `fatal: no config\u001b[0m`},
		"no reason":       {"hello\nworld\n", "hello; world"},
		"nothing":         {" \n\n", ""},
	} {
		var s saidLines
		for i := range len(c.text) {
			fmt.Fprint(&s, c.text[i:i+1])
		}
		if got := s.reason(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
