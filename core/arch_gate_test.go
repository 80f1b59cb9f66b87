//go:build !js

package core_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// builtPackage is one package in the output of `go list`.
type builtPackage struct {
	path, dir, export string
	files             []string
}

// builtPackages lists the module's packages and everything they import, with
// their export data from the build cache, in which the check has compiled them as golem is released.
func builtPackages(t *testing.T) []builtPackage {
	t.Helper()
	var pkgs []builtPackage
	for line := range strings.Lines(listed(t, "directory_flags", `{{.ImportPath}}\t{{.Dir}}\t{{.Export}}\t{{join .GoFiles ","}}`, "./...")) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		p := builtPackage{path: f[0], dir: f[1], export: f[2]}
		if f[3] != "" {
			p.files = strings.Split(f[3], ",")
		}
		pkgs = append(pkgs, p)
	}
	return pkgs
}

// listed returns what go list prints of packages that are compiled with an array of flags of .ci/flags.sh.
func listed(t *testing.T, flags, form, packages string) string {
	t.Helper()
	if _, err := os.Stat("../.ci/flags.sh"); err != nil { // go test sees what this process opens, not what bash does
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", `. .ci/flags.sh; by_directory; exec go list "${`+flags+`[@]}" -export -deps -f "$1" "$2"`,
		"list", strings.ReplaceAll(form, `\t`, "\t"), packages)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	return string(out)
}

// The flags of a release and the directories that the check names in their place compile each
// package in the same way. (A program records its flags.)
func TestDirectoryFlagsAreThoseOfARelease(t *testing.T) {
	const form = `{{if ne .Name "main"}}{{.ImportPath}} {{.BuildID}}{{end}}`
	release := listed(t, "release_flags", form, "./cmd/cli")
	if !strings.Contains(release, "golem/core/model ") || !strings.Contains(release, "\nnet/http ") {
		t.Fatalf("not the packages of golem:\n%s", release)
	}
	if diff := cmp.Diff(release, listed(t, "directory_flags", form, "./cmd/cli")); diff != "" {
		t.Errorf(".ci/flags.sh: -release_flags +directory_flags\n%s", diff)
	}
}

// toolCalls type-checks one package and returns where it uses a method Call
// with the signature of tool.Tool's, by call or as a method value, whatever
// the receiver's type.
func toolCalls(t *testing.T, p builtPackage, imp types.Importer) []string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.files {
		f, err := parser.ParseFile(fset, filepath.Join(p.dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: imp}).Check(p.path, fset, files, info); err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	var found []string
	for sel, s := range info.Selections {
		if s.Kind() == types.FieldVal || sel.Sel.Name != "Call" || !callsTool(s) {
			continue
		}
		pos := fset.Position(sel.Pos())
		found = append(found, p.path+"/"+filepath.Base(pos.Filename)+":"+fset.Position(sel.Sel.Pos()).String()[len(pos.Filename)+1:])
	}
	return found
}

// callsTool reports whether the method takes a tool.Call and returns a
// tool.Output: no other Call does both.
func callsTool(s *types.Selection) bool {
	sig, ok := s.Obj().Type().(*types.Signature)
	if !ok || sig.Results().Len() != 2 || sig.Params().Len() != 2 {
		return false
	}
	return isToolType(sig.Params().At(1).Type(), "Call") && isToolType(sig.Results().At(0).Type(), "Output")
}

func isToolType(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "golem/core/tool"
}

// The gate is the executor's only route to a tool (SPEC §7): no package but
// core/approval uses tool.Tool's Call outside tests.
func TestOnlyTheGateCallsTools(t *testing.T) {
	pkgs := builtPackages(t)
	exports := map[string]string{}
	for _, p := range pkgs {
		exports[p.path] = p.export
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	gate := 0
	for _, p := range pkgs {
		if !strings.HasPrefix(p.path, "golem/") {
			continue
		}
		found := toolCalls(t, p, imp)
		if p.path == "golem/core/approval" {
			gate += len(found)
			continue
		}
		for _, where := range found {
			t.Errorf("%s calls a tool past the gate", where)
		}
	}
	if gate != 1 {
		t.Errorf("core/approval calls a tool in %d places; it should be exactly one", gate)
	}
}
