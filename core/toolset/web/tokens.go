package web

import (
	"strconv"
	"strings"
	"sync"
)

// token is a tag or a text of a page.
type token struct {
	tag  string // in lower case; "": a text
	end  bool
	attr map[string]string
	text string
}

// tokens splits a page into tags and texts, as browsers do. It does not use x/net/html,
// whose table of entities adds 40 kB to golem.wasm (gzip). Comments, declarations and the
// content of scripts are left out.
type tokens struct {
	rest string
	raw  string // the element that was just opened and contains only text, up to its end tag
}

var rawText = words("script style textarea title xmp iframe noembed noframes noscript plaintext")

// next returns the next token; ok is false at the end.
func (t *tokens) next() (tok token, ok bool) {
	if t.raw != "" {
		name := t.raw
		t.raw = ""
		if at := endOf(t.rest, name); at > 0 {
			text := t.rest[:at]
			t.rest = t.rest[at:]
			if name != "title" {
				return token{text: ""}, true
			}
			return token{text: unescape(text)}, true
		}
	}
	for t.rest != "" {
		if t.rest[0] != '<' || len(t.rest) == 1 {
			return t.words(0), true
		}
		switch c := t.rest[1]; {
		case strings.HasPrefix(t.rest, "<!--"):
			t.comment()
		case letter(c):
			tok := t.tag(1)
			if rawText[tok.tag] {
				t.raw = tok.tag
			}
			return tok, true
		case c == '/' && len(t.rest) > 2 && letter(t.rest[2]):
			tok := t.tag(2)
			tok.end = true
			return tok, true
		case c == '!' || c == '?' || c == '/':
			t.skip(strings.IndexByte(t.rest, '>') + 1)
		default:
			return t.words(1), true
		}
	}
	return token{}, false
}

// skip drops n bytes, or the rest if n is 0.
func (t *tokens) skip(n int) {
	if n <= 0 {
		n = len(t.rest)
	}
	t.rest = t.rest[n:]
}

// comment drops the comment at the beginning of rest.
func (t *tokens) comment() {
	for _, short := range []string{"<!-->", "<!--->"} {
		if strings.HasPrefix(t.rest, short) {
			t.skip(len(short))
			return
		}
	}
	for at := len("<!--"); ; at++ { // one pass: a search for each of the two ends could be quadratic
		next := strings.Index(t.rest[at:], "--")
		if next < 0 {
			t.skip(0)
			return
		}
		at += next
		for _, end := range []string{"-->", "--!>"} {
			if strings.HasPrefix(t.rest[at:], end) {
				t.skip(at + len(end))
				return
			}
		}
	}
}

// words returns the text up to the next < after the first from bytes.
func (t *tokens) words(from int) token {
	end := strings.IndexByte(t.rest[from:], '<')
	if end += from; end < from || end == 0 {
		end = len(t.rest)
	}
	text := t.rest[:end]
	t.rest = t.rest[end:]
	return token{text: unescape(text)}
}

// tag reads a tag whose name begins at from.
func (t *tokens) tag(from int) token {
	s := t.rest
	i := from
	for i < len(s) && !space(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	tok := token{tag: strings.ToLower(s[from:i]), attr: map[string]string{}}
	for i < len(s) && s[i] != '>' {
		if space(s[i]) || s[i] == '/' {
			i++
			continue
		}
		begin := i
		for i++; i < len(s) && !space(s[i]) && s[i] != '/' && s[i] != '>' && s[i] != '='; i++ {
		}
		name, value := strings.ToLower(s[begin:i]), ""
		at := i
		for at < len(s) && space(s[at]) {
			at++
		}
		if at < len(s) && s[at] == '=' {
			value, i = attribute(s, at+1)
		}
		if _, twice := tok.attr[name]; !twice && len(tok.attr) < 100 {
			tok.attr[name] = unescape(value)
		}
	}
	t.rest = s[min(i+1, len(s)):]
	return tok
}

// attribute reads the value of an attribute from s[i] on, and returns the index after it.
func attribute(s string, i int) (string, int) {
	for i < len(s) && space(s[i]) {
		i++
	}
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		end := strings.IndexByte(s[i+1:], s[i])
		if end < 0 {
			return s[i+1:], len(s)
		}
		return s[i+1 : i+1+end], i + end + 2
	}
	begin := i
	for i < len(s) && !space(s[i]) && s[i] != '>' {
		i++
	}
	return s[begin:i], i
}

// endOf returns the index of the end tag with this name, or the length of s if there is none.
func endOf(s, name string) int {
	for at := 0; ; {
		next := strings.Index(s[at:], "</")
		if next < 0 {
			return len(s)
		}
		at += next
		after := at + 2 + len(name)
		if after < len(s) && strings.EqualFold(s[at+2:after], name) && (space(s[after]) || s[after] == '/' || s[after] == '>') {
			return at
		}
		at += 2
	}
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// entities has the named character references that pages use; others are not replaced.
var entities = sync.OnceValue(func() map[string]string {
	out := map[string]string{"nbsp": " ", "ensp": " ", "emsp": " ", "thinsp": " ", "shy": "", "zwnj": "", "zwj": "", "lrm": "", "rlm": ""}
	f := strings.Fields(`amp & lt < gt > quot " apos ' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › bull • middot · sect § para ¶ deg ° plusmn ± times × divide ÷ minus − frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ micro µ euro € pound £ yen ¥ cent ¢ curren ¤ larr ← uarr ↑ rarr → darr ↓ harr ↔ rArr ⇒ hArr ⇔ le ≤ ge ≥ ne ≠ asymp ≈ equiv ≡ infin ∞ radic √ sum ∑ prod ∏ int ∫ part ∂ nabla ∇ isin ∈ notin ∉ cap ∩ cup ∪ sub ⊂ sup ⊃ empty ∅ forall ∀ exist ∃ and ∧ or ∨ not ¬ iexcl ¡ iquest ¿ ordf ª ordm º dagger † Dagger ‡ permil ‰ prime ′ Prime ″ tilde ˜ circ ˆ lang ⟨ rang ⟩ check ✓ star ☆ hearts ♥
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω
Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í Icirc Î Iuml Ï ETH Ð Ntilde Ñ Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö Oslash Ø Ugrave Ù Uacute Ú Ucirc Û Uuml Ü Yacute Ý THORN Þ szlig ß agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï eth ð ntilde ñ ograve ò oacute ó ocirc ô otilde õ ouml ö oslash ø ugrave ù uacute ú ucirc û uuml ü yacute ý thorn þ yuml ÿ OElig Œ oelig œ Scaron Š scaron š
lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) num # excl ! dollar $ percnt % ast * plus + comma , period . sol / bsol \ colon : semi ; equals = quest ? commat @ lowbar _ grave ` + "`" + ` vert | hyphen ‐ NewLine` + " \u240a " + `Tab` + " \u2409")
	for i := 0; i+1 < len(f); i += 2 {
		out[f[i]] = f[i+1]
	}
	out["NewLine"], out["Tab"] = "\n", "\t"
	return out
})

// unescape replaces character references.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := 0
		for n < len(after) && n < 32 && (letter(after[n]) || after[n] >= '0' && after[n] <= '9' || n == 0 && after[n] == '#') {
			n++
		}
		text, ok := character(after[:n])
		if s = after; !ok {
			b.WriteByte('&')
			continue
		}
		b.WriteString(text)
		s = strings.TrimPrefix(after[n:], ";")
	}
}

// character returns the text for a character reference, given without & and ;.
func character(name string) (string, bool) {
	number, ok := strings.CutPrefix(name, "#")
	if !ok {
		text, known := entities()[name]
		return text, known
	}
	base := 10
	if strings.HasPrefix(strings.ToLower(number), "x") {
		number, base = number[1:], 16
	}
	r, err := strconv.ParseInt(number, base, 32)
	switch {
	case err != nil:
		return "", false
	case r >= 0x80 && r < 0xa0:
		r = int64(western[r-0x80])
	case r == 0:
		r = 0xfffd
	}
	return string(rune(r)), true
}
