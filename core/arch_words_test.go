//go:build !js

package core_test

import (
	"go/ast"
	"strings"
	"testing"
)

// maxWordPackages is in how many packages a bare word may be the name of a function, or of a
// type: beyond that nobody knows which one is meant.
const maxWordPackages = 3

// bareVerbs say that something is done, and not what it is done to.
var bareVerbs = []string{"take", "at", "keep", "shown", "said", "place", "settle", "hold"}

// bareNouns could mean anything in a program about files and workers.
var bareNouns = []string{"source", "file", "question", "host"}

// emptyWords are no names: a preposition, an adverb or a verb like them says neither what a
// function does nor what it returns.
var emptyWords = strings.Fields(`able above after again anew another around as aside astray away back bad
	because behind beside between beyond by comes did does each either elsewhere exactly far few final found from
	further gone half having in inside into laid later like long made may meant meet near odd off on once one only
	other others otherwise over own side since single some soon sought straight then there through to told took
	twice under unless what when who why within worse wrong you`)

// TestWordsSayWhatIsMeant counts the packages that define a function or a type with such a
// name (docs/design.md, "Glossary").
func TestWordsSayWhatIsMeant(t *testing.T) {
	functions, types := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(to map[string]map[string]bool, word, dir string) {
		if to[word] == nil {
			to[word] = map[string]bool{}
		}
		to[word][dir] = true
	}
	for _, f := range moduleFiles(t) {
		if f.test {
			continue
		}
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				add(functions, fn.Name.Name, f.dir)
			}
		}
		for _, spec := range typeSpecs(f) {
			add(types, spec.Name.Name, f.dir)
		}
	}
	for _, word := range emptyWords {
		for dir := range functions[word] {
			t.Errorf("%s has a function %s: say what it does, or what it returns", dir, word)
		}
	}
	for _, word := range bareVerbs {
		if n := len(functions[word]); n > maxWordPackages {
			t.Errorf("%d packages have a function %s, at most %d may: say what it does that to: %v", n, word, maxWordPackages, functions[word])
		}
	}
	for _, word := range bareNouns {
		if n := len(types[word]); n > maxWordPackages {
			t.Errorf("%d packages have a type %s, at most %d may: say what it is: %v", n, word, maxWordPackages, types[word])
		}
	}
}
