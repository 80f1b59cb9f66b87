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
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// minSecret is the length below which a value is no secret: replacing short
// strings would break ordinary text. Below minEmbedded a secret counts only as
// a word of its own, for the same reason.
const (
	minSecret   = 6
	minEmbedded = 16
)

// Redactor takes secrets out of whatever leaves golem: known values wherever
// they appear, in the forms they take in JSON, base64 and URLs, and the
// values of arguments whose name says that they are secret (SECURITY 16). It
// is immutable and may be shared.
type Redactor struct {
	forms []string    // all spellings of the known values, longest first
	first [256][]form // by first byte, longest first
}

// form is one spelling of a secret.
type form struct {
	text string
	word bool // only as a word of its own
}

// NewRedactor makes a redactor for known secret values. Values under six
// bytes, with white space around them cut off, are ignored; those under 16 are
// replaced only where they stand alone, not within a longer word.
func NewRedactor(secrets []string) *Redactor {
	r := &Redactor{}
	words := map[string]bool{} // form → only as a word
	for _, s := range secrets {
		if s = strings.TrimSpace(s); len(s) < minSecret {
			continue
		}
		for _, f := range secretForms(s) {
			word, known := words[f.text]
			words[f.text] = f.word && (word || !known)
		}
	}
	// The longest first: a secret that contains another goes whole.
	r.forms = slices.SortedFunc(maps.Keys(words), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	for _, text := range r.forms {
		r.first[text[0]] = append(r.first[text[0]], form{text, words[text]})
	}
	return r
}

// secretForms are the spellings of a secret: as it is, in JSON, percent-encoded,
// and in base64 at each of the three places it can have in longer data.
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
			// Only the characters that depend on the secret alone.
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

// scan replaces known secrets in text, which before, the last bytes of what
// came earlier, precedes. If more is to come, it returns as rest the end of the
// text that may yet turn out to be a secret.
func (r *Redactor) scan(before, text string, more bool) (out, rest string) {
	var b strings.Builder
	all := before + text
	from := len(before) // of what is not in b yet
	for i := from; i < len(all); {
		size, wait := r.at(all, i, more)
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

// at is the size of the secret that begins at text[i], 0 if none does; wait
// says that only what comes next can tell.
func (r *Redactor) at(text string, i int, more bool) (size int, wait bool) {
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
			return 0, true // a letter may come
		}
		if !f.word || wordEnds(text, end) {
			return len(f.text), false
		}
	}
	return 0, false
}

// wordBegins says whether a word may begin at text[i]: no letter or digit
// stands before it, unless that ends an escape (\n, \u000a, %20).
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

// context is how many bytes before a text wordBegins looks at.
const context = 6

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

// KeyVariable says whether an environment variable holds a key, by its name;
// golem's own never do.
func KeyVariable(name string) bool {
	name = strings.ToUpper(name)
	if strings.HasPrefix(name, "GOLEM_") || strings.HasPrefix(name, "LLM_DO_") {
		return false
	}
	return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET")
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
