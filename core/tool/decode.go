package tool

import (
	"bytes"
	"encoding/json"

	"golem/core/fault"
)

// Limits for the arguments of one call (SPEC §7, S0-35).
const (
	MaxArgs  = 16 << 20 // bytes: a file that a tool writes is one argument
	MaxDepth = 64       // nested arrays and objects
)

// canonicalDepth bounds Canonical, which also serves whole requests: a
// schema inside a tool inside a request nests deeper than arguments may.
const canonicalDepth = 512

// Decode parses a value by the rules for the arguments of a call, see Arguments. It
// accepts exactly one JSON value in UTF-8, of at most MaxArgs bytes and MaxDepth levels,
// in which no object has a key twice, also not with different case. No bytes at all mean
// {}, because providers send that for a tool without parameters.
//
// The result is compact and normalised as in RFC 8785, except that keys keep
// their order, so Canonical never fails on it: each string has one spelling,
// decimals are rounded to the nearest double, and integers beyond 2^53
// keep every digit. Errors are E_TOOL_INPUT with byte, line and column, or
// E_LIMIT if raw has too many bytes. They do not name the value: the caller does.
func Decode(raw []byte) (json.RawMessage, error) {
	if len(raw) > MaxArgs {
		return nil, fault.New(fault.Limit, "it has %d bytes; at most %d are allowed", len(raw), MaxArgs)
	}
	if len(bytes.Trim(raw, blanks)) == 0 {
		return json.RawMessage("{}"), nil
	}
	s := scanner{in: raw, maxDepth: MaxDepth, fold: true}
	if err := s.document(); err != nil {
		return nil, fault.New(fault.ToolInput, "%w", err)
	}
	return s.out, nil
}

// blanks are the bytes that JSON allows around a value.
const blanks = " \t\r\n"

// Canonical returns JSON in the form of RFC 8785: keys sorted, one spelling for
// each string and number, no white space. It rejects what has no single
// meaning: duplicate keys, half surrogate pairs, bytes that are not UTF-8. It
// differs from the RFC in one point, so that two numbers never become the same:
// an integer that a double cannot hold is written with all its digits, and a
// decimal beyond 2^53 that a double cannot distinguish from its neighbours is
// an error. It does not limit the size of raw.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	s := scanner{in: raw, maxDepth: canonicalDepth, sort: true}
	if err := s.document(); err != nil {
		return nil, fault.New(fault.ToolInput, "not valid JSON: %w", err)
	}
	return s.out, nil
}
