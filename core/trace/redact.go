package trace

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// minSecret is the length below which a value is no secret: replacing short
// strings would break ordinary text.
const minSecret = 6

// Redactor takes secrets out of whatever leaves golem: known values wherever
// they appear, in the forms they take in JSON, base64 and URLs, and the
// values of arguments whose name says that they are secret (SECURITY 16). It
// is immutable and may be shared.
type Redactor struct {
	known *strings.Replacer // nil: no known values
	plain []string          // the known values as they are
	forms []string          // all spellings of them, longest first
}

// NewRedactor makes a redactor for known secret values. Values under six
// bytes, with white space around them cut off, are ignored.
func NewRedactor(secrets []string) *Redactor {
	r := &Redactor{}
	set := map[string]bool{}
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) >= minSecret {
			r.plain = append(r.plain, s)
			for _, form := range secretForms(s) {
				set[form] = true
			}
		}
	}
	if len(set) == 0 {
		return r
	}
	// The longest first: a secret that contains another goes whole.
	r.forms = slices.SortedFunc(maps.Keys(set), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(r.forms))
	for _, form := range r.forms {
		pairs = append(pairs, form, Redacted)
	}
	r.known = strings.NewReplacer(pairs...)
	return r
}

// secretForms are the spellings of a secret: as it is, in JSON, percent-encoded,
// and in base64 at each of the three places it can have in longer data.
func secretForms(s string) []string {
	forms := []string{s, url.QueryEscape(s), url.PathEscape(s)}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if enc.Encode(s) == nil {
			quoted := strings.TrimSpace(b.String())
			forms = append(forms, quoted[1:len(quoted)-1])
		}
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			// Only the characters that depend on the secret alone.
			data := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + s))
			from := (shift*8 + 5) / 6
			to := (shift + len(s)) * 8 / 6
			if to-from >= 8 {
				forms = append(forms, data[from:to])
			}
		}
	}
	return forms
}

// String replaces known secrets in text.
func (r *Redactor) String(s string) string {
	if r == nil || r.known == nil || !r.holds(s) {
		return s
	}
	return r.known.Replace(s)
}

// holds looks for the secrets the fast way; most text has none.
func (r *Redactor) holds(s string) bool {
	return slices.ContainsFunc(r.forms, func(form string) bool { return strings.Contains(s, form) })
}

// Bytes replaces known secrets in data, as String does, and secret-looking
// values too if the data is JSON.
func (r *Redactor) Bytes(data []byte) []byte {
	if r == nil {
		return data
	}
	if json.Valid(data) {
		return r.JSON(data)
	}
	return []byte(r.String(string(data)))
}

// JSON replaces known secrets in valid JSON, and the whole value of each
// field whose name looks secret, at any depth, also in JSON that is itself
// kept as a string. Order and spelling of all else stay. What is no JSON is
// treated as text.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage {
	if r == nil || len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return json.RawMessage(r.String(string(raw)))
	}
	return r.appendValue(nil, raw, 0)
}

// maxNested is how deep JSON within JSON strings is looked into.
const maxNested = 3

func (r *Redactor) appendValue(dst, src []byte, nested int) []byte {
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			end := stringEnd(src, i)
			if !isKey(src, end) {
				dst = r.appendString(dst, src[i:end], nested)
				i = end
				continue
			}
			name := unquote(src[i:end])
			dst = appendText(dst, src[i:end], name, r.String(name))
			value := space(src, space(src, end)+1)
			dst = append(dst, src[end:value]...)
			i = value
			if end = valueEnd(src, value); SecretName(name) && tells(src[value:end]) {
				dst = append(dst, `"`+Redacted+`"`...)
				i = end
			}
		case c == '-' || c >= '0' && c <= '9':
			end := valueEnd(src, i)
			if number := string(src[i:end]); r.String(number) != number {
				dst = append(dst, `"`+Redacted+`"`...)
			} else {
				dst = append(dst, number...)
			}
			i = end
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// appendString appends a JSON string without its secrets.
func (r *Redactor) appendString(dst, raw []byte, nested int) []byte {
	if r.harmless(raw) {
		return append(dst, raw...)
	}
	text := unquote(raw)
	inner := strings.TrimLeft(text, " \t\r\n")
	if nested < maxNested && inner != "" && (inner[0] == '{' || inner[0] == '[') && json.Valid([]byte(text)) {
		return appendText(dst, raw, text, string(r.appendValue(nil, []byte(text), nested+1)))
	}
	return appendText(dst, raw, text, r.String(text))
}

// harmless is true for most strings, without reading them: they hold no
// JSON, each of their characters has the one spelling that the known forms
// have too, and none of these occurs.
func (r *Redactor) harmless(raw []byte) bool {
	first := bytes.TrimLeft(raw, `" \ntr`)
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return false
	}
	for _, odd := range []string{`\u`, `\/`, `\b`, `\f`} {
		if bytes.Contains(raw, []byte(odd)) {
			return false
		}
	}
	return !slices.ContainsFunc(r.forms, func(form string) bool { return bytes.Contains(raw, []byte(form)) })
}

// appendText appends raw, or, if the text changed, its new spelling.
func appendText(dst, raw []byte, before, after string) []byte {
	if before == after {
		return append(dst, raw...)
	}
	data, err := json.Marshal(after)
	if err != nil { // unreachable: a string always encodes
		return append(dst, `"`+Redacted+`"`...)
	}
	return append(dst, data...)
}

// tells says whether a value can hold a secret: null, a boolean and an empty
// string cannot.
func tells(v []byte) bool {
	switch string(v) {
	case "", "null", "true", "false", `""`:
		return false
	}
	return true
}

// secretWords make a name secret wherever they stand in it.
var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "signingkey",
	"encryptionkey", "authorization", "credential", "bearer", "setcookie",
}

// SecretName says whether an argument's name announces a secret. Case and
// punctuation do not matter: api_key, apiKey and API-Key are one.
func SecretName(name string) bool {
	if len(name) > 256 {
		name = name[:256]
	}
	plain := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return -1
	}, name)
	switch plain {
	case "auth", "cookie", "pin", "otp", "passcode", "jwt":
		return true
	}
	if strings.HasSuffix(plain, "token") {
		return true
	}
	return slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(plain, w) })
}
