package approval

import (
	"encoding/json"
	"testing"

	"golem/core/tool"
)

// A rule that forbids a path also counts for a call that goes through a directory above it.
func TestRuleCountsForWhatIsBelow(t *testing.T) {
	for _, c := range []struct {
		pattern, dir string
		want         match
	}{
		{"/secrets/**", "/", yes},
		{"/secrets/a.txt", "/", yes},
		{"/secrets/a.txt", "/secrets", yes},
		{"/a/secrets/*.pem", "/a", yes},
		{"/secrets/**", "/secret", no},
		{"/secrets/**", "/src", no},
		{"/secrets/**", "/secrets/deep", yes}, // the pattern matches the directory itself
		{"/**/*.pem", "/", unsure},
		{"/**/*.pem", "/src", unsure},
		{"/src/**/*.pem", "/src/deep", unsure},
		{"/src/**/*.pem", "/other", no},
		{"/src/*.go", "/src", unsure},
		{"/src/*.go", "/src/deep", no},
		{"/*/key", "/src", unsure},
		{"/*/key", "/", unsure},
		{"/{a,b/c}/key", "/b", unsure},
		{"/a/b", "/a/b/c", no},
	} {
		args, err := json.Marshal(map[string]string{"path": c.dir})
		if err != nil {
			t.Fatal(err)
		}
		of := func(deep bool, decide Setting) match {
			s := subject{names: []string{"search_files"}, args: tool.ReadArguments(args), previewed: true, paths: []tool.PathUse{{Op: "read", Path: c.dir, Deep: deep}}}
			return Rule{Tool: "search_files", When: map[string]string{"path": c.pattern}, Decide: decide}.fits(s)
		}
		if got := of(true, Blocked); got != c.want {
			t.Errorf("%s, all of %s: %d, want %d", c.pattern, c.dir, got, c.want)
		}
		if got := of(true, PreApproved); got == unsure || got == yes && c.dir != "/secrets/deep" {
			t.Errorf("%s allows all of %s", c.pattern, c.dir)
		}
		if got := of(false, Blocked); got != no && c.dir != "/secrets/deep" {
			t.Errorf("%s, only %s: %d", c.pattern, c.dir, got)
		}
	}
}
