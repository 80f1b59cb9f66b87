//go:build !js

package core_test

import (
	"go/ast"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readers are functions that decide something by a part of a text.
var readers = []string{"Contains", "HasPrefix", "HasSuffix", "Cut", "CutPrefix", "CutSuffix", "TrimPrefix", "TrimSuffix", "Index", "Replace", "ReplaceAll", "EqualFold"}

// mayRead has the functions that read the text of an error, and why.
var mayRead = map[string]string{
	"core/project/toolcheck.go atQuoted":   "finds the place of a key that a toolset quotes",
	"core/jstool/jstool.go loading":        "the text and the stack are those of a script",
	"core/run/collected.go doubt":          "a hint with a near name",
	"core/run/skillscript.go unlinked":     "the text is that of the linker for a script",
	"core/ui/whynot.go denied":             "traces keep only the text",
	"cmd/cli/tui/form.go check":            "the form shows the name of the field beside the message",
	"cmd/cli/toolcmd/failed.go failedCall": "the text and the stack are those of a script",
	"cmd/cli/logincmd/ask.go refused":      "leaves the variable out of a text whose kind is known",
}

// TestNothingReadsGolemsOwnMessages tests that code does not decide by the text of an error: a
// code, a field or a type travels beside it.
func TestNothingReadsGolemsOwnMessages(t *testing.T) {
	used := map[string]bool{}
	for _, f := range moduleFiles(t) {
		if f.test || strings.HasSuffix(f.dir, "test") {
			continue
		}
		for _, decl := range f.ast.Decls {
			fn, is := decl.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is || len(call.Args) == 0 || !textOfFault(call.Args[0]) {
					return true
				}
				of, is := call.Fun.(*ast.SelectorExpr)
				if !is || !slices.Contains(readers, of.Sel.Name) && !strings.HasPrefix(of.Sel.Name, "Match") && !strings.HasPrefix(of.Sel.Name, "Find") {
					return true
				}
				place := f.name + " " + fn.Name.Name
				if used[place] = true; mayRead[place] == "" {
					t.Errorf("%s:%d: %s reads the text of an error: let a code, a field or a type travel beside it", f.name, f.line(call.Pos()), fn.Name.Name)
				}
				return true
			})
		}
	}
	for place := range mayRead {
		if !used[place] {
			t.Errorf("%s reads no text of an error any more: remove its row", place)
		}
	}
}

// textOfFault reports whether an expression is the message or the hint of a fault. The text of
// an error (err.Error()) is often that of the system or of a library, so it may be read.
func textOfFault(e ast.Expr) bool {
	of, is := e.(*ast.SelectorExpr)
	return is && (of.Sel.Name == "Message" || of.Sel.Name == "Hint")
}

// readInPage matches a decision of the page by the text of an error.
var readInPage = regexp.MustCompile(`\b(hint|message)\??\.(includes|startsWith|endsWith|match|matchAll|replace|replaceAll|search|split|indexOf)\(|/\.(test|exec)\([a-z]+\??\.(hint|message)\)`)

// TestThePageReadsNoMessages tests the same for the scripts of the page.
func TestThePageReadsNoMessages(t *testing.T) {
	scripts := 0
	for _, dir := range []string{"../web/ui", "../web/golem"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".js") && !strings.HasSuffix(name, ".jsx") {
				return err
			}
			data, err := os.ReadFile(dir + "/" + name)
			scripts++
			for _, found := range readInPage.FindAllString(string(data), -1) {
				t.Errorf("%s/%s: %s reads a message of golem: let data travel beside it", dir, name, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if scripts < 80 {
		t.Errorf("only %d scripts were found", scripts)
	}
	for _, text := range []string{"f.hint?.includes('golem lib lock')", "e.message.replace(/a/, 'b')", "/no key/.test(f.message)"} {
		if !readInPage.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
}
