package web

import "strings"

// maxAddress is the longest address that is shown, in bytes.
const maxAddress = 2000

// address returns an address as an absolute one. It returns "" for an address within the
// same page, one with a scheme other than http, https and mailto, and one that is too long.
func (w *writer) address(raw string) string {
	raw = strings.TrimSpace(raw)
	if raw == "" || raw[0] == '#' || w.base == nil || len(raw) > maxAddress || w.sent > maxText {
		return ""
	}
	u, err := w.base.Parse(strings.Join(strings.Fields(raw), " "))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" {
		return ""
	}
	u.User = nil
	out := asURL.Replace(u.String())
	if w.sent += len(out); len(out) > maxAddress {
		return ""
	}
	return out
}
