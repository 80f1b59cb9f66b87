package project

import (
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/tool"
	"golem/core/yamltree"
)

// toolsetsShape returns the shape of toolsets: a mapping or a list of names. A toolset
// that is `false` stays in the tree, so that it removes an inherited one when merged
// (S1-29).
func toolsetsShape() *yamltree.Shape {
	s := &yamltree.Shape{Kind: yamltree.Mapping, Want: "a mapping or a list of names", Key: yamltree.NameProblem, Each: toolsetShape(nil),
		Keys: map[string]*yamltree.Shape{"workers": toolsetShape(map[string]*yamltree.Shape{
			"allowed_workers": allowedShape(), "style": yamltree.OneOf("tools", "call", "both"),
		}), "custom": toolsetShape(map[string]*yamltree.Shape{
			"module": yamltree.Text(yamltree.NameProblem), "tools": yamltree.ListOf(yamltree.Text(toolNameProblem)), "modules": yamltree.MapOf(grantShape()),
		}), "web": toolsetShape(webOptions()),
			"git": toolsetShape(map[string]*yamltree.Shape{"target": yamltree.Text(yamltree.NameProblem)}), "mcp": offShape(serversShape())}}
	s.Rewrite = func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind != yamltree.List {
			return n
		}
		out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Mapping}
		for _, item := range n.Items {
			if item.Kind != yamltree.Scalar || item.Tag != yamltree.TagText {
				c.Fail(item.Pos, "", "%s: expected the name of a toolset, found %s", path, item.Found())
				continue
			}
			if out.Get(item.Text) != nil {
				c.Fail(item.Pos, "", "%s: %s is listed twice", path, fault.Quoted(item.Text))
				continue
			}
			out.Fields = append(out.Fields, yamltree.Field{Name: item.Text, Pos: item.Pos, Value: &yamltree.Node{Pos: item.Pos, Kind: yamltree.Mapping}})
		}
		return out
	}
	return s
}

// toolsetShape returns the shape of one toolset. It checks approval, which every
// toolset has; the toolset's factory decodes the other options. closed, if not nil,
// lists all other options.
func toolsetShape(closed map[string]*yamltree.Shape) *yamltree.Shape {
	options := &yamltree.Shape{Kind: yamltree.Mapping, Keys: map[string]*yamltree.Shape{"approval": toolApprovalShape()}}
	for name, s := range closed {
		options.Keys[name] = s
	}
	if closed == nil {
		options.Each = &yamltree.Shape{Any: true}
	}
	return offShape(options)
}

// offShape returns the shape of a toolset's options, or of false, which removes the
// toolset.
func offShape(options *yamltree.Shape) *yamltree.Shape {
	return &yamltree.Shape{Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool && !n.Flag() {
			return n
		}
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool {
			c.Fail(n.Pos, "write {} for the toolset with its defaults", "%s: expected a mapping or false, found %s", path, n.Found())
			return nil
		}
		return c.Conform(n, options, path)
	}}
}

// grantShape returns the shape of the grants to one tool module (SPEC §6, Grants).
func grantShape() *yamltree.Shape {
	keys := map[string]*yamltree.Shape{
		"fs": filesShape(), "allowed_hosts": yamltree.ListOf(yamltree.Text(hostProblem)), "config": yamltree.MapOf(valueShape()),
		"timeout": yamltree.Duration(), "stateful": yamltree.Flag(), "fuel": yamltree.Count(1, 1e15),
	}
	for _, l := range moduleLimits {
		keys[l.key] = l.bytesShape()
	}
	return yamltree.KeysOf(keys)
}

// filesShape returns the shape of fs, which grants files to a module: all that the
// worker sees, or some directories with their modes. A merge does not mix two lists:
// the worker's replaces the manifest's.
func filesShape() *yamltree.Shape {
	dirs := yamltree.MapOf(yamltree.OneOf("ro", "rw"))
	dirs.Key = func(name string) string {
		if strings.Contains("/"+name+"/", "/../") {
			return "leads out with ..: name a directory as the worker sees it, such as /data"
		}
		if _, err := sandbox.Clean(name); err != nil {
			return "is not a path: " + fault.Of(err, fault.Path).Message
		}
		return ""
	}
	return &yamltree.Shape{Any: true, Rewrite: func(c *yamltree.Conformer, n *yamltree.Node, path string) *yamltree.Node {
		if n.Kind != yamltree.Mapping {
			if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagBool {
				return n
			}
			c.Fail(n.Pos, "write true, false, or directories such as {data: ro}", "%s: expected true or false, or directories with their modes, found %s", path, n.Found())
			return nil
		}
		out := c.Conform(n, dirs, path)
		if out == nil || len(out.Fields) == 0 {
			if len(n.Fields) == 0 {
				c.Fail(n.Pos, "name them, such as {data: ro}, or write false", "%s names no directory", path)
			}
			return nil
		}
		whole := *out
		whole.Whole = true
		return &whole
	}}
}

func toolNameProblem(s string) string {
	if !tool.ValidName(s) {
		return fault.Quoted(s) + " is not a tool name: use letters, digits, _ and -, at most 64"
	}
	return ""
}

func hostProblem(s string) string {
	if p := yamltree.NameProblem(s); p != "" {
		return p
	}
	if strings.ContainsAny(s, "/ @?#\\") {
		return fault.Quoted(s) + " is not a host: write only its name, such as api.example.com"
	}
	return ""
}

// allowedShape returns the shape of a list of worker references. '*' in place of the
// list means the project's own.
func allowedShape() *yamltree.Shape {
	s := yamltree.ListOf(yamltree.Text(yamltree.NameProblem))
	s.Want = "a list of workers, or '*'"
	s.Rewrite = func(_ *yamltree.Conformer, n *yamltree.Node, _ string) *yamltree.Node {
		if n.Kind == yamltree.Scalar && n.Tag == yamltree.TagText && n.Text == "*" {
			return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
		}
		return n
	}
	return s
}

func sandboxShape() *yamltree.Shape {
	operations := func() *yamltree.Shape {
		return yamltree.KeysOf(map[string]*yamltree.Shape{"read": settingShape(), "write": settingShape(), "delete": settingShape()})
	}
	mount := func(keys map[string]*yamltree.Shape) *yamltree.Shape {
		keys["mode"] = mountModeShape()
		keys["readonly"] = yamltree.Flag()
		keys["suffixes"] = yamltree.ListOf(suffixShape())
		keys["max_file_bytes"] = yamltree.Size()
		keys["approval"] = operations()
		return yamltree.KeysOf(keys)
	}
	listed := mount(map[string]*yamltree.Shape{"source": yamltree.Text(yamltree.NameProblem), "target": yamltree.Text(yamltree.NameProblem)})
	listed.Musts = []string{"source", "target"}
	named := mount(map[string]*yamltree.Shape{"root": yamltree.Text(yamltree.NameProblem)})
	named.Short = "root"
	paths := yamltree.MapOf(named)
	paths.Key = mountNameProblem
	return yamltree.KeysOf(map[string]*yamltree.Shape{
		"root":            yamltree.Text(yamltree.NameProblem),
		"restrict":        yamltree.Text(yamltree.NameProblem),
		"readonly":        yamltree.Flag(),
		"network_enabled": yamltree.Flag(),
		"approval":        operations(),
		"paths":           paths,
		"mounts":          yamltree.ListOf(listed),
	})
}

// clearanceShape returns the shape of clearance: the places that staged changes can be
// pushed to (SPEC §9).
func clearanceShape() *yamltree.Shape {
	target := yamltree.KeysOf(map[string]*yamltree.Shape{"dir": yamltree.Text(yamltree.NameProblem), "git": yamltree.Text(yamltree.NameProblem), "branch": yamltree.Text(yamltree.NameProblem)})
	targets := yamltree.MapOf(target)
	targets.Key = yamltree.NameProblem
	return yamltree.KeysOf(map[string]*yamltree.Shape{"targets": targets})
}

func mountModeShape() *yamltree.Shape {
	return yamltree.OneOf("ro", "rw", "staged")
}

func mountNameProblem(name string) string {
	if p := yamltree.NameProblem(name); p != "" {
		return p
	}
	if name == "root" {
		return "is the name of the root mount: use sandbox.root"
	}
	if clean, ok := inside(name); !ok || clean != name || name == "." {
		return "is not a valid name for a mount"
	}
	for _, r := range name {
		if r == '/' {
			return "is not a valid name for a mount: use one directory name, without /"
		}
	}
	return ""
}
