package machine

import "golang.org/x/text/encoding/htmlindex"

// eastAsian decodes the charsets of web pages that package web has no tables for.
type eastAsian struct{}

// Decode implements web.Charsets.
func (eastAsian) Decode(name string, data []byte) (string, bool) {
	enc, err := htmlindex.Get(name)
	if err != nil {
		return "", false
	}
	text, err := enc.NewDecoder().Bytes(data)
	return string(text), err == nil
}
