// Package macho stands in for debug/macho in the page. The code that finds a file's type
// compares the file's first bytes with these numbers and needs nothing else of the package.
// web/build lays it over the standard library's package, which would link debug/dwarf and
// its tables.
package macho

// The first four bytes of a Mach-O file, as the standard library has them.
const (
	Magic32  uint32 = 0xfeedface
	Magic64  uint32 = 0xfeedfacf
	MagicFat uint32 = 0xcafebabe
)
