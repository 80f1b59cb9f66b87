package trace_test

import (
	"slices"
	"testing"

	"golem/core/trace"
)

// Keys on a command line are found in the forms in which vendors ask for them; ordinary
// arguments are none.
func TestSecretParts(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"-y", "@scope/server@1.2.3", "--api-key", "abc", "./data"}, []string{"", "", "", "abc", ""}},
		{[]string{"--token=abc=d", "--figma-api-key=x1", "API_KEY=zz", "--key", "k"}, []string{"abc=d", "x1", "zz", "", "k"}},
		{[]string{"--token", "--verbose", "true"}, []string{"", "", ""}},
		{[]string{"postgresql://me:pa:ss@host/db", "DSN=mysql://a:b@h", "https://x.example/mcp?apiKey=q&a=1", "https://x.example/a?page=2"}, []string{"pa:ss", "b", "q&a=1", ""}},
		{[]string{"ghp_0123456789abcdefghijklmnopqrstuvwxyz", "a=0f8fad5b-d9cb-469f-a165-70867728950e"}, []string{"ghp_0123456789abcdefghijklmnopqrstuvwxyz", "0f8fad5b-d9cb-469f-a165-70867728950e"}},
		{[]string{"run", "--rm", "-e", "KEYBOARD=us", "--tokenizer=gpt", "server-everything-2026-08-31-release"}, []string{"", "", "", "", "", ""}},
	} {
		if got := trace.SecretParts(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}
