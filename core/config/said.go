package config

import (
	"strconv"
	"strings"

	"golem/core/fault"
	"golem/core/sandbox"
	"golem/core/yamltree"
)

// FieldsOf returns the keys of a mapping; none for nil.
func FieldsOf(n *yamltree.Node) []yamltree.Field {
	if n == nil {
		return nil
	}
	return n.Fields
}

// Said is one setting of the project's files with its position. Trust lists such
// settings: those that reach beyond the project's sandbox (SPEC §3).
type Said struct {
	File string // "main.worker"
	Path string // dotted key path in File
	Key  string // the last key of the path: a stem, a header's name
	// Value is the value as JSON, or the bare text of a string.
	Value        string
	Line, Column int
}

// NewSaid returns what a file says at a value; path is the dotted path of its key, and key
// what Said.Key is for that path.
func NewSaid(n *yamltree.Node, path, key string) Said {
	value := n.Text
	if n.Kind != yamltree.Scalar || n.Tag != yamltree.TagText {
		raw, err := n.JSON()
		if err != nil {
			raw = []byte(fault.Of(err, fault.Config).Message)
		}
		value = string(raw)
	}
	return Said{File: n.Pos.File, Path: path, Key: key, Value: value, Line: n.Pos.Line, Column: n.Pos.Column}
}

// Lends reports whether a value of fs grants a module any files.
func Lends(fs *yamltree.Node) bool {
	return fs != nil && (fs.Flag() || fs.Kind == yamltree.Mapping)
}

// Directories is the grant of some directories to one tool module.
type Directories struct {
	Said
	Dirs map[string]sandbox.Mode // by virtual path
}

// Value is one effective setting of a worker and where it comes from (SPEC §3).
type Value struct {
	Path   string `json:"path"`  // "limits.turns"
	Value  string `json:"value"` // JSON if a file sets it
	Origin string `json:"origin"`
}

// Place splits an origin such as "main.worker:4" into the file and the line; the line
// is 0 if the origin has none.
func Place(origin string) (file string, line int) {
	for i, r := range origin {
		if r != ':' {
			continue
		}
		digits := origin[i+1:]
		end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(digits)
		}
		if n, err := strconv.Atoi(digits[:end]); err == nil && (end == len(digits) || strings.ContainsRune(":,", rune(digits[end]))) {
			return origin[:i], n
		}
	}
	return origin, 0
}
