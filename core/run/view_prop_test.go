package run

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golem/core/project"
	"golem/core/sandbox"
	"golem/core/sandbox/sandboxtest"
)

// Scenario 42: in random projects, built from their files, no child has a right that
// its caller lacks.
func TestNoChildSeesMoreThanItsCaller(t *testing.T) {
	sandboxtest.Bounds(t, func() sandboxtest.Yard {
		m := sandbox.Memory()
		return sandboxtest.Yard{FS: m, Clear: m.Remove, Views: viewsOn(m)}
	})
}

// viewsOn returns a function that writes a chain of workers as a project for a tree of
// files, and returns what each worker sees.
func viewsOn(files sandbox.FS) func([]sandbox.Mount, []sandboxtest.Worker) ([]sandbox.FS, error) {
	return func(manifest []sandbox.Mount, chain []sandboxtest.Worker) ([]sandbox.FS, error) {
		defs := sandbox.Memory()
		write := func(name, text string) error { return defs.WriteFile(name, []byte(text)) }
		if err := write("project.yaml", "name: p\n"+sandboxOf(sandboxtest.Worker{Mounts: manifest})); err != nil {
			return nil, err
		}
		for i, w := range chain {
			text := "---\ntoolsets: {filesystem: {}}\n" + sandboxOf(w) + "---\nW.\n"
			if err := write(fmt.Sprintf("w%d.worker", i), text); err != nil {
				return nil, err
			}
		}
		p, err := project.Load(project.Setup{FS: defs})
		if err != nil {
			return nil, err
		}
		t := newTree(&Runner{
			Project: p, Files: mounts(func() sandbox.FS { return files }),
			Protection: sandbox.Controls{Root: sandbox.SourceOf(files, ".")}.Protect(),
		}, nil, false)
		var out []sandbox.FS
		var caller *sight
		for i := range chain {
			w, err := p.Workers.Find(fmt.Sprintf("./w%d.worker", i))
			if err != nil {
				return nil, err
			}
			s, err := t.viewer.sight(context.Background(), w, caller)
			if err != nil {
				return nil, err
			}
			out, caller = append(out, s.files), &s
		}
		return out, nil
	}
}

// sandboxOf returns the YAML of a worker's sandbox.
func sandboxOf(w sandboxtest.Worker) string {
	var root, paths, mounts string
	for _, m := range w.Mounts {
		mode := "rw"
		if m.Mode != sandbox.ReadWrite {
			mode = "ro" // project.Load would refuse staged here
		}
		suffixes := ""
		if len(m.Suffixes) > 0 {
			suffixes = ", suffixes: [" + strings.Join(m.Suffixes, ", ") + "]"
		}
		switch {
		case m.At == "." && mode == "rw" && suffixes == "":
			root = fmt.Sprintf("  root: %q\n", m.Source)
		case m.At == "." || strings.Contains(m.At, "/"):
			mounts += fmt.Sprintf("    - {source: %q, target: %q, mode: %s%s}\n", m.Source, sandbox.Abs(m.At), mode, suffixes)
		default:
			paths += fmt.Sprintf("    %s: {root: %q, mode: %s%s}\n", m.At, m.Source, mode, suffixes)
		}
	}
	out := root
	if paths != "" {
		out += "  paths:\n" + paths
	}
	if mounts != "" {
		out += "  mounts:\n" + mounts
	}
	if w.Restrict != "" {
		out += fmt.Sprintf("  restrict: %q\n", w.Restrict)
	}
	if w.ReadOnly {
		out += "  readonly: true\n"
	}
	if out == "" {
		return ""
	}
	return "sandbox:\n" + out
}
