//go:build !js

package docs_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// maxTotalBytes is the most that all pages for users may have together. Lower it when they are
// shorter; never raise it.
const maxTotalBytes = 180 << 10

// TestPagesAreShort tests that a person can read each page for users in some minutes.
func TestPagesAreShort(t *testing.T) {
	total := 0
	for _, name := range userPages(t) {
		n := len(page(t, name))
		total += n
		if n > maxPageBytes {
			t.Errorf("%s has %d bytes, more than %d: split it, or move a part to another page", name, n, maxPageBytes)
		}
	}
	if total > maxTotalBytes {
		t.Errorf("the pages for users have %d bytes together, more than %d", total, maxTotalBytes)
	}
	t.Logf("%d bytes together", total)
}

// maxReadmeWords is what a person reads in about two minutes.
const maxReadmeWords = 500

// TestReadmeIsReadInTwoMinutes counts the words of the README, without its blocks, pictures, and
// the list of pages at its end.
func TestReadmeIsReadInTwoMinutes(t *testing.T) {
	text, _, found := strings.Cut(page(t, "../README.md"), "\n## Read on\n")
	if !found {
		t.Error("the README does not end with the section Read on")
	}
	if n := readmeWords(text); n > maxReadmeWords || n < 300 {
		t.Errorf("the README has %d words, want at most %d: what the pages in docs say does not belong there", n, maxReadmeWords)
	}
	if n := readmeWords("One [two](a/b.md) `golem three`.\n```sh\ngolem run\n```\n![a picture](p.svg)\n<img alt=\"of a page\">\nfour\n"); n != 5 {
		t.Errorf("%d words, want 5", n)
	}
}

func readmeWords(text string) int {
	text = block.ReplaceAllString(text, "")
	text = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)|<[^>]*>|\]\([^)]*\)`).ReplaceAllString(text, " ")
	n := 0
	for _, word := range strings.Fields(text) {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
	}
	return n
}
