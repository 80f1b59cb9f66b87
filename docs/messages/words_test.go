package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// riddles are phrases that a reader has to read twice, with what to write instead. A message
// should say who does what: "X is not a Y", "the call was not run".
var riddles = []struct{ phrase, instead string }{
	{`\b(is|are|was|were) no \w`, `"is not a …", or "there is no …"`},
	{`\b(is|are) held\b`, `"keeps", "is checked", "is open"`},
	{`\bthe one (who|that|which)\b`, `name it`},
	{`\bnobody (has )?told\b`, `say what is missing`},
	{`\bcame to no\b`, `"did not …"`},
	{`\bas \w+ has (it|them)\b`, `"in the way of …"`},
	{`\bis none of\b`, `"is not one of …"`},
	{`\bis what\b`, `say it directly`},
	{`\b(served|serves) as\b`, `"is"`},
	{`\b(lends?|lent)\b`, `"gives"`},
	{`\b(bears?|borne)\b`, `"has"`},
	{`\bheed`, `"follow"`},
	{`\bfor good\b`, `"and cannot be undone"`},
	{`\btoo (many|few) too\b`, `"too many …"`},
	{`\brefuses? what\b`, `"refused by …"`},
	{`\bout of order\b`, `say what happened`},
	{`\bwhere you stand\b`, `"the current directory"`},
	{`\bbelongs? to nobody\b`, `say what is missing`},
}

// plain matches phrases that look like a riddle but are not.
var plain = regexp.MustCompile(`\b(there|that|it|which) (is|are|was|were) no longer\b|\b(is|are) no longer\b|\bthere (is|are|was|were) no\b`)

// riddle returns the first riddle in a text and what to write instead, "" if there is none.
func riddle(text string) (phrase, instead string) {
	text = plain.ReplaceAllString(text, "")
	for _, r := range riddles {
		if found := regexp.MustCompile(`(?i)` + r.phrase).FindString(text); found != "" {
			return found, r.instead
		}
	}
	return "", ""
}

// TestMessagesAreNoRiddles tests that no page of docs/errors has a riddle.
func TestMessagesAreNoRiddles(t *testing.T) {
	pages, err := render("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		for row := range strings.Lines(page) {
			if phrase, instead := riddle(row); phrase != "" {
				t.Errorf("%s: %q: write %s: %s", name, phrase, instead, row)
			}
		}
	}
}

// TestSentencesAreNoRiddles tests the same for all other sentences in the source: status
// lines, questions, help.
func TestSentencesAreNoRiddles(t *testing.T) {
	sentences := 0
	for _, dir := range []string{"core", "cmd", "sandbox", "sdk"} {
		err := fs.WalkDir(os.DirFS("../.."), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == "scaffold") {
				return fs.SkipDir
			}
			if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "../../"+name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				lit, is := n.(*ast.BasicLit)
				if !is || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil || strings.Count(text, " ") < 2 {
					return true
				}
				sentences++
				if phrase, instead := riddle(text); phrase != "" {
					t.Errorf("%s: %q: write %s: %s", fset.Position(lit.Pos()), phrase, instead, text)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sentences < 1000 {
		t.Errorf("only %d sentences were found", sentences)
	}
}

// TestRiddlesAreFound tests that riddle finds riddles.
func TestRiddlesAreFound(t *testing.T) {
	for _, text := range []string{
		"it is no WebAssembly module", "the options of toolset x are no mapping", "the mode auto_deny refuses what would ask", "openai is out of order (500)",
		"relative to where you stand", "the input is held against the schema", "it is what the entry is",
	} {
		if phrase, _ := riddle(text); phrase == "" {
			t.Errorf("not found: %s", text)
		}
	}
	for _, text := range []string{"there is no worker file a.worker", "the file is no longer there", "whose host name is not valid"} {
		if phrase, _ := riddle(text); phrase != "" {
			t.Errorf("%q was found in: %s", phrase, text)
		}
	}
}
