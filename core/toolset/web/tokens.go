package web

import (
	"strings"

	"golang.org/x/net/html"
)

// token is a tag or a text of a page.
type token struct {
	tag  string // in lower case; "": a text
	end  bool
	attr map[string]string
	text string
}

// tokens splits a page into tags and texts, as browsers do. Comments, declarations and the
// content of scripts are left out. The tree is not built by x/net/html: its time and memory
// for hostile pages are not bounded.
type tokens struct {
	in  *html.Tokenizer
	raw string // the element that was just opened, if its content is no HTML
}

// rawText are the elements whose content is text that is never shown, apart from the title.
var rawText = words("script style textarea title iframe noembed noframes")

// maxAttributes is how many attributes of a tag are read.
const maxAttributes = 100

func tokensOf(page string) *tokens {
	return &tokens{in: html.NewTokenizer(strings.NewReader(page))}
}

// next returns the next token; ok is false at the end.
func (t *tokens) next() (tok token, ok bool) {
	for {
		raw := t.raw
		t.raw = ""
		switch t.in.Next() {
		case html.ErrorToken:
			return token{}, false
		case html.TextToken:
			if raw != "" && raw != "title" {
				continue
			}
			return token{text: string(t.in.Text())}, true
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := t.tag()
			if rawText[tok.tag] {
				t.raw = tok.tag
			}
			return tok, true
		case html.EndTagToken:
			tok := t.tag()
			tok.end = true
			return tok, true
		}
	}
}

// tag returns the tag that the tokenizer has just read. Of two attributes with one name the
// first counts.
func (t *tokens) tag() token {
	name, more := t.in.TagName()
	tok := token{tag: string(name), attr: map[string]string{}}
	for n := 0; more && n < maxAttributes; n++ {
		var key, value []byte
		key, value, more = t.in.TagAttr()
		if _, twice := tok.attr[string(key)]; !twice {
			tok.attr[string(key)] = string(value)
		}
	}
	return tok
}
