package project

import (
	"strings"

	"golem/core/tool"
)

// toolsetsShape accepts a map or a list of names. A toolset that is `false`
// stays as that: it takes an inherited one away when merged (S1-29).
func toolsetsShape() *shape {
	s := &shape{kind: dict, want: "a mapping or a list of names", key: nameProblem, each: toolsetShape(nil),
		keys: map[string]*shape{"workers": toolsetShape(map[string]*shape{
			"allowed_workers": allowedShape(), "style": wordShape("tools", "call", "both"),
		}), "custom": toolsetShape(map[string]*shape{
			"module": textShape(nameProblem), "tools": listOf(textShape(toolNameProblem)), "modules": mapOf(grantShape()),
		})}}
	s.rewrite = func(c *conformer, n *node, path string) *node {
		if n.kind != list {
			return n
		}
		out := &node{at: n.at, kind: dict}
		for _, item := range n.items {
			if item.kind != scalar || item.tag != tagText {
				c.fail(item.at, "", "%s: expected the name of a toolset, found %s", path, item.found())
				continue
			}
			if out.get(item.text) != nil {
				c.fail(item.at, "", "%s: %s is listed twice", path, quoted(item.text))
				continue
			}
			out.fields = append(out.fields, field{item.text, item.at, &node{at: item.at, kind: dict}})
		}
		return out
	}
	return s
}

// toolsetShape checks what every toolset has in common. Other options are for
// its factory to decode; closed lists all the options instead.
func toolsetShape(closed map[string]*shape) *shape {
	options := &shape{kind: dict, keys: map[string]*shape{"approval": toolApprovalShape()}}
	for name, s := range closed {
		options.keys[name] = s
	}
	if closed == nil {
		options.each = &shape{any: true}
	}
	return &shape{any: true, rewrite: func(c *conformer, n *node, path string) *node {
		if n.kind == scalar && n.tag == tagBool && !n.flag() {
			return n
		}
		if n.kind == scalar && n.tag == tagBool {
			c.fail(n.at, "write {} for the toolset with its defaults", "%s: expected a mapping or false, found %s", path, n.found())
			return nil
		}
		return c.conform(n, options, path)
	}}
}

// grantShape is what one tool module is given (SPEC §6, Grants).
func grantShape() *shape {
	return keysOf(map[string]*shape{
		"fs": flagShape(), "allowed_hosts": listOf(textShape(hostProblem)), "config": mapOf(textShape(nil)),
		"timeout": durationShape(), "stateful": flagShape(), "fuel": countShape(1, 1e15),
	})
}

func toolNameProblem(s string) string {
	if !tool.ValidName(s) {
		return quoted(s) + " is no name of a tool: letters, digits, _ and -, at most 64 of them"
	}
	return ""
}

func hostProblem(s string) string {
	if p := nameProblem(s); p != "" {
		return p
	}
	if strings.ContainsAny(s, "/ @?#\\") {
		return quoted(s) + " is no host: write its name only, such as api.example.com"
	}
	return ""
}

// allowedShape is a list of worker references; '*' alone means the project's own.
func allowedShape() *shape {
	s := listOf(textShape(nameProblem))
	s.want = "a list of workers, or '*'"
	s.rewrite = func(_ *conformer, n *node, _ string) *node {
		if n.kind == scalar && n.tag == tagText && n.text == "*" {
			return &node{at: n.at, kind: list, items: []*node{n}}
		}
		return n
	}
	return s
}

func sandboxShape() *shape {
	mount := func(keys map[string]*shape) *shape {
		keys["mode"] = mountModeShape()
		keys["readonly"] = flagShape()
		keys["suffixes"] = listOf(suffixShape())
		keys["max_file_bytes"] = sizeShape()
		keys["approval"] = keysOf(map[string]*shape{"read": settingShape(), "write": settingShape(), "delete": settingShape()})
		return keysOf(keys)
	}
	listed := mount(map[string]*shape{"source": textShape(nameProblem), "target": textShape(nameProblem)})
	listed.musts = []string{"source", "target"}
	named := mount(map[string]*shape{"root": textShape(nameProblem)})
	named.short = "root"
	paths := mapOf(named)
	paths.key = mountNameProblem
	return keysOf(map[string]*shape{
		"root":            textShape(nameProblem),
		"restrict":        textShape(nameProblem),
		"readonly":        flagShape(),
		"network_enabled": flagShape(),
		"paths":           paths,
		"mounts":          listOf(listed),
	})
}

func mountModeShape() *shape {
	words := wordShape("ro", "rw", "staged")
	return scalarShape(words.want, func(n *node) (string, string) {
		if n.tag == tagText && n.text == "staged" {
			return "staged: not in this version", "use rw or ro"
		}
		return words.check(n)
	})
}

func mountNameProblem(name string) string {
	if p := nameProblem(name); p != "" {
		return p
	}
	if name == "root" {
		return "is the name of / itself: use sandbox.root"
	}
	if clean, ok := inside(name); !ok || clean != name || name == "." {
		return "is no name for a mount"
	}
	for _, r := range name {
		if r == '/' {
			return "is no name for a mount: it is one directory below /"
		}
	}
	return ""
}
