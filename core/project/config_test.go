package project

import (
	"fmt"
	"strings"
	"testing"

	"golem/core/approval"
	"golem/core/config"
	"golem/core/fault"
)

func person(t *testing.T, text string) *config.Person {
	t.Helper()
	c, err := config.ReadPerson("config.yaml", []byte(text), "/srv/p", "/home/me")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// SPEC §3: the person's model comes after the manifest's, the limits are
// ceilings, delegation is below the manifest.
func TestAPersonsConfigBelowAndAbove(t *testing.T) {
	s := demo("-- project.yaml --\nlimits: {turns: 100, tokens: 0, tool_timeout: 5s}\ndelegation: {max_depth: 3}\n-- main.worker --\n---\n---\nhi\n")
	s.Person = person(t, "model: a:mine\nlimits: {turns: 7, tokens: 50, tool_timeout: 1m, worker_timeout: 0}\ndelegation: {max_depth: 1, parallel: 2}\n")
	w, err := entryOf(s)
	if err != nil {
		t.Fatal(err)
	}
	if w.Model != "a:mine" || !w.ModelIsLast || w.Origins["model"] != "config.yaml:1" {
		t.Errorf("model %q from %q", w.Model, w.Origins["model"])
	}
	if w.Limits.Turns != 7 || w.Limits.Tokens != 50 || w.Limits.ToolTimeout.Seconds() != 5 || w.Limits.WorkerTimeout.Minutes() != 10 {
		t.Errorf("%+v", w.Limits)
	}
	if w.Origins["limits.turns"] != "config.yaml:2, a ceiling" {
		t.Errorf("%q", w.Origins["limits.turns"])
	}
	if w.Delegation.MaxDepth != 3 || w.Delegation.Parallel != 2 || w.Origins["delegation.parallel"] != "config.yaml:3" {
		t.Errorf("%+v %v", w.Delegation, w.Origins["delegation.parallel"])
	}
	s = demo("-- project.yaml --\nmodel: a:project\n-- main.worker --\n---\n---\nhi\n")
	s.Person = person(t, "model: a:mine\n")
	if w, err = entryOf(s); err != nil || w.Model != "a:project" || w.ModelIsLast {
		t.Errorf("%v %+v", err, w)
	}
}

// Walls X5: what multiplies the cost of one answer has a ceiling, golem's or the person's.
func TestCeilingsOfAttemptsAndCallsSideBySide(t *testing.T) {
	for _, c := range []struct{ file, config, want string }{
		{"retry: {attempts: 10}\ndelegation: {parallel: 200}", "", "5 golem's ceiling 32 golem's ceiling"},
		{"retry: {attempts: 4}\ndelegation: {parallel: 32}", "", "4 project.yaml:1 32 project.yaml:2"},
		{"retry: {attempts: 10}\ndelegation: {parallel: 200}", "retry: {attempts: 9}\ndelegation: {parallel: 100}", "9 config.yaml:1, a ceiling 100 config.yaml:2, a ceiling"},
		{"retry: {attempts: 4}\ndelegation: {parallel: 6}", "retry: {attempts: 2}\ndelegation: {parallel: 1}", "2 config.yaml:1, a ceiling 1 config.yaml:2, a ceiling"},
		{"name: p", "retry: {attempts: 7}\ndelegation: {parallel: 40}", "7 config.yaml:1 40 config.yaml:2"},
		{"name: p", "", "3 default 8 default"},
	} {
		s := demo("-- project.yaml --\n" + c.file + "\n-- main.worker --\n---\nmodel: a:b\n---\nhi\n")
		if c.config != "" {
			s.Person = person(t, c.config)
		}
		w, err := entryOf(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(w.Retry.Attempts, " ", w.Origins["retry.attempts"], " ", w.Delegation.Parallel, " ", w.Origins["delegation.parallel"]); got != c.want {
			t.Errorf("%q with %q: %s, want %s", c.file, c.config, got, c.want)
		}
	}
}

// The approval mode that a person set for this very project counts before the manifest's, and
// the one for all projects after it.
func TestAPersonsMode(t *testing.T) {
	s := demo("-- project.yaml --\napproval: {mode: approve_all}\n")
	for text, want := range map[string]string{
		"approval: {mode: auto_deny}":                           "approve_all project.yaml:1 false",
		"projects: {/srv/p: {approval: {mode: auto_deny}}}":     "auto_deny config.yaml:1 true",
		"projects: {/srv/other: {approval: {mode: auto_deny}}}": "approve_all project.yaml:1 false",
	} {
		s.Person = person(t, text)
		set := open(t, s).Approval
		if got := fmt.Sprint(set.Mode, " ", set.Origin, " ", set.Trusted); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// projects: names a directory in full or with ~.
func TestAPersonsConfigByProject(t *testing.T) {
	for _, key := range []string{"/srv/p", "/srv/./p/", "/srv/q/../p"} {
		c := person(t, "projects: {"+key+": {trust: true, approval: {tools: {t: preApproved}}}}")
		here, everywhere := c.Personal()
		all, digest, set := c.Trust()
		if here.Tools["t"] != approval.PreApproved || here.Origins["tool:t"].By != approval.Person || everywhere.Tools != nil || !all || digest != "" || !set {
			t.Errorf("%s: %+v %+v %v", key, here, everywhere, all)
		}
	}
	c := person(t, "projects: {/srv: {trust: true}, /srv/p/q: {trust: true}, ~/p: {trust: true}}")
	if _, _, set := c.Trust(); set {
		t.Error("another project's trust counted")
	}
	c, err := config.ReadPerson("config.yaml", []byte("projects: {~/p: {trust: \"sha256:00\"}}"), "/home/me/p", "/home/me")
	if err != nil {
		t.Fatal(err)
	}
	if all, digest, set := c.Trust(); all || digest != "sha256:00" || !set {
		t.Errorf("%v %q %v", all, digest, set)
	}
	if c, err := config.ReadPerson("config.yaml", []byte("notify: bell"), "/p", ""); err != nil || c.Notify() != "bell" || (&config.Person{}).Notify() != "off" {
		t.Errorf("%v, %v", c, err)
	}
	var none *config.Person
	if _, _, set := none.Trust(); set || none.Providers() == nil || len(none.Providers()) > 0 || none.Here("approval", "mode") != nil {
		t.Error("no config says something")
	}
}

func TestAPersonsConfigIsStrict(t *testing.T) {
	for text, want := range map[string]string{
		"modle: a:b": "did you mean model", "model: a": "provider:name", "notify: loud": "off, bell, desktop", "projects: {p: {}}": "not an absolute path", "projects: {/p: {trust: maybe}}": "true, false or a digest",
		"limits: {turns: 0}": "turns", "approval: {tools: {a: yes}}": "preApproved", "a: [": "config.yaml:1", "model_settings: {a: 1}": "unknown key \"a\" in model_settings", "- a": "expected a mapping",
		"projects: {/p: {approval: {toolz: {}}}}": "did you mean tools", "toolsets: {}": "unknown key",
		"projects: {~/p: {trust: true}, /home/ann/p/: {trust: false}}": "are the same project",
		`approval: {tools: {"*": blocked}}`:                            "is a pattern", `approval: {rules: [{tool: "git_*", decide: blocked}]}`: "is a pattern",
	} {
		_, err := config.ReadPerson("config.yaml", []byte(text), "/p", "/home/ann")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "config.yaml:1") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if _, ok := err.(fault.List); !ok {
			t.Errorf("%s: %T", text, err)
		}
	}
}
