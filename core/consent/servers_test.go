package consent

import (
	"strings"
	"testing"
)

// SPEC §3: the question about an MCP server shows its command line as one, and no
// argument can look like two, or like golem's own words.
func TestServerMeansTheCommandLine(t *testing.T) {
	got := serverMeans(map[string]any{"command": "npx", "args": []any{"--yes", "@example/notes", "a b", `q"t`, "", "x; rm", "größe", "C:\\n"}})
	if want := `. Its command line: npx --yes @example/notes "a b" "q\"t" "" "x; rm" "größe" C:\n`; !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := serverMeans(map[string]any{"command": "./run.sh"}); !strings.Contains(got, "it lies in the project") || !strings.HasSuffix(got, "line: ./run.sh") {
		t.Error(got)
	}
}
