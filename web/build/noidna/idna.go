// Package idna stands in for golang.org/x/net/idna in the page: net/http calls it for host
// names outside ASCII when it writes a request to a connection, which the page leaves to the
// browser's fetch. web/build lays it over the copy in the standard library, whose Unicode
// tables would add 0.1 MB to the download.
package idna

import "errors"

var errNone = errors.New("host names outside ASCII are the browser's to encode: idna is not linked into the page")

// Profile stands in for the set of rules of the real package. It has none.
type Profile struct{}

// Lookup is the profile that net/http uses.
var Lookup = &Profile{}

// ToASCII refuses every name: net/http asks only for names that are not ASCII.
func (*Profile) ToASCII(string) (string, error) { return "", errNone }

// ToASCII refuses every name, as Profile.ToASCII does.
func ToASCII(string) (string, error) { return "", errNone }
