package model

import (
	"fmt"
	"slices"
	"strings"
)

// The digests of lines in recordings for tests: enough to find a line that differs, no more.
const (
	lineDigest = 4    // hexadecimal digits of the digest of a line
	maxLines   = 1000 // of a message
)

// linesOf returns the digests of the lines of a text, one after the other.
func linesOf(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if n++; n > maxLines {
			break
		}
		b.WriteString(sum([]byte(line))[:lineDigest])
	}
	return b.String()
}

// linesOfAll returns the digests of the lines of each message; nil if all have one line.
func linesOfAll(messages []askedMessage) []string {
	if !slices.ContainsFunc(messages, func(m askedMessage) bool { return strings.Contains(m.Text, "\n") }) {
		return nil
	}
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = linesOf(m.Text)
	}
	return out
}

// difference returns where a text is not as in the recording, whose digests of lines are was, and
// the first line that differs; it returns "" if that is not known.
func difference(text, was string) (where, line string) {
	if was == "" {
		return "", ""
	}
	all := strings.Split(text, "\n")
	now := linesOf(text)
	for n := range min(len(all), maxLines) {
		at := n * lineDigest
		if at+lineDigest > len(was) || now[at:at+lineDigest] != was[at:at+lineDigest] {
			return fmt.Sprintf("in line %d", n+1), all[n]
		}
	}
	if len(was) > len(now) {
		return fmt.Sprintf("which has more lines after line %d", len(all)), ""
	}
	return "", "" // the same text: its calls or attachments differ, or it goes on beyond maxLines
}
