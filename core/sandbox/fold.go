package sandbox

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold is the one form of all spellings of a name that some file system takes
// for the same file: without case, composed (NFC), without trailing dots and
// spaces and without what cannot be seen. Names are compared folded wherever
// they protect, collide or are remembered (SECURITY 21), so that no spelling
// avoids a rule. Folding twice changes nothing, and the number of elements
// stays the same. The result is for comparing: it is no name to open or show.
func Fold(name string) string {
	elems := strings.Split(name, "/")
	for i, e := range elems {
		if e == "." || e == ".." {
			continue
		}
		e = foldLetters(e)
		e, _, _ = strings.Cut(e, ":") // an alternate data stream on Windows
		elems[i] = strings.TrimRight(e, ". ")
	}
	return strings.Join(elems, "/")
}

// foldLetters folds case and form of one element. Marks are taken apart first,
// so that a letter folds alike with its mark beside it and within it.
func foldLetters(e string) string {
	if ascii(e) {
		return strings.ToLower(e)
	}
	e = strings.Map(foldRune, manyLetters.Replace(norm.NFD.String(e)))
	return norm.NFC.String(e)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// manyLetters are the single characters that full case folding takes for two
// or three (Unicode's CaseFolding.txt, status F); those that are a letter with
// marks come apart by normalisation.
var manyLetters = strings.NewReplacer(
	"ß", "ss", "ẞ", "ss", "ŉ", "ʼn", "և", "եւ", "ẚ", "aʾ",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st",
	"ﬓ", "մն", "ﬔ", "մե", "ﬕ", "մի", "ﬖ", "վն", "ﬗ", "մխ",
)

// foldRune is the smallest character that differs from r in case only,
// lower-cased: "K" and the Kelvin sign are one. Full-width characters count as
// ASCII, the separators excepted. -1 drops what is not seen, as some file
// systems do.
func foldRune(r rune) rune {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	if r >= 0xFF01 && r <= 0xFF5E && r != '／' && r != '＼' {
		r -= 0xFEE0
	}
	least := r
	for n := unicode.SimpleFold(r); n != r; n = unicode.SimpleFold(n) {
		least = min(least, n)
	}
	if least == 0x345 { // the mark, whose letter is iota
		return 'ι'
	}
	return unicode.ToLower(least)
}
