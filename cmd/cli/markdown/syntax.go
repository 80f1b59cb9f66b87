package markdown

import (
	"strings"
	"sync"
	"unicode"

	"golem/core/ui"
)

// syntax describes how to colour a language's words, strings, comments and numbers.
// Colouring reads each character once and uses no regular expressions, so a hostile
// text cannot make it slow.
type syntax struct {
	line   []string    // marks that begin a comment up to the end of the line
	block  [][2]string // begin and end marks of comments and strings that may span lines
	quotes string      // characters that begin and end a string on one line
	words  map[string]bool
	fold   bool // words are compared without regard to case
	diff   bool
}

// languages returns the syntax of each language name. It is built when the first code
// block needs it.
var languages = sync.OnceValue(func() map[string]*syntax {
	words := func(s string) map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.Fields(s) {
			out[w] = true
		}
		return out
	}
	slashes := [][2]string{{"/*", "*/"}}
	c := "if else for while do switch case default break continue return sizeof static const struct union enum typedef void int char long short unsigned signed float double extern goto inline NULL true false bool "
	c += "class public private protected virtual namespace using template typename new delete this try catch throw auto override nullptr"
	java := "abstract boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new null package private protected public return short static super switch this throw throws true false try var void volatile while record sealed yield fun val when object companion data in is let override"
	js := "async await break case catch class const continue debugger default delete do else export extends finally for from function if import in instanceof let new null of return static super switch this throw true false try typeof undefined var void while with yield interface type enum implements readonly declare namespace as satisfies keyof string number boolean any never unknown public private"
	of := map[string]*syntax{
		"c cpp c++ h hpp cs csharp":               {line: []string{"//"}, block: slashes, quotes: `"'`, words: words(c)},
		"java kotlin kt scala swift":              {line: []string{"//"}, block: append([][2]string{{`"""`, `"""`}}, slashes...), quotes: `"'`, words: words(java)},
		"js javascript ts typescript jsx tsx mjs": {line: []string{"//"}, block: append([][2]string{{"`", "`"}}, slashes...), quotes: `"'`, words: words(js)},
		"go golang": {line: []string{"//"}, block: append([][2]string{{"`", "`"}}, slashes...), quotes: `"'`,
			words: words("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false iota any error string int bool byte rune float64 int64 make new len cap append")},
		"rust rs": {line: []string{"//"}, block: slashes, quotes: `"`,
			words: words("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while Some None Ok Err String str bool usize i32 i64 u8 u32 u64 Vec Option Result")},
		"python py": {line: []string{"#"}, block: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`,
			words: words("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self print")},
		"sh bash shell zsh console": {line: []string{"#"}, quotes: `"'`,
			words: words("if then else elif fi for while until do done case esac in function return local export set unset echo exit cd source true false")},
		"yaml yml toml ini conf dockerfile makefile make": {line: []string{"#"}, quotes: `"'`, words: words("true false null yes no on off FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR ARG EXPOSE")},
		"json jsonc json5": {line: []string{"//"}, quotes: `"`, words: words("true false null")},
		"sql": {line: []string{"--"}, block: slashes, quotes: `'"`, fold: true,
			words: words("select from where and or not insert into values update set delete create table drop alter add primary key foreign references join left right inner outer on group by order having limit offset as distinct union all null is in like between case when then else end index view with asc desc")},
		"ruby rb lua": {line: []string{"#", "--"}, quotes: `"'`,
			words: words("def end if elsif elseif else unless while until for in do return class module require include true false nil self then local function and or not begin rescue ensure yield break next repeat")},
		"html xml svg": {block: [][2]string{{"<!--", "-->"}}, quotes: `"'`},
		"css scss":     {block: slashes, quotes: `"'`},
		"diff patch":   {diff: true},
	}
	out := map[string]*syntax{}
	for names, s := range of {
		for _, n := range strings.Fields(names) {
			if s != nil {
				out[n] = s
			}
		}
	}
	return out
})

func syntaxOf(name string) *syntax {
	if name == "" {
		return nil
	}
	return languages()[name]
}

// spans colours one line. until is the end mark of a comment or string that an earlier
// line began, or "". spans also returns the value of until for the next line.
func (x *syntax) spans(s, until string) ([]span, string) {
	if x.diff {
		return []span{{s, string(ui.DiffStyle(s))}}, ""
	}
	var out []span
	plain := 0
	put := func(from, to int, style string) {
		if plain < from {
			out = append(out, span{s[plain:from], ""})
		}
		out = append(out, span{s[from:to], style})
		plain = to
	}
	for i := 0; i < len(s); {
		begin, style := i, stringStyle
		if until == "" {
			until, style, i = x.begins(s, i)
		} else if until == "*/" || until == "-->" {
			style = commentStyle
		}
		if until != "" {
			end := strings.Index(s[i:], until)
			if end < 0 {
				put(begin, len(s), style)
				return out, until
			}
			i += end + len(until)
			put(begin, i, style)
			until = ""
			continue
		}
		if i > begin {
			put(begin, i, style)
			continue
		}
		i = x.word(s, i, put)
	}
	if plain < len(s) {
		out = append(out, span{s[plain:], ""})
	}
	return out, ""
}

// begins checks whether a comment or string begins at i, and returns its style and the
// offset after its begin mark. If it may span lines, until is its end mark. A string or
// comment that ends on this line is skipped: next is the offset behind it and until is
// "".
func (x *syntax) begins(s string, i int) (until, style string, next int) {
	for _, b := range x.block {
		if strings.HasPrefix(s[i:], b[0]) {
			style = stringStyle
			if b[0] == "/*" || b[0] == "<!--" {
				style = commentStyle
			}
			return b[1], style, i + len(b[0])
		}
	}
	for _, l := range x.line {
		if strings.HasPrefix(s[i:], l) && (l != "#" || i == 0 || s[i-1] == ' ') {
			return "", commentStyle, len(s)
		}
	}
	if strings.IndexByte(x.quotes, s[i]) >= 0 {
		for j := i + 1; j < len(s); j++ {
			switch s[j] {
			case '\\':
				j++
			case s[i]:
				return "", stringStyle, j + 1
			}
		}
		if s[i] == '\'' {
			return "", "", i // an apostrophe, or a lifetime in Rust
		}
		return "", stringStyle, len(s)
	}
	return "", "", i
}

// word colours the word or number at i and returns the offset behind it. Where none
// begins, it skips one character.
func (x *syntax) word(s string, i int, put func(from, to int, style string)) int {
	end := i
	for j, r := range s[i:] {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		end = i + j + len(string(r))
	}
	if end == i {
		for j := range s[i:] {
			if j > 0 {
				return i + j
			}
		}
		return len(s)
	}
	word := s[i:end]
	if x.fold {
		word = strings.ToLower(word)
	}
	switch {
	case x.words[word]:
		put(i, end, wordStyle)
	case word[0] >= '0' && word[0] <= '9':
		put(i, end, numberStyle)
	}
	return end
}
