package session

import (
	"testing"

	"github.com/spf13/pflag"

	"golem/cmd/cli/runflags"
)

// The command that goes on with a conversation has the flags that say what runs, and none
// that give more trust or approval.
func TestResumingRepeatsFlags(t *testing.T) {
	f := &runflags.Flags{}
	set := pflag.NewFlagSet("chat", pflag.ContinueOnError)
	f.Add(set, "run")
	err := set.Parse([]string{
		"--model", "script:other one.yaml", "--set", "temperature=0.5", "--set", "seed=1", "--lib", "../libs", "--limit", "cost=1",
		"--no-import-tools", "--allow-outside=false", "--trust", "--approve-all", "--plain", "--entry", "helper",
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{flags: f, Target: "app"}
	want := "golem chat app --entry helper --lib ../libs --no-import-tools --model 'script:other one.yaml' --set 'temperature=0.5' --set 'seed=1' --limit 'cost=1' --resume x"
	if got := s.resuming("chat", "helper", "x"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
