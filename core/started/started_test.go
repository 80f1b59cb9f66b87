package started_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golem/core/started"
)

func tree(files ...string) started.Tree {
	m := fstest.MapFS{}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "|")
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return started.Tree{FS: m, Root: "/p", Locate: func(name string, _ bool) string {
		if !strings.HasPrefix(name, "/") {
			return "/usr/bin/" + name
		}
		return strings.Replace(name, "/link/", "/p/", 1) // /link leads to the root
	}}
}

// SPEC §3: what a command line starts, in every spelling.
func TestEverySpelling(t *testing.T) {
	files := []string{"srv.py|#!/usr/bin/env python3\nimport json\n", "sub/x|\x7fELF\x00", "notes.md|x", "data/a.txt|x", "lib.js|x"}
	for _, line := range []string{
		"./srv.py", "srv/../srv.py", "python3 srv.py", "python3 -u ./srv.py ./data", "bash -c ./srv.py", "sh -c|python3 srv.py --port 1", "env X=1 ./srv.py", "/p/srv.py", "/link/srv.py",
		"python3 /p/srv.py", "uv run srv.py", "deno run --allow-read=. srv.py", "timeout 5 ./srv.py", "/usr/bin/env -S|python3 srv.py", `cmd /c .\srv.py`, "python3 -c|exec(open('srv.py').read())",
		"sh -c|$PWD/srv.py", "sh -c|\"$(dirname \"$0\")/srv.py\"", "node -r./srv.py", "python3 @srv.py", "x --config=srv.py", "deno run file:///p/srv.py", "x srv.py", "python3 srv",
	} {
		s := tree(files...).Of(command(line))
		if !slices.Equal(s.Files, []string{"srv.py"}) {
			t.Errorf("%s: %+v", line, s)
		}
	}
	for _, line := range []string{"./sub/x", "sh -c|cd sub && ./x", "sh -c|cd sub; exec ./x --flag", "sub/x", "env -C sub ./x"} {
		if s := tree(files...).Of(command(line)); !slices.Equal(s.Files, []string{"sub/x"}) || s.Scope != started.Named {
			t.Errorf("%s: %+v", line, s)
		}
	}
	for _, line := range []string{"server ./data", "npx -y server-filesystem ./data", "srv", "x data", "/usr/bin/srv --out=data"} {
		if s := tree(files...).Of(command(line)); len(s.Files) > 0 {
			t.Errorf("%s: %+v", line, s)
		}
	}
}

func command(line string) started.Command {
	head, tail, text := strings.Cut(line, "|")
	words := strings.Fields(head)
	if text {
		words = append(words, tail)
	}
	return started.Command{Program: words[0], Args: words[1:]}
}

// What a started script loads or starts is started, too.
func TestScripts(t *testing.T) {
	all := tree("run.sh|#!/bin/sh\n# see README.md\nexec python3 \"$here/real/main.py\" README.md\n", "real/main.py|import helper\nfrom pkg.deep import y\n", "real/helper.py|x", "real/pkg/deep.py|x",
		"README.md|x", "real/other.txt|x", "a.js|require('./b'); import x from './c.mjs'", "b.js|require('./d')", "c.mjs|x", "d/index.js|x", "unused.js|x", "e|#!./tools/interp\n", "tools/interp|x")
	for line, want := range map[string]string{
		"./run.sh": "real/helper.py real/main.py real/pkg/deep.py run.sh", "bash run.sh": "real/helper.py real/main.py real/pkg/deep.py run.sh", "node a": "a.js b.js c.mjs d/index.js", "./e": "e tools/interp",
	} {
		s := all.Of(command(line))
		if got := strings.Join(s.Files, " "); got != want || s.Scope != started.Code && line != "./e" {
			t.Errorf("%s: %s %q", line, got, s.Scope)
		}
	}
}

// The nearest package directory below the root belongs to what is started. If it is the
// root, or if the program runs what files there say, any file may run.
func TestPackagesAndRunners(t *testing.T) {
	nested := tree("srv/package.json|{}", "srv/dist/index.js|x", "srv/node_modules/a/index.js|x", "m.py|x")
	if s := nested.Of(command("node srv/dist/index.js")); !slices.Equal(s.Files, []string{"srv"}) || s.Scope == started.Any {
		t.Errorf("%+v", s)
	}
	for _, line := range []string{"node dist/index.js", "npm run srv", "npx local", "make srv", "just x", "task x", "cargo run", "uv run x", "go run .", "node .", "python3 -m srv", "env make", "sh -c|make x", "sh -c|cd dist && npm start", "yarn srv", "bun run x"} {
		s := tree("package.json|{}", "dist/index.js|x", "Makefile|x", "justfile|x", "Taskfile.yml|x", "Cargo.toml|x", "pyproject.toml|x", "go.mod|x").Of(command(line))
		if s.Scope != started.Any {
			t.Errorf("%s: %+v", line, s)
		}
	}
	if s := tree().Of(command("npx -y @scope/server")); s.Scope != started.Named || !slices.Contains(s.Absent, "node_modules") || !slices.Contains(s.Absent, "package.json") {
		t.Errorf("%+v", s)
	}
	for _, line := range []string{"Rscript -e mcptools::mcp_server()", "/usr/bin/R --no-save", "env Rscript srv.R"} {
		if s := tree("srv.R|x").Of(command(line)); !slices.Contains(s.Absent, ".Rprofile") || !slices.Contains(s.Absent, ".Renviron") {
			t.Errorf("%s: %+v", line, s)
		}
		if s := tree(".Rprofile|source('a.R')", "a.R|x", "srv.R|x").Of(command(line)); !slices.Contains(s.Files, ".Rprofile") || s.Scope != started.Code {
			t.Errorf("%s: %+v", line, s)
		}
	}
	for line, want := range map[string]string{"octave-cli --eval x": ".octaverc", "nodemon srv.js": "nodemon.json", "ts-node srv.ts": "tsconfig.json", "yarn dlx srv": ".yarnrc", "./srv.py": "srv.py", "python3 srv.py": "srv.py", "node dist/index.js": "dist/index.js", "make": "Makefile"} {
		if s := tree().Of(command(line)); !slices.Contains(s.Absent, want) {
			t.Errorf("%s: %+v does not name what could be made", line, s)
		}
	}
}

// A file counts as code by its extension in any case, by having none, or by its name.
func TestIsCode(t *testing.T) {
	for _, name := range []string{"a.py", "sub/a.R", "B.Java", ".Rprofile", "run", "sub/Makefile", "package.json"} {
		if !started.IsCode(name) {
			t.Errorf("%s is no code", name)
		}
	}
	for _, name := range []string{"a.json", "notes.md", "data/x.csv"} {
		if started.IsCode(name) {
			t.Errorf("%s is code", name)
		}
	}
}

// Variables name code, too.
func TestEnvironment(t *testing.T) {
	s := tree("hook.js|x", "notes.db|x", "lib/a.py|x").Of(started.Command{Program: "/usr/bin/srv", Env: map[string]string{"NODE_OPTIONS": "--require ./hook.js", "DB": "notes.db", "PYTHONPATH": "./lib:/x"}})
	if !slices.Equal(s.Files, []string{"hook.js", "lib"}) {
		t.Errorf("%+v", s)
	}
}

// The digest changes with each byte of what is started, and with nothing else.
func TestDigest(t *testing.T) {
	digest := func(files ...string) string {
		tr := tree(files...)
		lines, scope := tr.Digest(tr.Of(command("node srv/a.js")))
		return strings.Join(lines, "\n") + string(scope)
	}
	base := []string{"srv/package.json|{}", "srv/a.js|x", "b|x"}
	was := digest(base...)
	if !strings.HasSuffix(was, " srv/code") || len(was) != len("sha256: srv/code")+64 {
		t.Errorf("%q", was)
	}
	if digest("srv/package.json|{}", "srv/a.js|x", "b|y", ".git/x|x", "srv/.git/HEAD|x") != was {
		t.Error("another file changed the digest")
	}
	for _, other := range [][]string{{"srv/package.json|{ }", "srv/a.js|x"}, {"srv/package.json|{}", "srv/a.js|y"}, {"srv/package.json|{}", "srv/a.js|x", "srv/n/b.js|"}, {"srv/package.json|{}", "srv/a.js|x", "srv/a.js.bak|x"}} {
		if digest(other...) == was {
			t.Errorf("%q has the same digest", other)
		}
	}
}

// A command line costs little, whatever it says, and what is too much is not silently left
// out.
func TestBounds(t *testing.T) {
	m := fstest.MapFS{}
	var words []string
	for _, a := range "abcdefghijklmnopqrstuvwxyz" {
		for _, b := range "abcdefghijklmnopqrstuvwxyz" {
			name := string(a) + string(b)
			m[name+"/f.py"] = &fstest.MapFile{Data: []byte("import " + name)}
			words = append(words, name)
		}
	}
	counted := &counting{FS: m}
	s := started.Tree{FS: counted, Root: "/p"}.Of(started.Command{Program: "sh", Args: []string{"-c", strings.Join(words, " ") + strings.Repeat(" x/y", 20_000)}})
	if s.Scope != started.Any || counted.n > 40_000 {
		t.Errorf("%q after %d looks", s.Scope, counted.n)
	}
}

type counting struct {
	fs.FS
	n int
}

// Stat counts.
func (c *counting) Stat(name string) (fs.FileInfo, error) { c.n++; return fs.Stat(c.FS, name) }
