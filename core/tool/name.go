package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the length of a tool name that every provider accepts, in bytes.
const maxName = 64

// ValidName reports whether providers accept name as the name of a tool.
func ValidName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !nameRune(r) }) < 0
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// ToolName returns the name under which models call the worker id (SPEC §5):
// every character outside [A-Za-z0-9_-] becomes "__". Beyond 64 bytes the end
// is replaced by a hash of the ID, so that it stays unique.
// For several workers use ToolNames, which also settles collisions.
func ToolName(id string) string {
	name := plainName(id)
	if len(name) > maxName {
		return hashedName(name, id, 8)
	}
	return name
}

func plainName(id string) string {
	var b strings.Builder
	for _, r := range id {
		if nameRune(r) {
			b.WriteRune(r)
		} else {
			b.WriteString("__")
		}
	}
	if b.Len() == 0 {
		return "__"
	}
	return b.String()
}

// hashedName returns name with "_" and n hexadecimal digits of the ID's SHA-256 at the
// end. It shortens name so that the result has at most maxName bytes.
func hashedName(name, id string, n int) string {
	sum := sha256.Sum256([]byte(id))
	suffix := "_" + hex.EncodeToString(sum[:])[:n]
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// ToolNames returns the tool name of each ID, in order. IDs whose names would
// be equal ("a/b" and "a__b") all get a hash suffix, except an ID that equals its
// tool name. The result does not depend on the order of the IDs; an ID that
// occurs twice gets the same name twice.
func ToolNames(ids []string) []string {
	owners := map[string]map[string]bool{} // name → the IDs that want it
	for _, id := range ids {
		name := ToolName(id)
		if owners[name] == nil {
			owners[name] = map[string]bool{}
		}
		owners[name][id] = true
	}
	out := make([]string, len(ids))
	for i, id := range ids {
		name := ToolName(id)
		for n := 8; name != id && len(owners[name]) > 1 || taken(owners, name, id); n += 8 {
			name = hashedName(plainName(id), id, min(n, 48))
			if n > 48 {
				break
			}
		}
		out[i] = name
	}
	return out
}

// taken reports whether another ID wants name and this one does not.
func taken(owners map[string]map[string]bool, name, id string) bool {
	return len(owners[name]) > 0 && !owners[name][id]
}
