package web

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Charsets are the charsets that a platform can decode beside those of this package, which
// has no tables for the charsets of East Asia: they would add 308 kB to golem.wasm (gzip), and
// a browser has them.
type Charsets interface {
	// Decode returns a text of a charset in UTF-8. name is in lower case, and one of those that
	// the Encoding Standard of the WHATWG lists. It returns false for an unknown charset.
	Decode(name string, data []byte) (string, bool)
}

// encodingOf returns the encoding that browsers use for a name, in lower case, or nil.
func encodingOf(name string) encoding.Encoding {
	name = strings.TrimSpace(name)
	for _, row := range charsets {
		if row.names[name] {
			return row.enc
		}
	}
	return nil
}

// charsets are the encodings of the Encoding Standard (WHATWG) with their names there, apart
// from those of East Asia.
var charsets = []struct {
	enc   encoding.Encoding
	names map[string]bool
}{
	{charmap.Windows1252, words("ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252")},
	{charmap.Windows1250, words("cp1250 windows-1250 x-cp1250")},
	{charmap.Windows1251, words("cp1251 windows-1251 x-cp1251")},
	{charmap.Windows1253, words("cp1253 windows-1253 x-cp1253")},
	{charmap.Windows1254, words("cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254")},
	{charmap.Windows1255, words("cp1255 windows-1255 x-cp1255")},
	{charmap.Windows1256, words("cp1256 windows-1256 x-cp1256")},
	{charmap.Windows1257, words("cp1257 windows-1257 x-cp1257")},
	{charmap.Windows1258, words("cp1258 windows-1258 x-cp1258")},
	{charmap.Windows874, words("dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874")},
	{charmap.ISO8859_2, words("csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2")},
	{charmap.ISO8859_3, words("csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3")},
	{charmap.ISO8859_4, words("csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4")},
	{charmap.ISO8859_5, words("csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988")},
	{charmap.ISO8859_6, words("arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987")},
	{charmap.ISO8859_7, words("csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek")},
	{charmap.ISO8859_8, words("csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical")},
	{charmap.ISO8859_10, words("csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6")},
	{charmap.ISO8859_13, words("iso-8859-13 iso8859-13 iso885913")},
	{charmap.ISO8859_14, words("iso-8859-14 iso8859-14 iso885914")},
	{charmap.ISO8859_15, words("csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9")},
	{charmap.ISO8859_16, words("iso-8859-16")},
	{charmap.KOI8R, words("cskoi8r koi koi8 koi8-r koi8_r")},
	{charmap.KOI8U, words("koi8-ru koi8-u")},
	{charmap.CodePage866, words("866 cp866 csibm866 ibm866")},
	{charmap.Macintosh, words("csmacintosh mac macintosh x-mac-roman")},
	{charmap.MacintoshCyrillic, words("x-mac-cyrillic x-mac-ukrainian")},
	{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), words("csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le")},
	{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), words("unicodefffe utf-16be")},
}
