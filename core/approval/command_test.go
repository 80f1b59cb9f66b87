package approval

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"golem/core/approval/sh"
	"golem/core/fault"
	"golem/core/tool"
)

// runCommand returns a tool like that of the toolset shell.
func runCommand(shell string) *fakeTool {
	var grammar tool.Grammar
	if shell == "sh" {
		grammar = sh.Grammar{}
	}
	return &fakeTool{spec: tool.Spec{Name: "run_command", Risk: tool.Command, Toolset: "shell", Provider: "builtin", Shell: grammar}}
}

func commandRules(decide Setting, patterns ...string) []Rule {
	var out []Rule
	for _, p := range patterns {
		out = append(out, Rule{Tool: "run_command", When: map[string]string{"command": p}, Decide: decide, Origin: Origin{By: Person}})
	}
	return out
}

// settled returns what rules decide for a command, or "" if they decide nothing.
func settled(t *testing.T, shell, command string, rules ...Rule) Setting {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	s := newSubject(runCommand(shell).spec)
	s.args = tool.ReadArguments(args)
	return ruleSetting(rules, s).setting
}

// Scenario 45: only the first of these commands runs without asking.
func TestCommandRulesMatchWhatRuns(t *testing.T) {
	for i, command := range []string{"echo hi", "echo hi; id", "echo $(id)", "echo hi > f", "echo hi | sh", `echo "unterminated`} {
		tl := runCommand("sh")
		args, _ := json.Marshal(map[string]string{"command": command})
		_, err := NewGate(AutoDeny, nil).Call(t.Context(), Item{
			Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments(args)},
			Policy: Policy{Rules: commandRules(PreApproved, "echo *")},
		})
		if i == 0 && err != nil || i > 0 && !errors.Is(err, fault.Denied) || tl.ran() != 0 && i > 0 {
			t.Errorf("%s: %v, ran %d", command, err, tl.ran())
		}
	}
}

// Rules such as "echo *" and "git status" allow their commands, alone and in a list and with
// any quotes, and nothing else.
func TestPreApprovedCommands(t *testing.T) {
	rules := commandRules(PreApproved, "echo *", "git status", "ls src/*", "rm build/**", `grep "a b" *`, "make {all,test}", "cp * dest", "cd x && make > log")
	for _, c := range []string{
		"echo hi", " echo  hi ", "echo hi there", "echo a/b/../c", `echo "hi; id"`, "echo 'a|b $(id) `id`'", `echo a\;b`, "echo\thi", "'echo' hi", `e"ch"o hi`, `\echo hi`,
		"echo *.go", "echo ~ {a,b} [x]", "echo hi;", "echo hi;echo ho", "echo hi && git status", "echo hi || git status | echo x", "git status\necho hi\n",
		"echo hi 2>&1", "echo hi >/dev/null 2>&1", "echo hi >&2 </dev/null", "git status", "git  status", "ls src/a", "ls 'src/a b'", "rm build/a/b", `grep "a b" src -r`, `grep a\ b x`,
		"make all", "make test", "cp a dest", "cd x && make > log", "echo -e x", "echo \\\nhi", `echo "a\"b"`, "echo a=b", "echo hi\u00e9",
	} {
		if got := settled(t, "sh", c, rules...); got != PreApproved {
			t.Errorf("%q is %q, want preApproved", c, got)
		}
	}
	for _, c := range []string{
		"echo", "id", "echo hi; id", "id; echo hi", "echo hi && id", "echo hi || id", "echo hi | id", "echo hi | sh", "echo hi\nid", "echo hi & id", "echo hi &", "echo hi |& id", "echo hi & echo ho",
		"echo $(id)", "echo `id`", `echo "$(id)"`, "echo \"`id`\"", "echo <(id)", "echo >(id)", "echo ${x:-$(id)}", "echo $((a[$(id)]))", "echo $x", `echo "$x"`, "echo ${x}", "echo $1", "$x", "echo $", `echo $'a\x3bid'`, `echo $"id"`,
		"echo hi > f", "echo hi >> f", "echo hi >| f", "echo hi &> f", "echo hi >& f", "echo hi < f", "echo hi <> f", "echo hi 2> f", "> f echo hi", "> f", "echo hi <<E\n$(id)\nE", "echo hi <<< x", "echo hi 3>&1", "echo hi {x}>/dev/null", "echo hi > $x", "echo hi >/dev/null/../f",
		"x=1 echo hi", "x=1", "PATH=. echo hi", "export x=1; echo hi", "(echo hi)", "{ echo hi; }", "! echo hi", "if echo a; then echo b; fi", "while echo a; do echo b; done", "for x in a; do echo b; done", "case x in x) echo a;; esac",
		"echo() { id; }; echo hi", "function echo { id; }", "f() { id; }", "coproc echo hi", "time echo hi", "[[ a ]]", "((a))", "eval 'echo hi'", "echo hi; eval id", "exec echo hi", "command echo hi", "sh -c 'echo hi'", "./echo hi", "/bin/echo hi", "ECHO hi",
		"e{c,}ho hi", "ech? hi", "~/echo hi", "git status x", "git status -s", "git -c core.pager=id status", "git status;id", "ls src/a/b", "ls src/../x", "ls src/a b", "ls src/?", "ls src/{a,b}", "rm build/../x", "rm build/a/../../x", "rm build/a build/b", "rm -rf build/a", "rm builds",
		"grep a b x", "grep 'a b'", "make", "make clean", "make all test", "make {all,clean}", "cp a b dest", "cp {a,--x} dest", "cd x && make > log2", "cd x && make", "cd x; make > log",
		`echo "unterminated`, "echo 'unterminated", "echo $(", "echo )", "echo hi)", "echo hi;;", "| echo hi", "&& echo hi", "echo hi &&", "echo hi (", "", "   ", "# echo hi", "echo hi # ; id", "echo hi #\\\nid", "echo #}\\\nid\n", "\n", ";", "!", "echo hi\r\nid", "echo hi\rid", "echo\u00a0hi", "echo\u2028hi", "echo hi\x0bid", "echo \x1b[2J", "ec\\\nho $(id)",
		"echo hi; " + strings.Repeat("(", 50) + "id" + strings.Repeat(")", 50), strings.Repeat("echo hi;", 20000),
	} {
		if got := settled(t, "sh", c, rules...); got == PreApproved {
			t.Errorf("%q is preApproved", c)
		}
	}
}

// A command that cannot be parsed asks, whatever other rules allow. If no rule is about a
// command, the other settings decide.
func TestUnparsableCommandsAsk(t *testing.T) {
	rules := append(commandRules(PreApproved, "echo *"), Rule{Tool: "run_command", Decide: PreApproved, Origin: Origin{By: Person}})
	for command, want := range map[string]Setting{`echo "x`: Ask, "echo )": Ask, "id": PreApproved, "echo $(id)": PreApproved} {
		if got := settled(t, "sh", command, rules...); got != want {
			t.Errorf("%q is %q, want %q", command, got, want)
		}
	}
	for _, command := range []string{"id", "echo hi; id", "echo $(id)"} {
		if got := settled(t, "sh", command, commandRules(PreApproved, "echo *")...); got != "" {
			t.Errorf("%q is %q", command, got)
		}
	}
	if got := settled(t, "sh", `id "`, Rule{Tool: "run_command", Decide: PreApproved}); got != PreApproved {
		t.Errorf("a rule without conditions: %q", got)
	}
}

// A rule that blocks or asks matches if any part of the command matches, in any spelling; if
// golem cannot know whether it matches, the command asks. It wins over rules that allow.
func TestBlockedCommands(t *testing.T) {
	rules := append(commandRules(Blocked, "rm *", "git push *", "*secret*"), commandRules(PreApproved, "echo *", "rm *", "git commit *", "git pull", "$x *")...)
	for command, want := range map[string]Setting{
		"rm x": Blocked, "rm": Blocked, "rm a/b -r": Blocked, "echo hi; rm x": Blocked, "echo $(rm x)": Blocked, "echo `rm x`": Blocked, `echo "$(rm x)"`: Blocked, "(rm x)": Blocked, "rm x &": Blocked,
		"if a; then rm x; fi": Blocked, "f() { rm x; }": Blocked, "x=1 rm x": Blocked, "rm x > f": Blocked, "/bin/rm x": Blocked, "./rm x": Blocked, `\rm x`: Blocked, "r'm' x": Blocked, `"rm" x`: Blocked, "RM x": Blocked,
		"sudo rm x": Blocked, "sudo -u root rm x": Blocked, "env A=1 rm x": Blocked, "xargs rm": Blocked, "find . -exec rm {} +": Blocked, "sh -c 'rm x'": Blocked, `bash -c "echo hi; rm x"`: Blocked, "eval rm x": Blocked, "eval 'rm x'": Blocked, "time rm x": Blocked,
		"a | rm x": Blocked, "a && rm x": Blocked, "a\nrm x": Blocked, "cat <(rm x)": Blocked, "git push": Blocked, "git push origin": Blocked, "cat a/secret/b": Blocked, "echo 'secret": Blocked, "rm \"x": Blocked,
		"$x y": Ask, "r? x": Ask, "git $x": Ask, "{rm,x}": Ask, `echo "x`: Ask, "echo hi; $x": Ask, "`echo rm` x": Ask, "ls #\\\nrm x": Ask,
		"echo rm x": PreApproved, "git commit -m 'rm x'": PreApproved, "git pull": PreApproved, "echo hi": PreApproved, "ls": "", "rmdir x": "",
	} {
		if got := settled(t, "sh", command, rules...); got != want {
			t.Errorf("%q is %q, want %q", command, got, want)
		}
	}
	for command, want := range map[string]Setting{"make x": Ask, "echo hi; make": Ask, "echo hi": PreApproved} {
		if got := settled(t, "sh", command, append(commandRules(Ask, "make *"), commandRules(PreApproved, "*")...)...); got != want {
			t.Errorf("%q is %q, want %q", command, got, want)
		}
	}
}

// For a shell with an unknown grammar (cmd, or a tool that names none), rules allow only text
// without special meaning in any shell, or exactly the text of the rule.
func TestUnknownShells(t *testing.T) {
	rules := append(commandRules(Blocked, "del *"), commandRules(PreApproved, "echo *", "dir & ver")...)
	for command, want := range map[string]Setting{
		"echo hi": PreApproved, "echo a-b_c.d/e:f@g+h": PreApproved, "dir & ver": PreApproved,
		"echo 'hi & ver'": "", "echo hi & ver": "", "echo ^& ver": "", "echo %PATH%": "", "echo \"hi\"": "", "echo hi\nver": "", "echo a;b": "", "echo $x": "", "echo hi > f": "", "echo (": "", "echo !x!": "", "echo \u00e9": "", "echo a=b": "", "": "", "echo": "",
		"del x": Blocked, "echo hi & del x": Blocked, "DEL x": Blocked, "d^el x": Blocked, `"del" x`: Blocked, "(del x)": Blocked,
	} {
		if got := settled(t, "", command, rules...); got != want {
			t.Errorf("%q is %q, want %q", command, got, want)
		}
	}
}

// For a shell with an unknown grammar, a wildcard covers no command but echo. Other arguments
// of such a tool may not be commands.
func TestWildcardsOfUnknownShells(t *testing.T) {
	for pattern, commands := range map[string][]string{
		"git *": {"git grep -O./x foo", "git bisect run ./x", "git status -s"}, "git grep *": {"git grep -O./x foo", "git grep *"}, "*": {"id", "sort /o x", "git"}, "gi? x": {"git x"},
	} {
		for _, c := range commands {
			if got := settled(t, "", c, commandRules(PreApproved, pattern)...); got != "" {
				t.Errorf("%q is %q by %q", c, got, pattern)
			}
		}
	}
	if got := settled(t, "", "git status -s", commandRules(PreApproved, "git {status,log} -s")...); got != PreApproved {
		t.Errorf("a list of words is %q", got)
	}
	s := newSubject(runCommand("").spec)
	s.args = tool.ReadArguments([]byte(`{"query":"release notes"}`))
	if got := ruleSetting([]Rule{{Tool: "run_command", When: map[string]string{"query": "release *"}, Decide: PreApproved}}, s).setting; got != PreApproved {
		t.Errorf("another argument is %q", got)
	}
}

// Rules of several authors allow a command together only if each is believed
// (SECURITY 17).
func TestEveryAllowingRuleIsBelieved(t *testing.T) {
	mine, theirs := commandRules(PreApproved, "echo *")[0], commandRules(PreApproved, "id")[0]
	theirs.Origin = Origin{By: Project, At: "project.yaml:3"}
	for command, runs := range map[string]bool{"echo hi": true, "id": false, "echo hi; id": false, "id; echo hi": false, "echo a; echo b": true} {
		tl := runCommand("sh")
		args, _ := json.Marshal(map[string]string{"command": command})
		o := doItem(t, NewGate(AutoDeny, nil), Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments(args)}, Policy: Policy{Rules: []Rule{mine, theirs}}})
		if o.ran() != runs {
			t.Errorf("%s: %v", command, o.err)
		}
	}
}

// A grammar that panics or returns invalid results allows nothing.
func TestBrokenGrammars(t *testing.T) {
	for name, g := range map[string]brokenGrammar{
		"panics":  {parse: func() tool.CommandLine { panic("no") }},
		"empty":   {parse: func() tool.CommandLine { return tool.CommandLine{Plain: true} }},
		"no word": {parse: func() tool.CommandLine { return tool.CommandLine{Plain: true, Commands: []tool.SimpleCommand{{}}} }},
		"both": {parse: func() tool.CommandLine {
			return tool.CommandLine{Plain: true, Broken: true, Commands: []tool.SimpleCommand{{{Text: "echo"}, {Text: "x"}}}}
		}},
	} {
		tl := runCommand("")
		tl.spec.Shell = g
		o := doItem(t, NewGate(AutoDeny, nil), Item{Tool: tl, FromModel: true, Call: tool.Call{Args: tool.ReadArguments([]byte(`{"command":"echo x"}`))}, Policy: Policy{Rules: commandRules(PreApproved, "echo *", "*")}})
		if o.ran() {
			t.Errorf("%s: it ran", name)
		}
	}
}

type brokenGrammar struct{ parse func() tool.CommandLine }

func (b brokenGrammar) Parse(string) tool.CommandLine { return b.parse() }
func (brokenGrammar) Globs(string) []string           { return []string{"*"} }

func (brokenGrammar) Covers(tool.SimpleCommand, []string) bool { return true }
func (brokenGrammar) Exact(string) bool                        { return true }

// Other arguments of the same tool, and arguments of tools that run no commands, are matched
// as ordinary values.
func TestOtherArgumentsOfCommands(t *testing.T) {
	r := Rule{Tool: "run_command", When: map[string]string{"command": "echo *", "dir": "src/{a,b}"}, Decide: PreApproved, Origin: Origin{By: Person}}
	s := newSubject(runCommand("sh").spec)
	for args, want := range map[string]Setting{
		`{"command":"echo hi","dir":"src/a"}`: PreApproved, `{"command":"echo hi","dir":"lib/a"}`: "", `{"command":"echo hi; id","dir":"src/a"}`: "",
		`{"command":"echo hi","dir":"src/a; id"}`: "", `{"command":"echo hi"}`: "",
	} {
		s.args = tool.ReadArguments([]byte(args))
		if got := ruleSetting([]Rule{r}, s).setting; got != want {
			t.Errorf("%s is %q, want %q", args, got, want)
		}
	}
	plain := newSubject(plainTool("note", tool.Write).spec)
	plain.args, plain.previewed = tool.ReadArguments([]byte(`{"text":"a; b"}`)), true
	if got := ruleSetting([]Rule{{Tool: "note", When: map[string]string{"text": "a*"}, Decide: PreApproved}}, plain).setting; got != PreApproved {
		t.Errorf("an argument that is no command: %q", got)
	}
}

// No command breaks the rules, and a command that is allowed word by word has no character
// with a special meaning in a shell outside quotes.
func FuzzCommandRules(f *testing.F) {
	for _, c := range []string{"echo hi; id", "echo $(id)", `e"c"ho 'x' \; "a\"b"`, "echo <<E\nx\nE", "x=(a b)", "echo ${x[$(id)]}", "\\", "\"", "{a,b}", "a\\\nb"} {
		f.Add(c, "echo *")
	}
	f.Fuzz(func(t *testing.T, command, pattern string) {
		for _, shell := range []string{"sh", ""} {
			got := settled(t, shell, command, commandRules(PreApproved, "echo *")...)
			if got == PreApproved && command != "echo *" {
				l := newCommandLine(command, runCommand(shell).spec.Shell)
				if !l.Plain || l.Broken {
					t.Fatalf("%q is allowed and not plain", command)
				}
				for _, c := range l.Commands {
					if len(c) < 2 || c[0].Text != "echo" {
						t.Fatalf("%q is allowed and runs %+v", command, c)
					}
				}
			}
			settled(t, shell, command, commandRules(PreApproved, pattern)...)
			settled(t, shell, command, commandRules(Blocked, pattern)...)
		}
	})
}
