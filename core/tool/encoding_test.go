package tool

import "testing"

// Texts of other encodings are decoded; what is UTF-8 or no text stays as it is.
func TestDecoded(t *testing.T) {
	for _, c := range []struct{ data, text, encoding string }{
		{"Grüße", "Grüße", ""}, {"", "", ""}, {"a\x00b", "a\x00b", ""}, {"\x89PNG\r\n\x1a\n\x00", "\x89PNG\r\n\x1a\n\x00", ""}, {"Gr\xc3", "Gr\xc3", ""},
		{"\xff\xfeG\x00r\x00\xfc\x00=\xd8\x00\xde", "Grü😀", "UTF-16 (little endian)"}, {"\xfe\xff\x00G\x00\xfc", "Gü", "UTF-16 (big endian)"}, {"\xff\xfe", "\xff\xfe", ""}, {"\xff\xfe\x01\x00", "\xff\xfe\x01\x00", ""}, {"\xff\xfeG\x00\x01", "G", "UTF-16 (little endian)"},
		{"Gr\xfc\xdfe f\xfcr 5 \x80 \x93x\x94\r\n", "Grüße für 5 € “x”\r\n", "Latin-1"}, {"\xfc\x81", "\xfc\x81", ""}, {"\xfc\x01", "\xfc\x01", ""},
	} {
		if text, encoding := Decoded([]byte(c.data)); string(text) != c.text || encoding != c.encoding {
			t.Errorf("%q: %q (%s), want %q (%s)", c.data, text, encoding, c.text, c.encoding)
		}
	}
}
