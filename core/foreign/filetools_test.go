package foreign

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/toolset"
)

// notInDocker are the file tools that do what no tool of docker-agent does, by the reason.
var notInDocker = map[string]string{
	"file_info":   "its tools for files are these; a worker without read_file has no file tools",
	"file_exists": "as file_info",
}

// fileTools returns the tools of the toolset filesystem, over files of which each has the text
// that the probe for the argument old has.
func fileTools(t *testing.T) []tool.Tool {
	t.Helper()
	files := sandbox.Memory()
	for _, name := range []string{"path", "from", "to"} {
		if err := files.WriteFile("probe-"+name, []byte("/probe-old")); err != nil {
			t.Fatal(err)
		}
	}
	filesystem := toolset.Filesystem()
	set, err := toolset.NewRegistry(filesystem).Open(t.Context(), filesystem.Name, nil, toolset.Env{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return set.Tools()
}

// pathArguments returns the arguments of a tool that its preview says are paths.
func pathArguments(t *testing.T, one tool.Tool) (names []string) {
	t.Helper()
	var input struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(one.Spec().Input, &input); err != nil {
		t.Fatal(err)
	}
	args := map[string]string{}
	for name, p := range input.Properties {
		if p.Type == "string" {
			args[name] = "/probe-" + name
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	shows, ok := one.(tool.Previewer)
	if !ok {
		t.Fatalf("%s has no preview", one.Spec().Name)
	}
	p, err := shows.Preview(t.Context(), tool.Call{ID: "0.1", Name: one.Spec().Name, Args: tool.ReadArguments(text)})
	if len(p.Paths) == 0 {
		t.Errorf("the preview of %s has no path: %v", one.Spec().Name, err)
	}
	for _, use := range p.Paths {
		names = append(names, strings.TrimPrefix(use.Path, "/probe-"))
	}
	return names
}

// TestEveryFileToolIsBlocked tests that what another program denies reaches each of golem's file
// tools: a tool that is in none of the lists is not blocked.
func TestEveryFileToolIsBlocked(t *testing.T) {
	var all []string
	for _, one := range fileTools(t) {
		name, list, other := one.Spec().Name, readers, writers
		all = append(all, name)
		if one.Spec().Risk != tool.Read {
			list, other = writers, readers
		}
		if !slices.Contains(list, name) || slices.Contains(other, name) {
			t.Errorf("%s has the risk %s: it belongs in readers (risk read) or else in writers, in core/foreign/worker.go", name, one.Spec().Risk)
		}
		if want := pathArguments(t, one); !slices.Equal(pathsOf[name], want) {
			t.Errorf("%s has a path in %v, and pathsOf in core/foreign/tools.go says in %v", name, want, pathsOf[name])
		}
		if (len(dockerTools[name]) == 0) != (notInDocker[name] != "") {
			t.Errorf("%s: name the tools of docker-agent that it replaces in dockerTools in core/foreign/docker.go, or a reason in notInDocker", name)
		}
	}
	for _, name := range slices.Concat(readers, writers, slices.Collect(maps.Keys(pathsOf))) {
		if !slices.Contains(all, name) {
			t.Errorf("core/foreign lists %s, which the toolset filesystem does not have", name)
		}
	}
}

// TestBlockedKindsAreNotGiven tests that a worker has no tool of a kind that is denied as a
// whole, whatever it was given.
func TestBlockedKindsAreNotGiven(t *testing.T) {
	for kind, set := range map[string]string{"read": "filesystem", "shell": "shell", "web": "web"} {
		w := &worker{}
		for _, k := range []string{"read", "write", "shell", "web"} {
			w.tools.grant(k)
		}
		if sets, _ := w.toolsets(); sets[set] == nil {
			t.Errorf("a worker that is given %s has no toolset %s", kind, set)
		}
		w.tools.block(toolsOf(kind)...)
		if sets, _ := w.toolsets(); sets[set] != nil {
			t.Errorf("%s is denied, and the worker has the toolset %s", kind, set)
		}
	}
	w := &worker{}
	w.tools.grant("write")
	w.tools.block(toolsOf("write")...)
	sets, _ := w.toolsets()
	text, err := json.Marshal(sets)
	for _, name := range writers {
		if err != nil || !strings.Contains(string(text), `"`+name+`":"blocked"`) {
			t.Errorf("write is denied, and %s is not blocked: %s, %v", name, text, err)
		}
	}
}
