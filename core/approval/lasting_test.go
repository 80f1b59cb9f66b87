package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"golem/core/approval/sh"
	"golem/core/tool"
)

func lastingOf(t *testing.T, tl tool.Tool, args string, p Policy) *Request {
	t.Helper()
	her := says(t, No)
	g := NewGate(Interactive, her)
	g.Rules = said{saves: true, saved: true}
	_, _ = g.Call(t.Context(), Item{Tool: tl, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}, Policy: p})
	if len(her.asked) != 1 {
		t.Fatalf("%s: asked %d times", args, len(her.asked))
	}
	return &her.asked[0]
}

// The narrowest useful rule is proposed, or none (scenario 59).
func TestLastingRule(t *testing.T) {
	command := plainTool("run_command", tool.Command)
	command.spec.Shell = sh.Grammar{}
	command.spec.Input = json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}},"additionalProperties":false}`)
	fetch := plainTool("fetch", tool.Network)
	fetch.spec.Input = json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"method":{"type":"string"},"list":{"type":"array"}}}`)
	open := plainTool("open", tool.Network)
	open.spec.Input = json.RawMessage(`{"type":"object","additionalProperties":true}`)
	custom := plainTool("made", tool.Write)
	custom.spec.Kind, custom.spec.Input = tool.Wasm, json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)
	served, lent := plainTool("s__made", tool.Network), plainTool("made", tool.Write)
	served.spec.Toolset, served.spec.Input = "mcp", custom.spec.Input
	lent.spec.Toolset, lent.spec.Input = "page", custom.spec.Input
	destroy := writeFile()
	destroy.fakeTool = plainTool("delete_file", tool.Destructive)
	asks := Policy{Here: Personal{Rules: []Rule{{Tool: "write_file", Decide: Ask}}}}
	for _, c := range []struct {
		tool tool.Tool
		args string
		p    Policy
		want string
	}{
		{writeFile(), `{"path":"output/a.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/output/**"}, decide: preApproved}`},
		{writeFile(), `{"path":"a.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/a.txt"}, decide: preApproved}`},
		{writeFile(), `{"path":"o[1]/{a}*.txt","content":"x"}`, Policy{}, `{tool: write_file, when: {path: "/o\\[1\\]/**"}, decide: preApproved}`},
		{writeFile(), `{"path":"output/a.txt","content":"x"}`, asks, ""},
		{destroy, `{"path":"output/a.txt"}`, Policy{}, `{tool: delete_file, when: {path: "/output/a.txt"}, decide: preApproved}`},
		{command, `{"command":"git log --oneline"}`, Policy{}, `{tool: run_command, when: {command: "git log *"}, decide: preApproved}`},
		{command, `{"command":"git status"}`, Policy{}, `{tool: run_command, when: {command: "git status"}, decide: preApproved}`},
		{command, `{"command":"rm -r build"}`, Policy{}, `{tool: run_command, when: {command: "rm -r build"}, decide: preApproved}`},
		{command, `{"command":"rm *"}`, Policy{}, ""},
		{fetch, `{"url":"https://a.example/b?c=1"}`, Policy{}, `{tool: fetch, when: {list: "", method: "", url: "https://a.example/b\\?c=1"}, decide: preApproved}`},
		{fetch, `{"url":"https://a.example","list":["a"]}`, Policy{}, ""},
		{fetch, `{"url":"https://a.example/\u0007"}`, Policy{}, ""},
		{open, `{"a":"b"}`, Policy{}, ""},
		{custom, `{"a":"b"}`, Policy{}, ""},
		{served, `{"a":"b"}`, Policy{}, ""},
		{lent, `{"a":"b"}`, Policy{}, ""},
	} {
		r := lastingOf(t, c.tool, c.args, c.p)
		got := ""
		if r.Lasting != nil {
			got = r.Lasting.YAML
		}
		if got != c.want || r.Offers(Keep) != (c.want != "") {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

// A rule with a wildcard is proposed only for subcommands that only show something, and only
// if the options of the call are known. For other commands, a rule for exactly the command
// is proposed.
func TestProposedWildcards(t *testing.T) {
	command := plainTool("run_command", tool.Command)
	command.spec.Shell = sh.Grammar{}
	command.spec.Input = json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)
	proposes := func(c, want string) {
		args, _ := json.Marshal(map[string]string{"command": c})
		r := lastingOf(t, command, string(args), Policy{})
		if r.Lasting == nil || r.Lasting.Rule.When["command"] != want {
			t.Errorf("%q: proposed %+v, want %q", c, r.Lasting, want)
		}
	}
	for _, c := range []string{"git log -1", "git status -s", "git diff --stat", "git show HEAD", "git grep foo", "git blame x", "git ls-files -m", "git rev-parse HEAD", "go doc fmt", "go version x"} {
		words := strings.Fields(c)
		proposes(c, words[0]+" "+words[1]+" *")
	}
	for _, c := range []string{
		"git grep --open=./x foo", "git grep -O./x foo", "git log --output=y", "git diff --no-index a b", "git diff /etc/passwd x", "git blame --contents=x y",
		"git config core.pager x", "git bisect run x", "git submodule foreach x", "git difftool -y", "git mergetool -y", "git rebase -i x", "git archive -o x", "git clone x y", "git fetch origin", "git pull origin", "git push origin main", "git filter-branch x", "git gc --auto", "git commit -m x", "git add .", "git checkout x", "git switch x", "git restore x", "git rm x", "git mv x y", "git branch -a", "git branch --list x", "git tag -l x", "git remote get-url x", "git stash list", "git stash pop x", "git worktree list", "git reflog show", "git merge x", "git am x", "git x y", "git --no-pager log", "git -C x log", "git -c x=y log",
		"go vet ./...", "go test ./...", "go build ./...", "go run ./x", "go generate ./...", "go list ./...", "go env GOPATH", "go fmt ./...", "go install ./x", "go get x", "go mod tidy", "go tool x",
		"cargo test x", "cargo build x", "npm test x", "npm run x", "npm install x", "pnpm run x", "yarn test x", "dotnet build x", "make all x", "pytest -q x", "rm x y", "ls -l x", "cat x y", "grep x y", "find . -name x", "./x y z", "sudo x y",
	} {
		proposes(c, c)
	}
}

// A rule that the person has removed does not count for the rest of the session, whether it
// was kept before the session or in it; saved again, it counts again.
func TestARemovedRuleCountsNoMore(t *testing.T) {
	rule := Rule{Tool: "write_file", When: map[string]string{"path": "/a.txt"}, Decide: PreApproved}
	p := Policy{Here: Personal{Rules: []Rule{rule}}}
	var m memory
	m.dropRule(rule)
	if got := m.with(p).Here.Rules; len(got) != 0 || len(p.Here.Rules) != 1 {
		t.Errorf("%v, %v", got, p.Here.Rules)
	}
	m.keepRule(rule)
	if got := m.with(Policy{}).Here.Rules; len(got) != 1 {
		t.Errorf("saved again: %v", got)
	}
	m.dropRule(rule)
	if got := m.with(Policy{}).Here.Rules; len(got) != 0 {
		t.Errorf("removed again: %v", got)
	}
}

// After a rule was saved, calls that it covers run and all others ask. If saving failed, only
// this call runs. A rule for one URL does not cover another method.
func TestKeptRuleHolds(t *testing.T) {
	fetch := plainTool("fetch", tool.Network)
	fetch.spec.Input = json.RawMessage(`{"type":"object","properties":{"url":{"type":"string"},"method":{"type":"string"}}}`)
	for _, saved := range []bool{true, false} {
		her := says(t, Keep, No, No)
		g := NewGate(Interactive, her)
		g.Rules = said{saves: true, saved: saved}
		for i, args := range []string{`{"url":"u"}`, `{"url":"u","method":"DELETE"}`, `{"url":"u"}`} {
			_, err := g.Call(t.Context(), Item{Tool: fetch, Call: tool.Call{Args: tool.ReadArguments([]byte(args))}})
			if ran := err == nil; ran != (i == 0 || i == 2 && saved) {
				t.Errorf("saved %v: call %d ran %v", saved, i, ran)
			}
		}
	}
}

// If rules cannot be saved, none is proposed, and the answer Keep, which was not offered,
// counts as Yes.
func TestNothingToKeep(t *testing.T) {
	her := says(t, Keep)
	g := NewGate(Interactive, her)
	if _, err := g.Call(t.Context(), Item{Tool: writeFile(), Call: tool.Call{Args: tool.ReadArguments([]byte(`{"path":"o/a","content":"x"}`))}}); err != nil || her.asked[0].Lasting != nil {
		t.Error(err, her.asked[0].Lasting)
	}
}

// said is what a person said for the project.
type said struct{ trusts, saves, saved bool }

func (s said) Trusts(Widening) bool { return s.trusts }
func (s said) Saves() bool          { return s.saves }
func (s said) Save(Rule) bool       { return s.saved }
