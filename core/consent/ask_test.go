package consent

import (
	"testing"
	"testing/fstest"

	"golem/core/project"
	"golem/core/tool"
)

// A module gets the grants under its own stem, also if its name has an @. A module that
// the worker does not have is not trusted, because its grants are not known.
func TestGrantOfAModule(t *testing.T) {
	p, err := project.Load(project.Setup{Platform: project.Platform{Toolsets: []string{"custom"}}, FS: fstest.MapFS{
		"main.worker":     {Data: []byte("---\ntoolsets: {custom: {modules: {\"c@fg\": {config: {K: {env: V}}}}}}\n---\nGo.\n")},
		"tools/c@fg.wasm": {Data: []byte("\x00asm\x01\x00\x00\x00")},
		"tools/c.wasm":    {Data: []byte("\x00asm\x01\x00\x00\x00")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Workers.Entry()
	if err != nil {
		t.Fatal(err)
	}
	c := New(&Answers{}, p, nil)
	for path, want := range map[string]string{
		"tools/c@fg.wasm": "toolsets.custom.modules.c@fg.config.K", "tools/c.wasm": "",
		"tools/c": "toolsets.custom", "tools/c@fg.wasm@sha256:00": "toolsets.custom", "": "toolsets.custom",
	} {
		g, open := c.Grant(w, tool.Spec{Kind: tool.Wasm, Module: path}, "00")
		if open != (want != "") || g.Path != want {
			t.Errorf("%q: %v, %q", path, open, g.Path)
		}
	}
	if _, open := c.Grant(w, tool.Spec{Name: "read_file"}, ""); open {
		t.Error("a built-in tool needs trust for a module's grants")
	}
}
