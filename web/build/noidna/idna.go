// Package idna stands in for golang.org/x/net/idna in the page: net/http asks it
// for host names outside ASCII as it writes a request to a connection, and in the
// page the browser's fetch does that. web/build lays it over the copy in the
// standard library, whose tables of Unicode would be 0.1 MB to load.
package idna

import "errors"

var errNone = errors.New("host names outside ASCII are the browser's to encode: idna is not linked into the page")

// Profile has no rules.
type Profile struct{}

// Lookup is the profile that net/http names.
var Lookup = &Profile{}

// ToASCII refuses every name: net/http asks only for names that are not ASCII.
func (*Profile) ToASCII(string) (string, error) { return "", errNone }

// ToASCII refuses every name, as Profile.ToASCII does.
func ToASCII(string) (string, error) { return "", errNone }
