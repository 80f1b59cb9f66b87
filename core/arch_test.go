//go:build !js

package core_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// This file tests the architecture: which package may import which. docs/design.md explains
// each line. A package that is not in the table, or an import that is not in its line, fails
// the test.

// arrows lists for each package the packages of golem that it may import. Every package may
// import core/fault and core/sorting, so they are not listed.
var arrows = map[string]string{
	"core":           "started builtin ui describe consent providers run toolset toolset/custom toolset/web toolset/mcpset mcp wasmtool workspace project prompt model trace approval trust conversation clearance state sandbox tool",
	"core/describe":  "ui run project approval trust tool",
	"core/consent":   "run project started model mcp trace approval trust tool",
	"core/providers": "project model model/prices sandbox trace",
	"core/ui":        "run approval trace clearance tool",
	// What a person sees, as a value; the page does not link it.
	"core/ui/view":      "ui trace approval",
	"core/run":          "toolset toolset/custom toolset/mcpset mcp project prompt model trace approval conversation clearance sandbox tool money",
	"core/conversation": "model state money sandbox tool",
	"core/toolset":      "clearance sandbox textdiff tool",
	"core/workspace":    "builtin project sandbox",
	"core/builtin":      "sandbox",
	"core/project":      "approval sandbox started tool yamltree money",
	"core/prompt":       "project sandbox",
	// Only golem check --fix needs it: the page does not link it.
	"core/migrate":   "project prompt textdiff yamltree",
	"core/clearance": "sandbox state textdiff",
	"core/state":     "sandbox",
	"core/trust":     "approval",
	// What a command line starts, as names and digests: it reads files and runs nothing.
	"core/started":  "sandbox",
	"core/model":    "tool yamltree money model/prices",
	"core/trace":    "tool money",
	"core/approval": "tool",
	// A shell's grammar, for rules on commands: only programs that run commands link it.
	"core/approval/sh": "tool",
	// The only toolset made of modules: the others link no wasm.
	"core/toolset/custom": "toolset wasmtool sandbox tool",
	// The client of MCP, and the toolset of the tools of its servers.
	"core/mcp":            "tool",
	"core/toolset/mcpset": "toolset mcp tool",
	// Its HTTP requests use the same fetcher and policy as those of modules.
	"core/toolset/web": "toolset wasmtool tool",
	"core/wasmtool":    "tool sandbox yamltree wasmtool/guard",
	"core/tool":        "",
	"core/sandbox":     "",
	// The toolset git without an engine, which the platform provides.
	"core/toolset/gitset": "toolset sandbox tool",
	// That engine, on go-git: golem.wasm does not link it.
	"core/gitrepo":  "clearance sandbox textdiff",
	"core/fault":    "",
	"core/sorting":  "",
	"core/yamltree": "",
	"core/money":    "",
	"core/textdiff": "",
	// The built-in table of prices, apart from the models because a program writes the file.
	"core/model/prices": "money",

	// The guard works only on bytes, so that it can be tested without an engine.
	"core/wasmtool/guard": "",
	// The reference engine: only programs that use wazero link it.
	"core/wasmtool/wazeroengine": "sandbox wasmtool wasmtool/guard",
	// One conformance suite for every engine, its cases as data.
	"core/wasmtool/enginetest": "tool sandbox wasmtool wasmtool/guard wasmtool/wazeroengine",
	// For people who write tools in Go: no other package of golem is linked into their tools.
	"sdk": "",
	// Test support that other packages' tests import; never linked into golem.
	"core/sandbox/sandboxtest": "sandbox",
	"core/coretest":            "core gitrepo toolset toolset/gitset describe ui run trace approval project sandbox state tool model mcp mcp/mcptest wasmtool wasmtool/guard wasmtool/wazeroengine",
	"core/model/modeltest":     "",
	"core/mcp/mcptest":         "mcp",
	"core/gitrepo/gittest":     "",
	"web/webtest":              "",

	// The files of the page, and the program that makes them.
	"web":       "",
	"web/build": "workspace docs/schemas",
	// Replacements for packages of the standard library in the page; nothing imports them.
	"web/build/noidna":    "",
	"web/build/nogodebug": "",
	"web/build/nomacho":   "",
	"web/build/nomime":    "",
	"web/build/noslog":    "",
	"web/build/noproxy":   "",
	"web/build/notls":     "",
	// Writes what the JavaScript in web/tool has in common with wasmtool, and the list
	// of what a person can do for web/ui.
	"web/twin": "wasmtool ui",

	"sandbox/osfs": "sandbox",
	"sandbox/opfs": "sandbox",
	"cmd/cli":      "everything sandbox/osfs web docs/schemas cmd/cli/shell cmd/cli/traceview cmd/cli/editor cmd/cli/tui cmd/cli/mcpserve",
	"cmd/wasm":     "everything sandbox/opfs cmd/wasm/jsbytes",

	// The viewer of a trace: a value that keys change and that draws lines.
	"cmd/cli/traceview": "trace ui",
	// The editor for a message: it gets keys and returns text and lines.
	"cmd/cli/editor": "ui",
	// The toolset shell: commands on this machine.
	"cmd/cli/shell": "cmd/cli/shell/confine toolset approval/sh sandbox tool",
	// The processes and walls of one command: it knows no tool and no project.
	"cmd/cli/shell/confine": "",
	// The full screen: it draws, and has no access to files or a session. Its panel decides on
	// staged items.
	"cmd/cli/tui": "ui ui/view run trace approval clearance cmd/cli/markdown",
	// The MCP server: it implements the protocol, and has no access to files or a project.
	"cmd/cli/mcpserve": "ui run trace approval tool mcp",
	// Markdown as a terminal's lines.
	"cmd/cli/markdown": "ui",

	// Code that the page's programs share, and the program that runs tools on wazero.
	"cmd/wasm/jsbytes": "",
	"cmd/wasm/wazero":  "sandbox wasmtool wasmtool/wazeroengine cmd/wasm/jsbytes",
	"cmd/wasm/git":     "clearance gitrepo sandbox sandbox/opfs cmd/wasm/jsbytes",

	// Measuring: programs that drive the built binary, and one that links core.
	"bench/mock":    "",
	"bench/measure": "",
	"bench/jscore":  "everything",

	// The program that writes docs/messages.md from the source.
	"docs/messages": "",
	// The JSON Schemas as files, for golem schema.
	"docs/schemas": "",

	// A tool as its author writes it.
	"examples/tools/words": "sdk",
	// The cost of tools, compared with wazero alone.
	"bench/tools": "approval tool wasmtool wasmtool/guard wasmtool/wazeroengine",
}

// outside lists for each prefix of an import path the packages that may import it; tests may
// always. "cmd" means cmd/cli and cmd/wasm.
var outside = map[string]string{
	"github.com/tetratelabs/wazero":     "core/wasmtool bench/tools",
	"gopkg.in/yaml.v3":                  "core/yamltree",
	"net/http":                          "core/tool core/model core/mcp core/coretest cmd bench/mock web/webtest",
	"syscall/js":                        "sandbox/opfs cmd/wasm",
	"github.com/sashabaranov/go-openai": "core/model",
	"github.com/spf13/afero":            "core/workspace cmd",
	"aead.dev/minisign":                 "core/workspace cmd/cli",
	"github.com/hack-pad/hackpadfs":     "core/sandbox core/workspace sandbox",
	"github.com/spf13/cobra":            "cmd/cli",
	"github.com/aymanbagabas/go-udiff":  "core/textdiff",
	"golang.org/x/term":                 "cmd/cli",
	"mvdan.cc/sh":                       "core/approval/sh cmd/cli/shell",
	"golang.org/x/sys":                  "cmd/cli sandbox/osfs",
	"golang.org/x/text":                 "core/sandbox core/toolset/web cmd/cli",
	"github.com/gofrs/flock":            "cmd/cli sandbox/osfs",
	"github.com/go-git":                 "cmd/cli core/gitrepo", // too large for golem.wasm
	"charm.land":                        "cmd/cli/tui cmd/cli/traceview",
	"github.com/charmbracelet":          "cmd/cli/tui cmd/cli/markdown cmd/cli/editor cmd/cli/traceview",
	"github.com/yuin/goldmark":          "cmd/cli/markdown",
	"github.com/modelcontextprotocol":   "cmd/cli",
	"golang.org/x/oauth2":               "cmd/cli",
	// Not even to evaluate an expression of a worker, or to start a process.
	"plugin":              "",
	"text/template":       "",
	"os/exec":             "cmd/cli bench/measure bench/tools web",
	"github.com/chromedp": "web/webtest",
	"golang.org/x/net":    "web/webtest core/toolset/web",
}

// forbiddenInCore lists packages that would bind the core to one platform, or that print.
var forbiddenInCore = []string{"os", "os/exec", "os/signal", "os/user", "syscall", "syscall/js", "path/filepath", "log", "flag"}

// goFile is one parsed Go file of the module.
type goFile struct {
	name string // slash path from the module root
	dir  string
	test bool
	fset *token.FileSet
	ast  *ast.File
	src  string
}

func (f goFile) line(p token.Pos) int { return f.fset.Position(p).Line }

func (f goFile) imports(t *testing.T) []string {
	var out []string
	for _, spec := range f.ast.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		out = append(out, p)
	}
	return out
}

// moduleFiles returns all Go files of the module, including tests. They are parsed once.
func moduleFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := parseModule()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d Go files from %s", len(files), filepath.Base("."))
	}
	return files
}

var parseModule = sync.OnceValues(func() (out []goFile, err error) {
	root := os.DirFS("..")
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			base := path.Base(name)
			hidden := name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"))
			if hidden || name == "build" || name == "bin" || base == "testdata" || base == "node_modules" {
				return fs.SkipDir
			}
			if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil && name != "." {
				return fs.SkipDir // another Go module
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		out = append(out, goFile{
			name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			fset: fset, ast: parsed, src: string(src),
		})
		return nil
	})
	return out, err
})

// allowed returns the import paths in a line of arrows.
func allowed(pkg string) []string {
	var out []string
	for _, name := range strings.Fields(arrows[pkg]) {
		switch {
		case name == "everything":
			for p := range maps.Keys(arrows) {
				testSupport := p == "core/coretest" || p == "core/sandbox/sandboxtest"
				if (p == "core" || strings.HasPrefix(p, "core/")) && !testSupport {
					out = append(out, "golem/"+p)
				}
			}
		case name == "core":
			out = append(out, "golem/core")
		case strings.HasPrefix(name, "sandbox/"), strings.HasPrefix(name, "cmd/"), strings.HasPrefix(name, "docs/"), name == "web", name == "sdk":
			out = append(out, "golem/"+name)
		default:
			out = append(out, "golem/core/"+name)
		}
	}
	if pkg == "core/sorting" {
		return nil
	}
	return append(out, "golem/core/fault", "golem/core/sorting")
}

func TestArrows(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		if _, ok := arrows[f.dir]; !ok {
			t.Errorf("%s: package %s is not in the table of core/arch_test.go; add it there and to docs/design.md", f.name, f.dir)
			continue
		}
		may := allowed(f.dir)
		for _, imp := range f.imports(t) {
			if strings.HasPrefix(imp, "golem/") && !slices.Contains(may, imp) {
				t.Errorf("%s imports %s: no such arrow", f.name, imp)
			}
		}
	}
}

func TestArrowsHaveNoCycle(t *testing.T) {
	done := map[string]bool{}
	var visit func(pkg string, chain []string)
	visit = func(pkg string, chain []string) {
		if slices.Contains(chain, pkg) {
			t.Fatalf("cycle: %s → %s", strings.Join(chain, " → "), pkg)
		}
		if done[pkg] {
			return
		}
		for _, next := range allowed(pkg) {
			if next = strings.TrimPrefix(next, "golem/"); next != pkg {
				visit(next, append(slices.Clone(chain), pkg))
			}
		}
		done[pkg] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(arrows)) {
		visit(pkg, nil)
	}
}

func TestCoreIsPortable(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.dir != "core" && !strings.HasPrefix(f.dir, "core/") {
			continue
		}
		if f.test && (strings.HasSuffix(f.name, "_native_test.go") || strings.HasPrefix(f.name, "core/arch_")) {
			if buildsForJS(t, f) {
				t.Errorf("%s: needs a build line that leaves js out, //go:build !js", f.name)
			}
			continue
		}
		for _, imp := range f.imports(t) {
			if slices.Contains(forbiddenInCore, imp) {
				t.Errorf("%s imports %s: the core runs where there is none (tests: name the file *_native_test.go)", f.name, imp)
			}
		}
	}
}

// buildsForJS reports whether a file is built for js/wasm, according to its build line.
func buildsForJS(t *testing.T, f goFile) bool {
	for line := range strings.Lines(f.src) {
		if !constraint.IsGoBuild(line) {
			continue
		}
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		return expr.Eval(func(tag string) bool { return tag == "js" || tag == "wasm" })
	}
	return true
}
