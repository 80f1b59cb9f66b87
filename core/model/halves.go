package model

import (
	"encoding/json"
	"strconv"
)

// halves joins the halves of a character that a provider has split over two pieces of a
// stream, as the two escapes of a surrogate pair. Each piece by itself would decode to
// U+FFFD. The zero value is ready.
type halves struct {
	first string // the escape of the first half, which the next piece completes
}

// join returns a piece, a JSON string, with the half that the piece before ended with,
// and keeps the half that it ends with. Other JSON values pass as they are.
func (h *halves) join(raw json.RawMessage) json.RawMessage {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return raw
	}
	body := string(raw[1 : len(raw)-1])
	if body == "" || h.first == "" && !firstHalfAt(body, len(body)-6) {
		return raw
	}
	body, h.first = h.first+body, ""
	if at := len(body) - 6; firstHalfAt(body, at) {
		body, h.first = body[:at], body[at:]
	}
	return json.RawMessage(`"` + body + `"`)
}

// firstHalfAt reports whether the escape of the first half of a pair is at an offset of the
// inside of a JSON string.
func firstHalfAt(body string, at int) bool {
	if at < 0 || body[at] != '\\' || body[at+1] != 'u' {
		return false
	}
	for i := at - 1; i >= 0 && body[i] == '\\'; i-- { // an even number of backslashes before it
		if i--; i < 0 || body[i] != '\\' {
			return false
		}
	}
	n, err := strconv.ParseUint(body[at+2:at+6], 16, 16)
	return err == nil && n >= 0xd800 && n < 0xdc00
}
