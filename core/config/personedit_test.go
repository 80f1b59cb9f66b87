package config

import (
	"strings"
	"testing"

	"golem/core/approval"
)

var oneRule = approval.Rule{Tool: "write_file", When: map[string]string{"path": "/output/**"}, Decide: approval.PreApproved}

const oneLine = `{tool: write_file, when: {path: "/output/**"}, decide: preApproved}`

// A rule is added at the end of those of its project; everything else stays, byte by
// byte (scenario 59).
func TestAddRule(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "projects:\n  \"/p\":\n    approval:\n      rules:\n        - R\n"},
		{"# only this", "# only this\nprojects:\n  \"/p\":\n    approval:\n      rules:\n        - R\n"},
		{"model: a:b # x\n", "model: a:b # x\nprojects:\n  \"/p\":\n    approval:\n      rules:\n        - R\n"},
		{"projects:\n    /q: {trust: true}\n# end\nmodel: a:b\n", "projects:\n    /q: {trust: true}\n    \"/p\":\n      approval:\n        rules:\n          - R\n# end\nmodel: a:b\n"},
		{"projects:\n  /p:\n    trust: true # mine\n\nmodel: a:b\n", "projects:\n  /p:\n    trust: true # mine\n    approval:\n      rules:\n        - R\n\nmodel: a:b\n"},
		{"projects:\n  ~/p:\n    approval:\n      rules:\n      - {tool: a, decide: ask}\n      mode: interactive\n", "projects:\n  ~/p:\n    approval:\n      rules:\n      - {tool: a, decide: ask}\n      - R\n      mode: interactive\n"},
		{"projects:\n  /p:\n    approval:\n      rules:\n        - tool: a\n          decide: ask\n        # last\n", "projects:\n  /p:\n    approval:\n      rules:\n        - tool: a\n          decide: ask\n        - R\n        # last\n"},
		{"projects: {}\n", "projects: {\"/p\": {approval: {rules: [R]}}}\n"},
		{"projects: {/p: {approval: {rules: [{tool: a, decide: ask}, ]}}}\n", "projects: {/p: {approval: {rules: [{tool: a, decide: ask}, R ]}}}\n"},
		{"projects: {/p: {approval: {rules: [{tool: a, decide: ask}]}}}\n", "projects: {/p: {approval: {rules: [{tool: a, decide: ask}, R]}}}\n"},
		{"projects:\n  /p:\n    approval:\n      rules: []\n", "projects:\n  /p:\n    approval:\n      rules: [R]\n"},
		{"projects:\r\n  /p:\r\n    trust: true\r\n", "projects:\r\n  /p:\r\n    trust: true\r\n    approval:\r\n      rules:\r\n        - R\r\n"},
	} {
		home := "/home"
		root := "/p"
		if strings.Contains(c.in, "~") {
			root = "/home/p"
		}
		want := strings.ReplaceAll(c.want, "R", oneLine)
		got, err := AddRule([]byte(c.in), root, home, oneRule)
		if err != nil || string(got) != want {
			t.Errorf("%q\ngave %q, %v\nwant %q", c.in, got, err, want)
			continue
		}
		person, err := ReadPerson("c", got, root, home)
		rules := person.Rules()
		if err != nil || len(rules) == 0 || rules[len(rules)-1].YAML() != oneLine {
			t.Errorf("%q has %v, %v", got, rules, err)
			continue
		}
		back, err := RemoveRule(got, root, home, len(rules))
		if err != nil {
			t.Errorf("%q cannot be undone: %v", got, err)
			continue
		}
		if left, err := ReadPerson("c", back, root, home); err != nil || len(left.Rules()) != len(rules)-1 {
			t.Errorf("%q without the rule is %q: %v", got, back, err)
		}
	}
}

// The first, a middle and the last rule are removed, and comments stay.
func TestRemoveRule(t *testing.T) {
	block := "projects:\n  /p:\n    approval:\n      rules:\n        # one\n        - tool: a\n          decide: ask\n        # two\n        - {tool: b, decide: ask}\n        - {tool: c, decide: ask} # three\nmodel: a:b\n"
	flow := "projects: {/p: {approval: {rules: [{tool: a, decide: ask}, {tool: b, decide: ask}, {tool: c, decide: ask}]}}}\n"
	for _, c := range []struct {
		in    string
		n     int
		lacks string
		has   []string
	}{
		{block, 1, "tool: a", []string{"# one", "# two", "tool: b", "tool: c", "model: a:b"}},
		{block, 2, "tool: b", []string{"# one", "# two", "tool: a", "# three"}},
		{block, 3, "tool: c", []string{"tool: a", "tool: b", "model: a:b"}},
		{flow, 1, "tool: a", []string{"tool: b", "tool: c"}},
		{flow, 2, "tool: b", []string{"tool: a", "tool: c"}},
		{flow, 3, "tool: c", []string{"tool: a", "tool: b"}},
	} {
		got, err := RemoveRule([]byte(c.in), "/p", "", c.n)
		if err != nil || strings.Contains(string(got), c.lacks) {
			t.Errorf("%d of %q: %q, %v", c.n, c.in, got, err)
		}
		for _, text := range c.has {
			if !strings.Contains(string(got), text) {
				t.Errorf("%d of %q lost %q: %q", c.n, c.in, text, got)
			}
		}
	}
	if _, err := RemoveRule([]byte(block), "/p", "", 4); err == nil {
		t.Error("a rule that is not there was removed")
	}
}

// For any file, an edit changes only the rule, or is refused with the lines to write by
// hand.
func FuzzAddRule(f *testing.F) {
	for _, in := range []string{"", "projects:\n", "projects: {/p: }\n", "projects: &a {/q: {trust: true}, /p: {approval: {rules: []}}}\n", "a: |\n  # x\n", "? a\n: b\n", "projects:\n  /p:\n    approval: {rules: [{tool: 'a]', decide: ask} # ]\n    ]}\n", "\ufeffmodel: a:b", "--- {model: 'a:b'}\n...\n"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		before, wrong := ReadPerson("c", []byte(in), "/p", "")
		got, err := AddRule([]byte(in), "/p", "", oneRule)
		if err != nil {
			return
		}
		after, err := ReadPerson("c", got, "/p", "")
		if wrong != nil || err != nil || len(after.Rules()) != len(before.Rules())+1 {
			t.Fatalf("%q became %q: %v", in, got, err)
		}
	})
}
