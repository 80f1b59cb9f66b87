package tool

import "testing"

func TestMediaType(t *testing.T) {
	for start, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "RIFF\x00\x00\x00\x00WEBPVP": "image/webp",
		"%PDF-1.4": "application/pdf", "PK\x03\x04": "application/zip", "plain": "text/plain", `{"a": 1}`: "text/plain", "": "text/plain",
		"<svg xmlns='http://www.w3.org/2000/svg'/>": "text/plain", "\x00\x01\x02": "application/octet-stream",
	} {
		if got := MediaType([]byte(start)); got != want {
			t.Errorf("%q is %s, want %s", start, got, want)
		}
	}
}
