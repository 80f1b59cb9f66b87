package ui

import "strings"

// Others are what a person can choose at a question beside its answers.
type Others struct {
	Keys []OtherKey
	Hint string // the line above the keys, instead of the usual one
}

// OtherKey is one of Others.
type OtherKey struct {
	Words []string // what a person types: "b", "back"; "" is Enter alone
	Label string   // in the line of keys: "[b]ack"
	Means string   // in the list of keys
}

// Other is the error of Questions.Approve for a choice that is not an answer: its first word.
type Other string

// Error returns the word.
func (o Other) Error() string { return string(o) }

// chosen returns which of the keys a line is.
func (o Others) chosen(line string) (Other, bool) {
	for _, k := range o.Keys {
		if asks(line, k.Words...) {
			return Other(k.Words[0]), true
		}
	}
	return "", false
}

// help returns one line for each key.
func (o Others) help() string {
	var b strings.Builder
	for _, k := range o.Keys {
		b.WriteString("  " + k.Words[0] + ": " + k.Means + "\n")
	}
	return b.String()
}
