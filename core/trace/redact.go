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
	"unicode"
	"unicode/utf8"

	"golem/core/sorting"
)

// Redacted replaces a secret.
const Redacted = "[redacted]"

// MinSecret is the shortest value, in bytes, that counts as a secret: replacing
// shorter strings would damage ordinary text. For the same reason, a value
// shorter than minEmbedded is replaced only if it is a word of its own.
const (
	MinSecret   = 6
	minEmbedded = 16
)

// minBeginning is the shortest end of a text, in bytes, that is left out because a secret
// could begin there. Some form of some secret begins with almost every letter.
const minBeginning = 4

// Redactor removes secrets from everything that leaves golem: known values
// wherever they appear, also in their JSON, base64 and URL forms, and the
// values of arguments whose name says that they are secret (SECURITY 16). It
// never changes and is safe for concurrent use.
type Redactor struct {
	forms []string    // all forms of the known values, longest first
	first [256][]form // the same by first byte, longest first
	names bool        // fields whose names look secret lose their values, too
}

// form is one way in which a secret can be written.
type form struct {
	text string
	word bool // replaced only where it is a word of its own
}

// NewRedactor returns a redactor for known secret values. White space around a
// value is removed. Values shorter than 6 bytes are ignored; values shorter
// than 16 bytes are replaced only where they are a word of their own.
func NewRedactor(secrets []string) *Redactor {
	r := &Redactor{names: true}
	words := map[string]bool{} // form → whether it must be a word of its own
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) < MinSecret {
			continue
		}
		for _, f := range secretForms(s) {
			word, known := words[f.text]
			words[f.text] = f.word && (word || !known)
		}
	}
	// The longest form comes first, so that a secret that contains another one
	// is replaced as a whole.
	r.forms = slices.Collect(maps.Keys(words))
	sorting.By(r.forms, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	for _, text := range r.forms {
		r.first[text[0]] = append(r.first[text[0]], form{text, words[text]})
	}
	return r
}

// OnlyValues returns a redactor for the same values that ignores the names of fields. It
// is for what a model reads: there the name of a field does not make its value secret.
func (r *Redactor) OnlyValues() *Redactor {
	out := *r
	out.names = false
	return &out
}

// secretForms returns the forms of a secret: unchanged, in JSON,
// percent-encoded, and in base64 at each of the three positions that it can
// have in longer data.
func secretForms(s string) []form {
	texts := []string{s, url.QueryEscape(s), url.PathEscape(s)}
	for _, html := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(html)
		if enc.Encode(s) == nil {
			quoted := strings.TrimSpace(b.String())
			texts = append(texts, quoted[1:len(quoted)-1])
		}
	}
	var forms []form
	for _, text := range texts {
		forms = append(forms, form{text, len(s) < minEmbedded})
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			// Use only the base64 characters that depend on the secret alone.
			data := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + s))
			from := (shift*8 + 5) / 6
			to := (shift + len(s)) * 8 / 6
			if to-from >= 8 {
				forms = append(forms, form{text: data[from:to]})
			}
		}
	}
	return forms
}

// String replaces known secrets in text.
func (r *Redactor) String(s string) string {
	if r == nil || !r.holds(s) {
		return s
	}
	out, _ := r.scan("", s, false)
	return out
}

// Beginning replaces known secrets in the beginning of a longer text. An end of minBeginning
// bytes or more that could be the beginning of a secret is left out.
func (r *Redactor) Beginning(text string) string {
	if r == nil {
		return text
	}
	return r.broken("", text)
}

// broken is scan for a text that has no end.
func (r *Redactor) broken(before, text string) string {
	out, rest := r.scan(before, text, true)
	if len(rest) < minBeginning {
		out += rest
	}
	return out
}

// scan replaces known secrets in text. before is the end of the text that came
// earlier. With more, it returns as rest the end of the text that could be the
// beginning of a secret.
func (r *Redactor) scan(before, text string, more bool) (out, rest string) {
	var b strings.Builder
	all := before + text
	from := len(before) // beginning of the part that is not in b yet
	for i := from; i < len(all); {
		size, wait := r.secretAt(all, i, more)
		switch {
		case wait:
			b.WriteString(all[from:i])
			return b.String(), all[i:]
		case size == 0:
			i++
		default:
			b.WriteString(all[from:i])
			b.WriteString(Redacted)
			i += size
			from = i
		}
	}
	b.WriteString(all[from:])
	return b.String(), ""
}

// secretAt returns the length of the secret that begins at text[i], or 0. wait means
// that this depends on text that is still to come.
func (r *Redactor) secretAt(text string, i int, more bool) (size int, wait bool) {
	for _, f := range r.first[text[i]] {
		whole := strings.HasPrefix(text[i:], f.text)
		if !whole && !(more && strings.HasPrefix(f.text, text[i:])) || f.word && !wordBegins(text, i) {
			continue
		}
		if !whole {
			return 0, true
		}
		end := i + len(f.text)
		if f.word && more && !utf8.FullRuneInString(text[end:]) {
			return 0, true // a letter may follow
		}
		if !f.word || wordEnds(text, end) {
			return len(f.text), false
		}
	}
	return 0, false
}

// wordBegins reports whether a word can begin at text[i]: there is no letter or
// digit before it, except as the end of an escape (\n, \u000a, %20).
func wordBegins(text string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:i])
	if i == 0 || !wordRune(r) {
		return true
	}
	return i >= 2 && text[i-2] == '\\' || i >= 3 && text[i-3] == '%' || i >= 6 && text[i-6:i-4] == `\u`
}

func wordEnds(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return i == len(text) || !wordRune(r)
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// context is how many bytes before a position wordBegins looks at.
const context = 6

// holds reports quickly whether the text may contain a secret; most texts do
// not.
func (r *Redactor) holds(s string) bool {
	return slices.ContainsFunc(r.forms, func(form string) bool { return strings.Contains(s, form) })
}

// Bytes replaces known secrets in data, as String does. If the data is JSON, it
// also replaces values whose name looks secret.
func (r *Redactor) Bytes(data []byte) []byte {
	if r == nil {
		return data
	}
	if json.Valid(data) {
		return r.JSON(data)
	}
	return []byte(r.String(string(data)))
}

// JSON replaces known secrets in valid JSON, and the complete value of each
// field whose name looks secret, at any depth and also in JSON that is stored
// as a string. The order and the spelling of everything else stay. Data that is
// not JSON is treated as text.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage {
	if r == nil || len(raw) == 0 {
		return raw
	}
	if !json.Valid(raw) {
		return json.RawMessage(r.String(string(raw)))
	}
	return r.appendValue(nil, raw, 0)
}

// Line does the same as JSON for a value that is known to be valid, such as one that was
// just encoded.
func (r *Redactor) Line(raw []byte) []byte {
	if r == nil {
		return raw
	}
	return r.appendValue(make([]byte, 0, len(raw)+len(raw)/16), raw, 0)
}

// maxNested is how many levels of JSON inside JSON strings are searched.
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
			if r.names && SecretName(name) {
				if end = valueEnd(src, value); canBeSecret(src[value:end]) {
					dst = append(dst, `"`+Redacted+`"`...)
					i = end
				}
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
			from := i
			for i++; i < len(src) && src[i] != '"' && src[i] != '-' && (src[i] < '0' || src[i] > '9'); i++ {
			}
			dst = append(dst, src[from:i]...)
		}
	}
	return dst
}

// appendString appends a JSON string with its secrets replaced.
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

// harmless reports whether a string certainly contains no secret, without
// decoding it: it has no JSON in it and no known form occurs in it. This is
// true for most strings.
func (r *Redactor) harmless(raw []byte) bool {
	first := bytes.TrimLeft(raw, `" \ntr`)
	if len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return false
	}
	if bytes.IndexByte(raw, '\\') >= 0 {
		for _, odd := range []string{`\u`, `\/`, `\b`, `\f`, `\\`} {
			if bytes.Contains(raw, []byte(odd)) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(r.forms, func(form string) bool { return bytes.Contains(raw, []byte(form)) })
}

// appendText appends raw or, if the text changed, its new form.
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

// canBeSecret reports whether a value can be a secret: null, a boolean and an empty
// string cannot.
func canBeSecret(v []byte) bool {
	switch string(v) {
	case "", "null", "true", "false", `""`:
		return false
	}
	return true
}

// KeyVariable reports whether an environment variable holds a key, judging by
// its name. golem's own variables never do.
func KeyVariable(name string) bool {
	name = strings.ToUpper(name)
	if strings.HasPrefix(name, "GOLEM_") || strings.HasPrefix(name, "LLM_DO_") {
		return false
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")
}

// secretWords make a name secret if it contains one of them.
var secretWords = []string{
	"password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "signingkey",
	"encryptionkey", "authorization", "credential", "bearer", "setcookie",
}

// SecretName reports whether the name of an argument says that its value is
// secret. Case and punctuation do not matter: api_key, apiKey and API-Key are
// the same.
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
