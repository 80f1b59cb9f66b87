package run

import (
	"context"
	"errors"
	"testing"

	"golem/core/fault"
	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/tool"
)

// asked is a server that stops the run when it is asked for a resource.
type asked struct {
	tool.Changing
	stop func()
}

func (a asked) Resource(ctx context.Context, _, _ string) (tool.Output, error) {
	a.stop()
	return tool.Output{}, context.Cause(ctx)
}

// A run that is stopped while it reads a resource ends with E_INTERRUPTED and not with
// E_ATTACHMENT.
func TestResourceStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f := talking(&project.Worker{}, nil)
	f.toolbox.changing = []changing{{set: asked{stop: stop}}}
	f.worker.Limits.ToolTimeout = 1 << 60
	in, _ := Resource("mcp:wiki:a")
	if _, err := f.resources(ctx, []File{in}); !errors.Is(err, fault.Interrupted) {
		t.Error(err)
	}
}

// The name of a resource's file is valid on every platform.
func TestResourceNames(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b.md?v=2#x": "b.md", "note:17": "note-17", "db://x/": "x", "a://b/..": "resource", "a://b/con": "resource",
		"a://b/c\\d": "c-d", "a://b/c*\n|": "c---", "?x": "resource", "/": "resource", "a://b/\xff.txt": "-.txt", "a://b/c.": "resource",
	} {
		got := uriName(uri)
		if got != want || sandbox.ValidNew(got) != nil {
			t.Errorf("%q is called %q, want %q", uri, got, want)
		}
	}
}
