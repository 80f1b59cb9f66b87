package session

import (
	"encoding/base64"
	"io"
	"strings"

	"golem/core/run"

	"golem/cmd/cli/console"
)

// maxClip is the longest text that goes to the clipboard of a terminal, in bytes.
// Terminals drop sequences above about 100,000 characters (hterm, the strictest one).
const maxClip = 74_000

// clipSequence returns the sequence that puts a text into the clipboard of the terminal
// (OSC 52), which also works through ssh. The text is sent as base64, so that the
// terminal interprets none of its bytes. GNU screen passes a sequence on only if it is
// wrapped, in pieces; tmux understands it as it is.
func clipSequence(text, term string) string {
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if !strings.HasPrefix(term, "screen") {
		return seq
	}
	const piece = 512 // of the 768 bytes that screen takes at once
	var b strings.Builder
	for len(seq) > 0 {
		n := min(piece, len(seq))
		b.WriteString("\x1bP" + seq[:n] + "\x1b\\")
		seq = seq[n:]
	}
	return b.String()
}

// copy puts the last answer, or its last code block, into the clipboard. If standard
// error is not a terminal, it returns the text to show instead.
func (c *chatCommands) copy(s *run.Session, what string) (string, error) {
	text, name := s.Answer(), "the answer"
	switch what {
	case "":
	case "code":
		text, name = lastCode(text), "the code block"
	default:
		return "", console.Usage("/copy does not take %s", what).Hinting("/copy copies the last answer, /copy code its last code block")
	}
	if strings.TrimSpace(text) == "" {
		return "", console.Usage("there is nothing to copy: the last answer has no text").Hinting("/copy code needs a block between lines of ```")
	}
	h := c.console
	switch {
	case !h.Escapes(h.Err):
		return text, nil
	case len(text) > maxClip:
		return "", console.Usage("%s has %d bytes, and a terminal's clipboard takes %d", name, len(text), maxClip).Hinting("/export FILE writes the conversation to a file")
	}
	h.Beside(func() { io.WriteString(h.Err, clipSequence(text, h.Env["TERM"])) })
	return name + " is in the clipboard, if your terminal allows it (OSC 52)", nil
}

// lastCode returns the last fenced code block of a Markdown text, without its fences;
// "" if there is none.
func lastCode(text string) string {
	var block []string
	last, fence := "", ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fence, block = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))], nil
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "":
			last, fence = strings.Join(block, ""), ""
		case fence != "":
			block = append(block, line)
		}
	}
	return last
}
