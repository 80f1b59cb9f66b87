package batch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golem/core/fault"
)

// Bounds of names, in bytes.
const (
	mostName = 64 // of an item's directory and of a batch
	mostKey  = 1 << 10
	kept     = 40 // bytes of a key that is no name itself
)

// IsName reports whether a text is the name of a directory and of a subject as it stands:
// [a-z0-9_-]{1,64}.
func IsName(s string) bool {
	return s != "" && len(s) <= mostName && strings.TrimFunc(s, nameRune) == ""
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// DirName returns the directory of a key: the key itself where it is a name, else its first 40
// such characters, a hyphen, and 16 hex digits of its SHA-256 (SPEC §19).
func DirName(key string) string {
	if IsName(key) {
		return key
	}
	var b strings.Builder
	for _, r := range key {
		if nameRune(r) && b.Len() < kept {
			b.WriteRune(r)
		}
	}
	return b.String() + "-" + sum([]byte(key))[:16]
}

// NameOf returns the usual name of a batch: the project's name, and digits that the pack, the
// entry and the path of the inputs determine.
func NameOf(project, pack, entry, inputs string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(project) {
		if nameRune(r) && b.Len() < kept {
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		b.WriteString("batch")
	}
	digits := DirName("\x00" + pack + entry + "\x00" + inputs)
	return b.String() + "-" + digits[len(digits)-10:]
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// Keys gives the inputs of a batch their keys, and finds those that are there twice.
type Keys struct {
	Field string // whose value is the key; "": the SHA-256 of the input
	lines map[string]int
	seen  map[string]int // by digest: how often
}

// Item returns the item of the next input. Two inputs with one key, or with keys that have one
// directory, are E_USAGE naming both lines.
func (k *Keys) Item(n int, in Input) (Item, error) {
	if k.lines == nil {
		k.lines, k.seen = map[string]int{}, map[string]int{}
	}
	item := Item{N: n, Input: in, Digest: in.digest()}
	if k.Field == "" {
		item.Key = item.Digest
		if k.seen[item.Digest]++; k.seen[item.Digest] > 1 {
			item.Key += "-" + strconv.Itoa(k.seen[item.Digest])
		}
	} else {
		key, err := in.field(k.Field)
		if err != nil {
			return item, err
		}
		item.Key = key
	}
	dir := item.Dir()
	if before, there := k.lines[dir]; there {
		return item, fault.New(fault.Usage, "%s and %s have the same key %s", placeOf(before, in), in.place(), fault.Quoted(item.Key)).
			Hinting("an item's key names its result and its directory: choose a field of --key whose values differ, or leave --key out")
	}
	k.lines[dir] = in.Line
	return item, nil
}

// field returns the value of a field as a key.
func (in Input) field(name string) (string, error) {
	if in.File != "" && name == "file" {
		return in.File, nil
	}
	var object map[string]json.RawMessage
	if len(in.JSON) == 0 || json.Unmarshal(in.JSON, &object) != nil {
		return "", fault.New(fault.Usage, "%s is not an object, so it has no field %s for --key", in.place(), fault.Quoted(name)).Hinting("leave --key out: the key is then the SHA-256 of the input")
	}
	raw, there := object[name]
	if !there {
		return "", fault.New(fault.Usage, "%s has no field %s for --key", in.place(), fault.Quoted(name)).Hinting("%s", fault.DidYouMean(name, fieldsOf(object)))
	}
	key := string(bytes.TrimSpace(raw))
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil && key != "null":
		key = text
	case key == "null" || key[0] == '{' || key[0] == '[':
		return "", fault.New(fault.Usage, "%s: the field %s is neither a text nor a number, so it cannot be a key", in.place(), fault.Quoted(name))
	}
	switch {
	case strings.TrimSpace(key) == "":
		return "", fault.New(fault.Usage, "%s: the field %s is empty, so it cannot be a key", in.place(), fault.Quoted(name))
	case len(key) > mostKey:
		return "", fault.New(fault.Usage, "%s: the field %s has %d bytes, and a key has at most %d", in.place(), fault.Quoted(name), len(key), mostKey)
	}
	return key, nil
}

// mostFields is how many fields of an input are named.
const mostFields = 20

// fieldsOf returns the names of an object's fields, sorted and short.
func fieldsOf(object map[string]json.RawMessage) (names []string) {
	for name := range object {
		names = append(names, fault.Brief(name))
	}
	slices.Sort(names)
	return names[:min(len(names), mostFields)]
}

func (in Input) place() string { return placeOf(in.Line, in) }

// placeOf returns where an input of the same kind is, for messages.
func placeOf(line int, in Input) string {
	if in.File != "" {
		return fmt.Sprintf("file %d", line)
	}
	return fmt.Sprintf("line %d", line)
}
