package approval

import (
	"testing"

	"golem/core/tool"
)

// SPEC §11: a request says in plain words why it asks: what the call does, and the setting that
// asks, unless it is the default of the risk.
func TestWhyIsPlain(t *testing.T) {
	file := []tool.PathUse{{Op: "write", Path: "/a"}}
	staged := []tool.PathUse{{Op: "delete", Path: "/a", Staged: true}, {Op: "write", Path: "/b", Staged: true}}
	for _, c := range []struct {
		spec  tool.Spec
		risk  tool.Risk
		paths []tool.PathUse
		rule  string
		want  string
	}{
		{tool.Spec{}, tool.Write, file, "risk write", "it changes a file"},
		{tool.Spec{}, tool.Write, staged, "worker's default", "it changes a file; staged: the real file stays until you push; worker's default"},
		{tool.Spec{}, tool.Write, append(file, staged...), "risk write", "it changes a file"},
		{tool.Spec{}, tool.Write, nil, "risk write", "it can change files or data"},
		{tool.Spec{}, tool.Destructive, file, "risk destructive", "it deletes a file"},
		{tool.Spec{}, tool.Network, nil, "risk network", "it uses the network"},
		{tool.Spec{}, tool.Command, nil, "worker's setting for run_command (main.worker:4)", "it runs a command outside the sandbox; worker's setting for run_command (main.worker:4)"},
		{tool.Spec{}, tool.Read, nil, "the tool asks", "it reads or computes; the tool asks"},
		{tool.Spec{Kind: tool.Worker}, tool.Read, nil, "project's default", "it starts a worker; project's default"},
		{tool.Spec{}, "", nil, "risk unknown", "what it can do is unknown"},
	} {
		if got := whyAsked(c.spec, c.risk, c.paths, c.rule); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Only a write of the content that the file already has counts as unchanged, not a deletion, a
// move or a new file.
func TestUnchanged(t *testing.T) {
	write, remove := tool.PathUse{Op: "write", Path: "/a"}, tool.PathUse{Op: "delete", Path: "/a"}
	for _, c := range []struct {
		view tool.Preview
		want bool
	}{
		{tool.Preview{Before: "d", Paths: []tool.PathUse{write}}, true},
		{tool.Preview{Before: "d", Diff: "-a", Paths: []tool.PathUse{write}}, false},
		{tool.Preview{Paths: []tool.PathUse{write}}, false},
		{tool.Preview{Before: "d", Paths: []tool.PathUse{remove}}, false},
		{tool.Preview{Before: "d", Paths: []tool.PathUse{remove, write}}, false},
	} {
		if got := unchanged(c.view); got != c.want {
			t.Errorf("%+v: %v", c.view, got)
		}
	}
}
