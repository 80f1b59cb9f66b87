package sandbox

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns one common form for all spellings of a name that some file
// system treats as the same file: in lower case, composed (NFC), without
// trailing dots and spaces, without invisible characters, and without the name
// of an alternate data stream. Compare folded names wherever a name is
// protected, could collide or is remembered (SECURITY 21), so that no other
// spelling avoids a rule. Folding twice changes nothing, and the number of path
// elements stays the same. Use the result only to compare, never to open or
// show a file.
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

// foldLetters folds the case and the Unicode form of one path element. It
// decomposes the element first, so that a letter with a mark gives the same
// result whether it was composed or not.
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

// manyLetters are the single characters that full case folding turns into two
// or three (Unicode's CaseFolding.txt, status F). Letters with marks are not
// listed: normalisation separates them.
var manyLetters = strings.NewReplacer(
	"ß", "ss", "ẞ", "ss", "ŉ", "ʼn", "և", "եւ", "ẚ", "aʾ",
	"ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st",
	"ﬓ", "մն", "ﬔ", "մե", "ﬕ", "մի", "ﬖ", "վն", "ﬗ", "մխ",
)

// foldRune returns the smallest character that differs from r only in case, in
// lower case: "K" and the Kelvin sign become the same. Full-width characters
// count as ASCII, except separators. It returns -1 for invisible characters,
// which some file systems ignore.
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
	if least == 0x345 { // the combining iota, whose letter is iota
		return 'ι'
	}
	return unicode.ToLower(least)
}
