package migrate

import (
	"context"
	"regexp"
	"strings"

	"golem/core/prompt"
	"golem/core/yamltree"
)

// mustache is one tag of a template of Handlebars or Mustache, or one of Jinja2.
var mustache = regexp.MustCompile(`(?s)\{\{\{.*?\}\}\}|\{\{.*?\}\}|\{%.*?%\}`)

var (
	plainPath = regexp.MustCompile(`^(?:this|@root)?\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)
	partial   = regexp.MustCompile(`^>\s*["']?([\w./-]+)["']?$`)
)

// dialect translates a Handlebars template to Jinja2 if every tag has the same meaning
// there: {{#if}}, {{#unless}}, {{#each}}, {{else}}, {{> partial}}, {{! comment }} and
// {{{ text }}}. It keeps a template that golem can read already.
func (d *doc) dialect() {
	text := string(d.data[d.body:])
	if n := d.tree.Get("template"); !strings.Contains(text, "{{") || n != nil && !n.Flag() || parses(text) {
		return
	}
	out, ok := handlebars(text)
	line := 1 + strings.Count(string(d.data[:d.body]), "\n")
	switch {
	case out == text:
	case !ok || !parses(out):
		d.leave(yamltree.At(d.name, line, 1), "this template is written for another engine; golem's templates are Jinja2 (docs/templates.md)")
	default:
		d.changes = append(d.changes, change{at: line, note: "the template is written in Jinja2", edits: []edit{{d.body, len(d.data), out}}})
	}
}

// parses reports whether golem can read a text as a template. It does not load the
// files that the template includes.
func parses(text string) bool {
	t := prompt.Template{Text: prompt.Text{File: "x", Source: text}, Files: emptyFiles{}}
	return len(t.Check(context.Background())) == 0
}

// emptyFiles has every file, and each is empty.
type emptyFiles struct{}

func (emptyFiles) Load(string) (prompt.Text, error) { return prompt.Text{}, nil }

func (emptyFiles) Places(string) []string { return nil }

func (emptyFiles) Beside(string) string { return "" }

// handlebars translates a template to Jinja2. ok is false if the meaning of a tag is
// not certain.
func handlebars(text string) (out string, ok bool) {
	var open []string
	ok = true
	out = mustache.ReplaceAllStringFunc(text, func(tag string) string {
		raw := strings.HasPrefix(tag, "{{{")
		inner := strings.TrimSpace(strings.Trim(tag, "{}"))
		word, arg, _ := strings.Cut(inner, " ")
		arg = strings.TrimSpace(arg)
		each := len(open) > 0 && open[len(open)-1] == "each"
		switch {
		case strings.HasPrefix(tag, "{%"):
			ok = false // two dialects in one text
		case strings.HasPrefix(inner, "!") && !strings.Contains(inner, "#}"):
			return "{# " + strings.TrimSpace(strings.Trim(inner, "!-")) + " #}"
		case (word == "#if" || word == "#unless" || word == "#each") && plainPath.MatchString(arg) && !inEach(open, arg):
			open = append(open, word[1:])
			return map[string]string{"#if": "{% if " + arg + " %}", "#unless": "{% if not " + arg + " %}", "#each": "{% for this in " + arg + " %}"}[word]
		case (inner == "else" || inner == "^") && len(open) > 0:
			return "{% else %}"
		case strings.HasPrefix(inner, "/") && len(open) > 0 && inner[1:] == open[len(open)-1]:
			open = open[:len(open)-1]
			if each {
				return "{% endfor %}"
			}
			return "{% endif %}"
		case partial.MatchString(inner):
			return "{% include '" + partial.FindStringSubmatch(inner)[1] + "' %}"
		case plainPath.MatchString(inner) && !inEach(open, inner) && inner != "this.":
			if raw || strings.HasPrefix(tag, "{{{") {
				return "{{ " + inner + " }}"
			}
			return tag
		default:
			ok = false
		}
		return tag
	})
	return out, ok && len(open) == 0
}

// inEach reports whether the place of a name makes its meaning uncertain. Within
// {{#each}}, a name without this. can mean a field of the item or one outside;
// elsewhere, names that begin with this or @ are uncertain.
func inEach(open []string, name string) bool {
	for _, kind := range open {
		if kind == "each" {
			return name != "this" && !strings.HasPrefix(name, "this.")
		}
	}
	return strings.HasPrefix(name, "this") || strings.HasPrefix(name, "@")
}
